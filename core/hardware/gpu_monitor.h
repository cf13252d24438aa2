// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/nvml.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mantissa {

/// Reads the GPUs that runs use. NVML is opened when the first one is watched: on a machine without
/// a card, and while everything runs on the CPU, it costs nothing. One thread at a time.
class GpuMonitor {
public:
    explicit GpuMonitor(std::filesystem::path library = nvmlLibrary());

    /// The PCI bus ids of the GPUs to watch from now on. A GPU that cannot be found is not asked
    /// for again.
    void watch(const std::vector<std::string>& pciBusIds);

    /// By the bus id as it was given. Energy counts from the first sample of that GPU on.
    std::map<std::string, GpuReading> sample();

private:
    struct Watched {
        bool isWatched = true;
        std::optional<Nvml::Gpu> gpu; ///< none = not found
        std::optional<double> energyAtFirst;
    };

    std::filesystem::path m_library;
    bool m_tried = false;
    std::optional<Nvml> m_nvml;
    std::map<std::string, Watched> m_gpus; ///< kept when no longer watched: energy counts on
};

} // namespace mantissa
