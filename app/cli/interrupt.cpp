// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>

namespace mantissa::cli {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
std::atomic<int> g_count{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");
std::array<struct sigaction, kSignals.size()> g_previous;

void countSignal(int)
{
    g_count.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

InterruptCounter::InterruptCounter()
{
    g_count = 0;
    struct sigaction action { };
    action.sa_handler = countSignal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        sigaction(kSignals[i], &action, &g_previous[i]);
}

InterruptCounter::~InterruptCounter()
{
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        sigaction(kSignals[i], &g_previous[i], nullptr);
}

int InterruptCounter::count() const
{
    return g_count.load(std::memory_order_relaxed);
}

StopOnInterrupt::StopOnInterrupt()
    : m_watch([this](const std::stop_token& done) {
        while (!done.stop_requested() && m_counter.count() == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (m_counter.count() > 0)
            m_stop.request_stop();
    })
{
}

} // namespace mantissa::cli
