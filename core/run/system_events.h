// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/system_monitor.h"
#include "core/run/run_event.h"

#include <deque>
#include <map>
#include <string>
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

/// The worker of a run and what it uses.
struct RunPlace {
    pid_t worker = 0;
    std::string gpu; ///< its PCI bus id; empty for a run on the CPU
};

/// The figures of a reading as points of one run. `timeS`: seconds since the run's start. What is
/// absent in the reading is absent in the points; figures of GPUs that others use are left out.
Points systemPoints(const SystemReading& reading, const RunPlace& place, double timeS);

/// Finds where throttling and foreign load begin while one run trains.
/// Foreign load: over kForeignLoadLimit in the mean of two seconds; it has ended under half of
/// that. Throttling has ended after 5 s without; of a GPU that is so for each of its reasons.
class SystemAlerts {
public:
    /// `gpu` and `timeS` as above, time not falling.
    std::vector<LifecycleEvent> look(
        const SystemReading& reading, const std::string& gpu, double timeS);

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
    void lookAtGpu(const GpuReading& reading, double timeS, std::vector<LifecycleEvent>& events);

    std::deque<Load> m_loads; ///< of the last two seconds
    bool m_loaded = false;
    std::optional<double> m_throttledAt; ///< last time that throttling was seen
    std::map<std::uint64_t, double> m_gpuThrottledAt; ///< the same for each reason in force
};

} // namespace mantissa
