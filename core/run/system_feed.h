// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/system_events.h"
#include "core/run/worker_session.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace mantissa {

/// Samples the machine from a thread of its own and gives the figures to the run that trains at
/// that moment, as if its worker had sent them. All calls on the controller's thread.
class SystemFeed {
public:
    /// An interval of 0 does nothing at all.
    SystemFeed(std::chrono::milliseconds interval, std::size_t runs);
    ~SystemFeed();
    SystemFeed(const SystemFeed&) = delete;
    SystemFeed& operator=(const SystemFeed&) = delete;

    /// Hands over what was sampled since the call before, and names the workers to watch. A run
    /// that is paused does not train.
    void pass(const std::deque<WorkerSession>& sessions, RunObserver& observer);

private:
    using Clock = std::chrono::steady_clock;
    struct Sampled {
        Clock::time_point at;
        SystemReading reading;
    };
    void sampleUntilStopped();
    void give(const Sampled& sampled, const WorkerSession& session, int run, RunObserver& observer);

    const std::chrono::milliseconds m_interval;
    std::vector<SystemAlerts> m_alerts; ///< one a run
    std::vector<std::optional<Clock::time_point>> m_blockSince; ///< one a run; none = has no block

    std::mutex m_mutex;
    std::condition_variable m_stopping;
    bool m_stopped = false; ///< guarded
    std::vector<pid_t> m_workers; ///< guarded
    std::vector<std::string> m_gpus; ///< guarded; which their runs use
    std::vector<Sampled> m_samples; ///< guarded
    std::thread m_thread;
};

} // namespace mantissa
