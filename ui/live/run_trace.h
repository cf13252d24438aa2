// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/live_buffer.h"
#include "core/stats/run_summary.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::ui {

/// Points of a series as they came: x is the step, or seconds since the run's start for a series on
/// the axis time.
struct TraceSeries {
    std::vector<double> x;
    std::vector<double> y;
};

/// What the window knows of one run of the current comparison: a copy of the live buffer that
/// grows by what is new at each poll. GUI thread.
class RunTrace {
public:
    explicit RunTrace(const PlannedRun& run);

    /// Takes over what is new.
    void poll(const LiveBuffer& buffer);

    int run() const { return m_run; }
    const Variant& variant() const { return m_variant; }
    const LiveRunStatus& status() const { return m_status; }
    const TraceSeries& series(std::string_view name) const;
    const std::vector<LifecycleEvent>& events() const { return m_events; }

    /// The value of a series at a step, if it has one there.
    std::optional<double> valueAt(std::string_view name, double step) const;
    /// The last value of a series.
    std::optional<double> last(std::string_view name) const;
    /// Seconds since the run's start at the end of a step; of the nearest known one.
    double timeAt(double step) const;
    /// The step under way at a time, e.g. of an event that names none; nothing while its samples
    /// have not come. After the last one of a run that has ended: the last one.
    std::optional<double> stepAt(double timeS) const;
    /// Seconds of training up to a step, pauses and validation not counted.
    std::optional<double> trainSecondsAt(double step) const;
    /// Unix time of the run's start in seconds; 0 before its first sample.
    double startUnix() const { return m_startUnix; }
    std::int64_t skipped() const { return m_skipped; }
    std::int64_t steps() const; ///< attempted
    std::int64_t nonFiniteLosses() const { return m_nonFiniteLosses; }

    /// Recomputed from everything so far: not for every tick.
    RunSummary summary() const;

private:
    int m_run;
    Variant m_variant;
    LiveRunStatus m_status;
    std::map<std::string, TraceSeries, std::less<>> m_series;
    std::vector<LifecycleEvent> m_events;
    std::vector<double> m_trainSeconds; ///< running sum of step_ms
    std::vector<std::int64_t> m_blockStarts;
    std::int64_t m_skipped = 0;
    std::int64_t m_nonFiniteLosses = 0;
    double m_startUnix = 0;
};

/// The step under way at `timeS`: the first of `steps` that ends then or later, by their end times;
/// nothing after the last one.
std::optional<double> stepAtTime(
    std::span<const double> steps, std::span<const double> endTimes, double timeS);

/// Whether an event tells of something outside the run that slows it: heat, other programs.
bool isDisturbance(const LifecycleEvent& event);

} // namespace mantissa::ui
