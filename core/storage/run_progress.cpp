// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/run_progress.h"

#include "core/run/series_info.h"

#include <algorithm>
#include <limits>

namespace mantissa {

namespace {

void append(std::vector<double>& to, const std::vector<double>& values)
{
    to.insert(to.end(), values.begin(), values.end());
}

/// Keeps index and step together (index = step - 1) where steps before were lost.
void appendAt(std::vector<double>& to, std::int64_t firstStep, const std::vector<double>& values)
{
    const auto before = static_cast<std::size_t>(std::max<std::int64_t>(firstStep - 1, 0));
    if (to.size() < before && before - to.size() < (1u << 24))
        to.resize(before, std::numeric_limits<double>::quiet_NaN());
    append(to, values);
}

std::int64_t skippedSteps(const std::vector<double>& foundInf)
{
    return std::count_if(foundInf.begin(), foundInf.end(), [](double v) { return v > 0; });
}

} // namespace

void RunProgress::goOnFrom(
    const ResumePoint& point, const nlohmann::json& environment, std::int64_t startedMs)
{
    m_lastStep = point.step;
    m_skipped = point.stepsSkipped;
    m_startedMs = startedMs;
    if (environment.is_object())
        m_environment = environment;
}

void RunProgress::apply(const RunEvent& event)
{
    if (const auto* samples = std::get_if<Samples>(&event))
        applySamples(*samples);
    else if (const auto* points = std::get_if<Points>(&event))
        applyPoints(*points);
    else if (const auto* lifecycle = std::get_if<LifecycleEvent>(&event))
        applyLifecycle(*lifecycle);
    else if (const auto* hello = std::get_if<Hello>(&event))
        applyHello(*hello);
    else if (const auto* ready = std::get_if<Ready>(&event);
             ready && ready->environment.is_object())
        m_environment.update(ready->environment);
}

void RunProgress::apply(const RunOutcome& outcome, std::int64_t atMs)
{
    m_outcome = outcome;
    if (outcome.state == RunState::Running && m_startedMs == 0)
        m_startedMs = atMs;
    if (isEnd(outcome.state))
        m_endedMs = atMs;
}

RunOutcome RunProgress::outcome() const
{
    auto outcome = m_outcome;
    if (outcome.stepsAttempted < m_lastStep) {
        outcome.stepsAttempted = m_lastStep;
        outcome.stepsSkipped = m_skipped;
        outcome.stepsApplied = m_lastStep - m_skipped;
    }
    return outcome;
}

RunSummary RunProgress::summary() const
{
    SummaryInput input;
    input.loss = m_loss;
    input.stepMs = m_stepMs;
    input.samplesPerSecond = m_samplesPerSecond;
    input.peakMemoryBytes = m_peakMemory;
    input.scale = m_scale;
    input.metric = m_metric;
    input.blockStarts = m_blockStarts;
    input.usesScaler = m_usesScaler;
    return summarize(input);
}

void RunProgress::applySamples(const Samples& samples)
{
    m_lastStep = std::max(m_lastStep, samples.firstStep + samples.count - 1);
    for (const auto& [name, values] : samples.series) {
        if (name == series::kLoss)
            append(m_loss, values);
        else if (name == series::kStepMs)
            appendAt(m_stepMs, samples.firstStep, values);
        else if (name == series::kSamplesPerSecond)
            appendAt(m_samplesPerSecond, samples.firstStep, values);
        else if (name == series::kPeakMemoryBytes)
            appendAt(m_peakMemory, samples.firstStep, values);
        else if (name == series::kScale)
            append(m_scale, values);
        else if (name == series::kFoundInf)
            m_skipped += skippedSteps(values);
    }
}

void RunProgress::applyPoints(const Points& points)
{
    for (const auto& [name, values] : points.series) {
        if (name == series::kMetric)
            append(m_metric, values);
    }
}

void RunProgress::applyLifecycle(const LifecycleEvent& event)
{
    if (event.kind == event_kind::kBlockStarted && event.step)
        m_blockStarts.push_back(*event.step);
    else if (event.kind == event_kind::kFirstStepFacts || event.kind == event_kind::kFormatProbe)
        m_environment[event.kind == event_kind::kFormatProbe ? "formats" : "first_step_facts"] =
            event.data;
}

void RunProgress::applyHello(const Hello& hello)
{
    m_rank = hello.rank;
    m_worldSize = hello.worldSize;
    if (hello.environment.is_object())
        m_environment.update(hello.environment);
    m_environment["worker"] = hello.worker;
    m_environment["worker_version"] = hello.version;
}

} // namespace mantissa
