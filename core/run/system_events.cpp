// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/system_events.h"

#include "core/run/series_info.h"

#include <fmt/format.h>
#include <string>

namespace mantissa {

namespace {

constexpr double kWindowS = 1.0;
constexpr double kLoadBegins = 20; // %
constexpr double kLoadEnds = 10;
constexpr double kThrottleEndsS = 5.0;

void add(Points& points, std::string_view name, std::optional<double> value)
{
    if (value)
        points.series.push_back({std::string(name), {*value}});
}

} // namespace

Points systemPoints(const SystemReading& reading, pid_t worker, double timeS)
{
    Points points{Axis::Time, {timeS}, {}};
    if (const auto own = reading.processCpuPercent.find(worker);
        own != reading.processCpuPercent.end())
        add(points, series::kProcessCpuPercent, own->second);
    add(points, series::kHostCpuPercent, reading.hostCpuPercent);
    add(points, series::kForeignCpuPercent, reading.foreignCpuPercent);
    add(points, series::kCpuMhz, reading.cpuMhz);
    add(points, series::kAvailableMemoryBytes, reading.availableMemoryBytes);
    add(points, series::kCpuTemperatureC, reading.cpuTemperatureC);
    add(points, series::kPackageEnergyJ, reading.packageEnergyJ);
    return points;
}

std::vector<LifecycleEvent> SystemAlerts::look(const SystemReading& reading, double timeS)
{
    std::vector<LifecycleEvent> events;
    lookAtLoad(reading, timeS, events);
    lookAtHeat(reading, timeS, events);
    return events;
}

void SystemAlerts::lookAtLoad(
    const SystemReading& reading, double timeS, std::vector<LifecycleEvent>& events)
{
    if (!reading.foreignCpuPercent || !reading.hostCpuPercent)
        return;
    // Between this run's turns nobody looked: a window does not reach across.
    if (!m_loads.empty() && timeS - m_loads.back().timeS > kWindowS)
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
    // Nearly a second is known: samples do not come to the microsecond.
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

} // namespace mantissa
