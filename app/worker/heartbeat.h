// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace mantissa {

class EventSender;

enum class Activity { Loading, Idle, Training, Validating, Paused };

/// Sends a heartbeat a second, also in a long step, and with it the process's resident size.
class Heart {
public:
    explicit Heart(EventSender& sender);
    ~Heart();
    Heart(const Heart&) = delete;
    Heart& operator=(const Heart&) = delete;

    void setActivity(Activity activity) { m_activity = activity; }
    void setStep(std::int64_t step) { m_step.store(step, std::memory_order_relaxed); }
    /// From now on rss_bytes is sent, its time counted from `start`.
    void beginRun(std::chrono::steady_clock::time_point start);

private:
    void run();
    void beat(double runSeconds);

    EventSender& m_sender;
    std::atomic<Activity> m_activity{Activity::Idle};
    std::atomic<std::int64_t> m_step{0};
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_ending = false;
    bool m_running = false;
    std::chrono::steady_clock::time_point m_start;
    std::thread m_thread; ///< last: it uses the others
};

} // namespace mantissa
