// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <set>
#include <vector>

namespace mantissa {

/// Where a Linux system keeps the figures of system_monitor.h. `root` is where /sys is looked for.

/// Numbers of the cores that this process may run on; core 0 alone if that cannot be read.
std::set<int> affinityCores();

/// The processor's temperature in 1/1000 degrees: of coretemp or k10temp, else the first sensor
/// that there is; empty without one. hwmon's naming: Documentation/hwmon/sysfs-interface.rst.
std::filesystem::path temperatureFile(const std::filesystem::path& root);

/// scaling_cur_freq (kHz) of at most 8 of the cores, spread evenly.
std::vector<std::filesystem::path> frequencyFiles(
    const std::filesystem::path& root, const std::set<int>& cores);

/// Counters of thermal throttling of the same cores.
std::vector<std::filesystem::path> throttleFiles(
    const std::filesystem::path& root, const std::set<int>& cores);

/// Folders of the packages' RAPL counters (not of their parts): "intel-rapl:0".
std::vector<std::filesystem::path> raplFolders(const std::filesystem::path& root);

} // namespace mantissa
