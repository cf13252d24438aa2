// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/run_trace.h"

#include "core/run/series_info.h"
#include "core/run/system_events.h"

#include <QDateTime>
#include <algorithm>
#include <array>
#include <cmath>

namespace mantissa::ui {

namespace {

constexpr std::array kPolled{series::kLoss, series::kMetric, series::kMetricLoss,
    series::kValidationNonFinite, series::kScale, series::kGrowthTracker, series::kFoundInf,
    series::kStepMs, series::kSamplesPerSecond, series::kTimeS, series::kMemoryBytes,
    series::kPeakMemoryBytes,
    // On the axis time.
    series::kRssBytes, series::kProcessCpuPercent, series::kForeignCpuPercent, series::kCpuMhz,
    series::kAvailableMemoryBytes, series::kCpuTemperatureC, series::kPackageEnergyJ,
    series::kGpuUtilisationPercent, series::kGpuMemoryBytes, series::kGpuPowerW,
    series::kGpuTemperatureC, series::kGpuSmMhz, series::kGpuMemoryMhz, series::kGpuEnergyJ};

/// Index of the point at `step`, or of the nearest one before it.
std::optional<std::size_t> indexAt(const TraceSeries& series, double step)
{
    const auto above = std::ranges::upper_bound(series.x, step);
    if (above == series.x.begin())
        return std::nullopt;
    return static_cast<std::size_t>(above - series.x.begin()) - 1;
}

} // namespace

RunTrace::RunTrace(const PlannedRun& run)
    : m_run(run.index)
    , m_variant(run.variant)
{
    for (const std::string_view name : kPolled)
        m_series.emplace(std::string(name), TraceSeries{});
}

void RunTrace::poll(const LiveBuffer& buffer)
{
    m_status = buffer.status(m_run);
    for (auto& [name, mine] : m_series) {
        const SeriesSlice slice = buffer.read(m_run, name, mine.x.size());
        mine.x.insert(mine.x.end(), slice.x.begin(), slice.x.end());
        mine.y.insert(mine.y.end(), slice.y.begin(), slice.y.end());
        if (name == series::kFoundInf)
            m_skipped += std::ranges::count_if(slice.y, [](double v) { return v != 0; });
        if (name == series::kLoss)
            m_nonFiniteLosses +=
                std::ranges::count_if(slice.y, [](double v) { return !std::isfinite(v); });
        for (const double ms : name == series::kStepMs ? slice.y : std::vector<double>{})
            m_trainSeconds.push_back(
                (m_trainSeconds.empty() ? 0 : m_trainSeconds.back()) + ms / 1000);
    }
    for (LifecycleEvent& event : buffer.events(m_run, m_events.size())) {
        if (event.kind == event_kind::kBlockStarted && event.step)
            m_blockStarts.push_back(*event.step);
        m_events.push_back(std::move(event));
    }
    const auto time = last(series::kTimeS);
    if (m_startUnix == 0 && time)
        m_startUnix = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000 - *time;
}

const TraceSeries& RunTrace::series(std::string_view name) const
{
    static const TraceSeries kEmpty;
    const auto found = m_series.find(name);
    return found != m_series.end() ? found->second : kEmpty;
}

std::optional<double> RunTrace::valueAt(std::string_view name, double step) const
{
    const TraceSeries& values = series(name);
    const auto index = indexAt(values, step);
    if (!index || values.x[*index] != step)
        return std::nullopt;
    return values.y[*index];
}

std::optional<double> RunTrace::last(std::string_view name) const
{
    const TraceSeries& values = series(name);
    return values.y.empty() ? std::nullopt : std::optional(values.y.back());
}

double RunTrace::timeAt(double step) const
{
    const TraceSeries& times = series(series::kTimeS);
    const auto index = indexAt(times, step);
    return index ? times.y[*index] : 0;
}

std::optional<double> RunTrace::stepAt(double timeS) const
{
    const TraceSeries& times = series(series::kTimeS);
    if (const auto step = stepAtTime(times.x, times.y, timeS))
        return step;
    const bool ended = isEnd(m_status.outcome.state) && !times.x.empty();
    return ended ? std::optional(times.x.back()) : std::nullopt;
}

std::optional<double> RunTrace::trainSecondsAt(double step) const
{
    const auto index = indexAt(series(series::kStepMs), step);
    if (!index || *index >= m_trainSeconds.size())
        return std::nullopt;
    return m_trainSeconds[*index];
}

std::int64_t RunTrace::steps() const
{
    return m_status.step;
}

RunSummary RunTrace::summary() const
{
    const auto values = [this](std::string_view name) -> std::span<const double> {
        return series(name).y;
    };
    SummaryInput input;
    input.loss = values(series::kLoss);
    input.stepMs = values(series::kStepMs);
    input.samplesPerSecond = values(series::kSamplesPerSecond);
    input.peakMemoryBytes = values(series::kPeakMemoryBytes);
    input.scale = values(series::kScale);
    input.foundInf = values(series::kFoundInf);
    input.metric = values(series::kMetric);
    input.blockStarts = m_blockStarts;
    input.usesScaler = m_variant.usesScaler();
    return summarize(input);
}

std::optional<double> stepAtTime(
    std::span<const double> steps, std::span<const double> endTimes, double timeS)
{
    const auto found = std::ranges::lower_bound(endTimes, timeS);
    const auto index = static_cast<std::size_t>(found - endTimes.begin());
    return index < std::min(steps.size(), endTimes.size()) ? std::optional(steps[index])
                                                           : std::nullopt;
}

bool isDisturbance(const LifecycleEvent& event)
{
    return event.kind == event_kind::kThrottled || event.kind == event_kind::kForeignLoad;
}

} // namespace mantissa::ui
