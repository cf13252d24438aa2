// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/protocol.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace mantissa::test {

/// The fake worker's side of the protocol: a thread that reads commands and acknowledges them, one
/// that sends heartbeats, and a lock around stdout.
class FakeHostLink {
public:
    void startReading();
    void startHeartbeats(std::int64_t everyMs);
    /// No more heartbeats, no more attention to stdin.
    void goSilent() { m_silent = true; }
    void ignoreEndOfInput() { m_ignoreEnd = true; }

    void send(const RunEvent& event) { sendLine(encodeEvent(event)); }
    void sendLine(const std::string& line);

    void setActivity(const std::string& activity, std::int64_t step);

    StartCommand waitForStart();
    /// The next block; nothing if a stop came first.
    std::optional<RunBlockCommand> waitForBlock();
    bool pauseWanted() const;
    void waitWhilePaused();
    std::optional<std::string> stopWanted() const;

private:
    void take(const Command& command);

    std::atomic<bool> m_silent = false;
    std::atomic<bool> m_ignoreEnd = false;
    std::mutex m_outputMutex;
    mutable std::mutex m_mutex;
    std::condition_variable m_news;
    Heartbeat m_heartbeat; ///< all below guarded by m_mutex
    std::optional<StartCommand> m_start;
    std::optional<RunBlockCommand> m_block;
    std::optional<std::string> m_stop;
    bool m_paused = false;
};

} // namespace mantissa::test
