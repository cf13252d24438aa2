// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"
#include "core/stats/run_summary.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mantissa {

/// What a run's row tells besides its series: state, counters, times, environment, summary; kept
/// from the run's events. For one thread.
class RunProgress {
public:
    explicit RunProgress(bool usesScaler)
        : m_usesScaler(usesScaler)
    {
    }

    /// What came before a checkpoint that the run goes on from.
    void goOnFrom(
        const ResumePoint& point, const nlohmann::json& environment, std::int64_t startedMs);
    void apply(const RunEvent& event);
    void apply(const RunOutcome& outcome, std::int64_t atMs);

    /// State, reason and counters: the outcome's, or what the samples so far tell.
    RunOutcome outcome() const;
    std::int64_t startedMs() const { return m_startedMs; }
    std::int64_t endedMs() const { return m_endedMs; }
    /// Hello's merged with Ready's, the format probe and the first step's facts.
    const nlohmann::json& environment() const { return m_environment; }
    int rank() const { return m_rank; }
    int worldSize() const { return m_worldSize; }
    /// Reads every step again: costs in proportion to the steps so far.
    RunSummary summary() const;

private:
    void applySamples(const Samples& samples);
    void applyPoints(const Points& points);
    void applyLifecycle(const LifecycleEvent& event);
    void applyHello(const Hello& hello);

    bool m_usesScaler;
    RunOutcome m_outcome;
    std::int64_t m_startedMs = 0;
    std::int64_t m_endedMs = 0;
    std::int64_t m_lastStep = 0;
    std::int64_t m_skipped = 0;
    int m_rank = 0;
    int m_worldSize = 1;
    nlohmann::json m_environment = nlohmann::json::object();
    std::vector<double> m_loss, m_stepMs, m_samplesPerSecond, m_peakMemory, m_scale, m_metric;
    std::vector<std::int64_t> m_blockStarts;
};

} // namespace mantissa
