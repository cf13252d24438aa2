// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/run_event.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>

namespace mantissa {

/// A line that was no valid command, with the reason.
struct BadCommand {
    std::string message;
};

using Incoming = std::variant<Command, BadCommand>;

/// Reads commands from a pipe on a thread of its own, acknowledges them at once and keeps them
/// until the training thread takes them, at a step's end.
class CommandInbox {
public:
    using Acknowledge = std::function<void(const std::string& command)>;

    /// `acknowledge` is called on the reading thread.
    CommandInbox(int fileDescriptor, Acknowledge acknowledge);
    ~CommandInbox();
    CommandInbox(const CommandInbox&) = delete;
    CommandInbox& operator=(const CommandInbox&) = delete;

    /// Whether there is anything to take, or the pipe was closed. Costs one atomic read.
    bool hasNews() const { return m_news.load(std::memory_order_acquire); }
    /// Whether the pipe was closed or a stop waits to be taken.
    bool mustEnd() const { return m_mustEnd.load(std::memory_order_acquire); }

    /// Whether the pipe was closed and every command has been taken.
    bool isExhausted();

    std::optional<Incoming> tryTake();
    /// Waits for a command; nothing once the pipe is closed and all commands are taken.
    std::optional<Incoming> take();

    /// The training thread has ended: the reader need not force the process to end.
    void release();

private:
    void run();
    void handleLine(const std::string& line);
    void push(Incoming incoming);
    void close();
    std::optional<Incoming> takeLocked();

    const int m_fileDescriptor;
    const Acknowledge m_acknowledge;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Incoming> m_queue;
    bool m_closed = false;
    bool m_released = false;
    std::atomic<bool> m_news{false};
    std::atomic<bool> m_mustEnd{false};
    int m_wakePipe[2] = {-1, -1}; ///< ends the reader's wait when the process ends by itself
    std::thread m_thread; ///< last: it uses the others
};

} // namespace mantissa
