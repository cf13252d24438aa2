// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/run_event.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace mantissa {

/// Writes events to a pipe in the order of send(), encoded and written on a thread of its own so
/// that training never waits for JSON. Any thread may send; nothing follows Finished.
class EventSender {
public:
    explicit EventSender(int fileDescriptor);
    /// Writes what is queued, then joins; ends the process if the host has not read it within 5 s.
    ~EventSender();
    EventSender(const EventSender&) = delete;
    EventSender& operator=(const EventSender&) = delete;

    /// Waits while the host is more than kMostQueued events behind.
    void send(RunEvent event);
    /// Never waits: for threads that must stay responsive.
    void sendAtOnce(RunEvent event);

    /// The host closed its end: everything further is dropped.
    bool isBroken() const { return m_broken; }

private:
    static constexpr std::size_t kMostQueued = 4096;

    void push(RunEvent event, bool mayWait);
    void run();
    bool writeAll(const std::string& bytes);

    const int m_fileDescriptor;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<RunEvent> m_queue;
    bool m_closing = false;
    bool m_done = false; ///< the thread has written everything
    bool m_finished = false; ///< Finished was sent: later heartbeats and the like are dropped
    std::atomic<bool> m_broken{false};
    std::thread m_thread; ///< last: it uses the others
};

} // namespace mantissa
