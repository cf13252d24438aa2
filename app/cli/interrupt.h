// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <thread>

namespace mantissa::cli {

/// Counts Ctrl-C (SIGINT), SIGTERM and SIGHUP while it lives, instead of ending the program.
/// One at a time.
class InterruptCounter {
public:
    InterruptCounter();
    ~InterruptCounter();
    InterruptCounter(const InterruptCounter&) = delete;
    InterruptCounter& operator=(const InterruptCounter&) = delete;

    int count() const;
};

/// Turns the first of these signals into a stop of what blocks, while it lives. One at a time.
class StopOnInterrupt {
public:
    StopOnInterrupt();
    std::stop_token token() const { return m_stop.get_token(); }
    bool stopped() const { return m_stop.stop_requested(); }

private:
    const InterruptCounter m_counter;
    std::stop_source m_stop;
    std::jthread m_watch; ///< last: it uses the others
};

} // namespace mantissa::cli
