// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/system_events.h"

#include "core/run/series_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>

namespace mantissa {

namespace {

constexpr double kWindowS = 2.0;
constexpr double kGapS = 1.0;
constexpr double kLoadBegins = 100 * kForeignLoadLimit; // %
constexpr double kLoadEnds = kLoadBegins / 2;
constexpr double kThrottleEndsS = 5.0;

void add(Points& points, std::string_view name, std::optional<double> value)
{
    if (value)
        points.series.push_back({std::string(name), {*value}});
}

void addGpu(Points& points, const GpuReading& gpu)
{
    add(points, series::kGpuUtilisationPercent, gpu.utilisationPercent);
    add(points, series::kGpuMemoryBytes, gpu.memoryUsedBytes);
    add(points, series::kGpuPowerW, gpu.powerW);
    add(points, series::kGpuTemperatureC, gpu.temperatureC);
    add(points, series::kGpuSmMhz, gpu.smMhz);
    add(points, series::kGpuMemoryMhz, gpu.memoryMhz);
    add(points, series::kGpuEnergyJ, gpu.energyJ);
}

nlohmann::json evidenceOf(const GpuReading& gpu)
{
    auto json = nlohmann::json::object();
    const auto add = [&](const char* key, const std::optional<double>& value) {
        if (value)
            json[key] = *value;
    };
    add("temperature_c", gpu.temperatureC);
    add("power_w", gpu.powerW);
    add("mhz", gpu.smMhz);
    return json;
}

} // namespace

Points systemPoints(const SystemReading& reading, const RunPlace& place, double timeS)
{
    Points points{Axis::Time, {timeS}, {}};
    if (const auto own = reading.processCpuPercent.find(place.worker);
        own != reading.processCpuPercent.end())
        add(points, series::kProcessCpuPercent, own->second);
    add(points, series::kHostCpuPercent, reading.hostCpuPercent);
    add(points, series::kForeignCpuPercent, reading.foreignCpuPercent);
    add(points, series::kCpuMhz, reading.cpuMhz);
    add(points, series::kAvailableMemoryBytes, reading.availableMemoryBytes);
    add(points, series::kCpuTemperatureC, reading.cpuTemperatureC);
    add(points, series::kPackageEnergyJ, reading.packageEnergyJ);
    if (const auto own = reading.gpus.find(place.gpu); own != reading.gpus.end())
        addGpu(points, own->second);
    return points;
}

std::vector<LifecycleEvent> SystemAlerts::look(
    const SystemReading& reading, const std::string& gpu, double timeS)
{
    std::vector<LifecycleEvent> events;
    lookAtLoad(reading, timeS, events);
    lookAtHeat(reading, timeS, events);
    if (const auto own = reading.gpus.find(gpu); own != reading.gpus.end())
        lookAtGpu(own->second, timeS, events);
    return events;
}

void SystemAlerts::lookAtLoad(
    const SystemReading& reading, double timeS, std::vector<LifecycleEvent>& events)
{
    if (!reading.foreignCpuPercent || !reading.hostCpuPercent)
        return;
    // Between this run's turns nobody looked: a window does not reach across.
    if (!m_loads.empty() && timeS - m_loads.back().timeS > kGapS)
        m_loads.clear();
    m_loads.push_back({timeS, *reading.foreignCpuPercent, *reading.hostCpuPercent});
    while (timeS - m_loads.front().timeS > kWindowS)
        m_loads.pop_front();
    const double seconds = timeS - m_loads.front().timeS;
    Load mean;
    for (const auto& load : m_loads) {
        mean.foreign += load.foreign / static_cast<double>(m_loads.size());
        mean.host += load.host / static_cast<double>(m_loads.size());
    }
    if (m_loaded && mean.foreign < kLoadEnds)
        m_loaded = false;
    // Nearly all of it is known: samples do not come to the microsecond.
    if (m_loaded || mean.foreign <= kLoadBegins || seconds < 0.75 * kWindowS)
        return;
    m_loaded = true;
    LifecycleEvent event{std::string(event_kind::kForeignLoad), {}, timeS, {}};
    event.message = fmt::format("Other programs take {:.0f} % of the usable cores; figures of this "
                                "time are slower than the machine alone would be.",
        mean.foreign);
    event.data = {{"foreign_cpu_percent", mean.foreign}, {"host_cpu_percent", mean.host},
        {"seconds", seconds}, {"threshold_percent", kLoadBegins}};
    events.push_back(std::move(event));
}

void SystemAlerts::lookAtHeat(
    const SystemReading& reading, double timeS, std::vector<LifecycleEvent>& events)
{
    const double count = reading.thermalThrottles.value_or(0);
    if (count <= 0) {
        if (m_throttledAt && timeS - *m_throttledAt > kThrottleEndsS)
            m_throttledAt.reset();
        return;
    }
    const bool begins = !m_throttledAt;
    m_throttledAt = timeS;
    if (!begins)
        return;
    LifecycleEvent event{std::string(event_kind::kThrottled), {}, timeS, {}};
    event.message = "The processor lowers its clock because it is too hot.";
    event.data = {{"device", "cpu"}, {"reason", "thermal"}, {"evidence", {{"throttles", count}}}};
    if (reading.cpuTemperatureC)
        event.data["evidence"]["temperature_c"] = *reading.cpuTemperatureC;
    if (reading.cpuMhz)
        event.data["evidence"]["mhz"] = *reading.cpuMhz;
    events.push_back(std::move(event));
}

void SystemAlerts::lookAtGpu(
    const GpuReading& reading, double timeS, std::vector<LifecycleEvent>& events)
{
    if (!reading.throttleReasons)
        return;
    std::vector<std::string_view> begun;
    for (const auto& reason : throttleReasons()) {
        if (!reason.slowsTraining)
            continue;
        const auto since = m_gpuThrottledAt.find(reason.bit);
        if ((*reading.throttleReasons & reason.bit) != 0) {
            if (since == m_gpuThrottledAt.end())
                begun.push_back(reason.words);
            m_gpuThrottledAt[reason.bit] = timeS;
        } else if (since != m_gpuThrottledAt.end() && timeS - since->second > kThrottleEndsS) {
            m_gpuThrottledAt.erase(since);
        }
    }
    if (begun.empty())
        return;
    LifecycleEvent event{std::string(event_kind::kThrottled), {}, timeS, {}};
    const auto words = fmt::format("{}", fmt::join(begun, ", "));
    event.message = fmt::format("The GPU lowers its clock: {}.", words);
    event.data = {{"device", "gpu"}, {"reason", words}, {"evidence", evidenceOf(reading)}};
    events.push_back(std::move(event));
}

} // namespace mantissa
