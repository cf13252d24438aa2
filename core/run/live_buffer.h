// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// Points of one series. For a step series x is the step.
struct SeriesSlice {
    std::size_t from = 0; ///< index of the first point
    std::vector<double> x;
    std::vector<double> y;
};

/// Where one run is, for the side panel.
struct LiveRunStatus {
    RunOutcome outcome;
    std::string acknowledged; ///< last command acknowledged and not yet in effect, e.g. "pause"
    std::string activity; ///< from the heartbeat
    std::int64_t step = 0; ///< last completed step
    std::int64_t totalSteps = 0; ///< 0 = not known yet
    double trainSeconds = 0;
    nlohmann::json environment; ///< Hello's merged with Ready's
};

/// What a running comparison has produced so far, in memory, for whoever polls (window, progress
/// bar). Written by the controller's thread, read by any thread; readers copy only what is new.
class LiveBuffer : public RunObserver {
public:
    explicit LiveBuffer(std::vector<PlannedRun> plan);
    ~LiveBuffer() override;

    void onEvent(int run, const RunEvent& event) override;
    void onState(int run, const RunOutcome& outcome) override;
    void onAllEnded() override;

    const std::vector<PlannedRun>& plan() const;
    /// Grows with every change: poll it before anything else.
    std::uint64_t revision() const;
    bool ended() const;

    LiveRunStatus status(int run) const;
    std::vector<std::string> seriesNames(int run) const;
    /// The points of `series` from index `from` on; empty if there are none.
    SeriesSlice read(int run, std::string_view series, std::size_t from = 0) const;
    /// Events from index `from` on, in order.
    std::vector<LifecycleEvent> events(int run, std::size_t from = 0) const;

private:
    struct Private;
    std::unique_ptr<Private> m_d;
};

} // namespace mantissa
