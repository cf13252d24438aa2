// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/live_buffer.h"

#include "core/run/series_info.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

namespace mantissa {

namespace {

struct LiveSeries {
    std::string name;
    std::vector<double> x;
    std::vector<double> y;
};

struct LiveRun {
    LiveRunStatus status;
    std::vector<LiveSeries> series; ///< in order of first appearance
    std::vector<LifecycleEvent> events;
};

LiveSeries& seriesOf(LiveRun& run, const std::string& name)
{
    for (auto& one : run.series) {
        if (one.name == name)
            return one;
    }
    return run.series.emplace_back(LiveSeries{name, {}, {}});
}

void mergeEnvironment(LiveRun& run, const nlohmann::json& environment)
{
    if (!environment.is_object())
        return;
    if (!run.status.environment.is_object())
        run.status.environment = nlohmann::json::object();
    run.status.environment.update(environment);
}

void apply(LiveRun& run, const Hello& event)
{
    mergeEnvironment(run, event.environment);
}

void apply(LiveRun& run, const Ready& event)
{
    mergeEnvironment(run, event.environment);
    run.status.totalSteps = event.totalSteps;
}

void apply(LiveRun& run, const Samples& event)
{
    for (const auto& one : event.series) {
        auto& series = seriesOf(run, one.name);
        for (std::int64_t i = 0; i < event.count; ++i)
            series.x.push_back(static_cast<double>(event.firstStep + i));
        series.y.insert(series.y.end(), one.values.begin(), one.values.end());
        // Between blocks the exact figure comes with BlockDone.
        if (one.name == series::kStepMs)
            run.status.trainSeconds +=
                std::accumulate(one.values.begin(), one.values.end(), 0.0) / 1000;
        run.status.outcome.stepsSkipped += one.name == series::kFoundInf
            ? std::count_if(
                one.values.begin(), one.values.end(), [](double value) { return value != 0; })
            : 0;
    }
    run.status.step = event.firstStep + event.count - 1;
    run.status.outcome.stepsAttempted = run.status.step;
    run.status.outcome.stepsApplied = run.status.step - run.status.outcome.stepsSkipped;
}

void apply(LiveRun& run, const Points& event)
{
    for (const auto& one : event.series) {
        auto& series = seriesOf(run, one.name);
        series.x.insert(series.x.end(), event.x.begin(), event.x.end());
        series.y.insert(series.y.end(), one.values.begin(), one.values.end());
    }
}

void apply(LiveRun& run, const LifecycleEvent& event)
{
    run.events.push_back(event);
    const bool answersSet =
        event.kind == event_kind::kSettingChanged || event.kind == event_kind::kSettingRefused;
    if (answersSet && run.status.acknowledged == "set")
        run.status.acknowledged.clear();
}

void apply(LiveRun& run, const Heartbeat& event)
{
    run.status.step = std::max(run.status.step, event.step);
    run.status.activity = event.activity;
}

void apply(LiveRun& run, const Acknowledged& event)
{
    if (event.command != "run_block" && event.command != "start")
        run.status.acknowledged = event.command;
}

void apply(LiveRun& run, const BlockDone& event)
{
    run.status.step = std::max(run.status.step, event.step);
    run.status.trainSeconds = event.trainSeconds;
}

void apply(LiveRun&, const Finished&)
{
    // The outcome comes with onState().
}

} // namespace

struct LiveBuffer::Private {
    std::vector<PlannedRun> plan;
    std::atomic<std::uint64_t> revision{0};
    mutable std::mutex mutex;
    std::vector<LiveRun> runs; ///< guarded
    bool ended = false; ///< guarded

    LiveRun* find(int run)
    {
        const auto index = static_cast<std::size_t>(run);
        return run >= 0 && index < runs.size() ? &runs[index] : nullptr;
    }
};

LiveBuffer::LiveBuffer(std::vector<PlannedRun> plan)
    : m_d(std::make_unique<Private>())
{
    m_d->runs.resize(plan.size());
    m_d->plan = std::move(plan);
}

LiveBuffer::~LiveBuffer() = default;

void LiveBuffer::onEvent(int run, const RunEvent& event)
{
    {
        const std::lock_guard lock(m_d->mutex);
        if (LiveRun* live = m_d->find(run))
            std::visit([live](const auto& value) { apply(*live, value); }, event);
    }
    ++m_d->revision;
}

void LiveBuffer::onState(int run, const RunOutcome& outcome)
{
    {
        const std::lock_guard lock(m_d->mutex);
        if (LiveRun* live = m_d->find(run)) {
            live->status.outcome = outcome;
            const auto& pending = live->status.acknowledged;
            if (isEnd(outcome.state) || (pending == "pause" && outcome.state == RunState::Paused)
                || (pending == "resume" && outcome.state == RunState::Running))
                live->status.acknowledged.clear();
        }
    }
    ++m_d->revision;
}

void LiveBuffer::onAllEnded()
{
    {
        const std::lock_guard lock(m_d->mutex);
        m_d->ended = true;
    }
    ++m_d->revision;
}

const std::vector<PlannedRun>& LiveBuffer::plan() const
{
    return m_d->plan;
}

std::uint64_t LiveBuffer::revision() const
{
    return m_d->revision;
}

bool LiveBuffer::ended() const
{
    const std::lock_guard lock(m_d->mutex);
    return m_d->ended;
}

LiveRunStatus LiveBuffer::status(int run) const
{
    const std::lock_guard lock(m_d->mutex);
    const LiveRun* live = m_d->find(run);
    return live ? live->status : LiveRunStatus{};
}

std::vector<std::string> LiveBuffer::seriesNames(int run) const
{
    const std::lock_guard lock(m_d->mutex);
    std::vector<std::string> names;
    if (const LiveRun* live = m_d->find(run)) {
        for (const auto& one : live->series)
            names.push_back(one.name);
    }
    return names;
}

SeriesSlice LiveBuffer::read(int run, std::string_view series, std::size_t from) const
{
    SeriesSlice slice;
    slice.from = from;
    const std::lock_guard lock(m_d->mutex);
    const LiveRun* live = m_d->find(run);
    if (!live)
        return slice;
    for (const auto& one : live->series) {
        if (one.name != series || from >= one.x.size())
            continue;
        const auto offset = static_cast<std::ptrdiff_t>(from);
        slice.x.assign(one.x.begin() + offset, one.x.end());
        slice.y.assign(one.y.begin() + offset, one.y.end());
    }
    return slice;
}

std::vector<LifecycleEvent> LiveBuffer::events(int run, std::size_t from) const
{
    const std::lock_guard lock(m_d->mutex);
    const LiveRun* live = m_d->find(run);
    if (!live || from >= live->events.size())
        return {};
    return {live->events.begin() + static_cast<std::ptrdiff_t>(from), live->events.end()};
}

} // namespace mantissa
