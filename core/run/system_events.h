// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/system_monitor.h"
#include "core/run/run_event.h"

#include <deque>
#include <sys/types.h>
#include <vector>

namespace mantissa {

/// Words of LifecycleEvent::kind that the system monitor adds, each where the state begins.
namespace event_kind {
/// data: device ("cpu", "gpu"), reason in words, evidence
inline constexpr std::string_view kThrottled = "throttled";
/// data: foreign_cpu_percent, host_cpu_percent (means), seconds, threshold_percent
inline constexpr std::string_view kForeignLoad = "foreign_load";
} // namespace event_kind

/// The figures of a reading as points of one run whose worker is `worker`. `timeS`: seconds since
/// the run's start. What is absent in the reading is absent in the points.
Points systemPoints(const SystemReading& reading, pid_t worker, double timeS);

/// Finds where throttling and foreign load begin while one run trains.
/// Foreign load: over 20 % of the usable cores in the mean of one second; it has ended under 10 %.
/// Throttling has ended after 5 s without.
class SystemAlerts {
public:
    /// `timeS` as above, not falling.
    std::vector<LifecycleEvent> look(const SystemReading& reading, double timeS);

private:
    struct Load {
        double timeS = 0;
        double foreign = 0;
        double host = 0;
    };
    void lookAtLoad(
        const SystemReading& reading, double timeS, std::vector<LifecycleEvent>& events);
    void lookAtHeat(
        const SystemReading& reading, double timeS, std::vector<LifecycleEvent>& events);

    std::deque<Load> m_loads; ///< of the last second
    bool m_loaded = false;
    std::optional<double> m_throttledAt; ///< last time that throttling was seen
};

} // namespace mantissa
