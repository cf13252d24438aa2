// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/gpu_monitor.h"

#include <algorithm>
#include <utility>

namespace mantissa {

GpuMonitor::GpuMonitor(std::filesystem::path library)
    : m_library(std::move(library))
{
}

void GpuMonitor::watch(const std::vector<std::string>& pciBusIds)
{
    for (auto& [id, watched] : m_gpus)
        watched.isWatched = std::ranges::find(pciBusIds, id) != pciBusIds.end();
    for (const auto& id : pciBusIds) {
        if (m_gpus.contains(id))
            continue;
        if (!std::exchange(m_tried, true)) {
            if (auto opened = Nvml::open(m_library))
                m_nvml.emplace(std::move(*opened));
        }
        Watched watched;
        if (m_nvml) {
            if (const auto gpu = m_nvml->find(id))
                watched.gpu = *gpu;
        }
        m_gpus.emplace(id, watched);
    }
}

std::map<std::string, GpuReading> GpuMonitor::sample()
{
    std::map<std::string, GpuReading> readings;
    for (auto& [id, watched] : m_gpus) {
        if (!watched.isWatched || !watched.gpu)
            continue;
        auto reading = m_nvml->read(*watched.gpu);
        if (reading.energyJ) {
            if (!watched.energyAtFirst)
                watched.energyAtFirst = reading.energyJ;
            reading.energyJ = *reading.energyJ - *watched.energyAtFirst;
        }
        readings.emplace(id, reading);
    }
    return readings;
}

} // namespace mantissa
