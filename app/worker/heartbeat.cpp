// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/heartbeat.h"

#include "app/worker/event_sender.h"
#include "core/run/series_info.h"

#include <fstream>
#include <unistd.h>

namespace mantissa {

namespace {

const char* wordOf(Activity activity)
{
    switch (activity) {
    case Activity::Loading:
        return "loading";
    case Activity::Training:
        return "training";
    case Activity::Validating:
        return "validating";
    case Activity::Paused:
        return "paused";
    case Activity::Idle:
        break;
    }
    return "idle";
}

double residentBytes()
{
    std::ifstream file("/proc/self/statm");
    double total = 0;
    double resident = 0;
    file >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

} // namespace

Heart::Heart(EventSender& sender)
    : m_sender(sender)
    , m_thread([this] { run(); })
{
}

Heart::~Heart()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void Heart::beginRun(std::chrono::steady_clock::time_point start)
{
    const std::lock_guard lock(m_mutex);
    m_start = start;
    m_running = true;
}

void Heart::run()
{
    using Clock = std::chrono::steady_clock;
    std::unique_lock lock(m_mutex);
    while (!m_wake.wait_for(lock, std::chrono::seconds(1), [this] { return m_ending; })) {
        const double runSeconds =
            m_running ? std::chrono::duration<double>(Clock::now() - m_start).count() : -1;
        lock.unlock();
        beat(runSeconds);
        lock.lock();
    }
}

void Heart::beat(double runSeconds)
{
    m_sender.sendAtOnce(Heartbeat{m_step.load(std::memory_order_relaxed), wordOf(m_activity)});
    if (runSeconds >= 0)
        m_sender.sendAtOnce(Points{
            Axis::Time, {runSeconds}, {{std::string(series::kRssBytes), {residentBytes()}}}});
}

} // namespace mantissa
