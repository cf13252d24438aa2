// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/system_files.h"

#include "core/hardware/open_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <sched.h>
#include <string>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostCores = 8;

std::vector<fs::path> foldersIn(const fs::path& folder)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        found.push_back(at->path());
    std::ranges::sort(found);
    return found;
}

std::vector<fs::path> ofCores(
    const fs::path& root, const std::set<int>& cores, const std::string& name)
{
    std::vector<fs::path> found;
    const auto stride = (cores.size() + kMostCores - 1) / kMostCores;
    std::size_t number = 0;
    for (const int core : cores) {
        const auto file = root / fmt::format("sys/devices/system/cpu/cpu{}/{}", core, name);
        std::error_code error;
        if (number++ % stride == 0 && fs::exists(file, error))
            found.push_back(file);
    }
    return found;
}

} // namespace

std::set<int> affinityCores()
{
    constexpr int kMost = 8192;
    std::set<int> cores;
    cpu_set_t* mask = CPU_ALLOC(kMost);
    const auto size = CPU_ALLOC_SIZE(kMost);
    if (mask && sched_getaffinity(0, size, mask) == 0) {
        for (int core = 0; core < kMost; ++core) {
            if (CPU_ISSET_S(static_cast<std::size_t>(core), size, mask))
                cores.insert(core);
        }
    }
    CPU_FREE(mask);
    return cores.empty() ? std::set<int>{0} : cores;
}

fs::path temperatureFile(const fs::path& root)
{
    fs::path first;
    for (const auto& folder : foldersIn(root / "sys/class/hwmon")) {
        const auto file = folder / "temp1_input";
        std::error_code error;
        if (!fs::exists(file, error))
            continue;
        const auto name = firstLine(folder / "name");
        if (name == "coretemp" || name == "k10temp")
            return file;
        if (first.empty())
            first = file;
    }
    return first;
}

std::vector<fs::path> frequencyFiles(const fs::path& root, const std::set<int>& cores)
{
    return ofCores(root, cores, "cpufreq/scaling_cur_freq");
}

std::vector<fs::path> throttleFiles(const fs::path& root, const std::set<int>& cores)
{
    return ofCores(root, cores, "thermal_throttle/core_throttle_count");
}

std::vector<fs::path> raplFolders(const fs::path& root)
{
    std::vector<fs::path> found;
    for (const auto& folder : foldersIn(root / "sys/class/powercap")) {
        // "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it.
        const auto name = folder.filename().string();
        if (name.starts_with("intel-rapl:") && std::ranges::count(name, ':') == 1
            && firstLine(folder / "name").starts_with("package"))
            found.push_back(folder);
    }
    return found;
}

} // namespace mantissa
