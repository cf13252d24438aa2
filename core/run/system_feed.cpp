// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/system_feed.h"

#include <utility>

namespace mantissa {

SystemFeed::SystemFeed(std::chrono::milliseconds interval, std::size_t runs)
    : m_interval(interval)
    , m_alerts(runs)
    , m_blockSince(runs)
{
    if (interval.count() > 0)
        m_thread = std::thread([this] { sampleUntilStopped(); });
}

SystemFeed::~SystemFeed()
{
    if (!m_thread.joinable())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_stopped = true;
    }
    m_stopping.notify_all();
    m_thread.join();
}

void SystemFeed::sampleUntilStopped()
{
    SystemMonitor monitor;
    auto next = Clock::now();
    std::unique_lock lock(m_mutex);
    while (!m_stopped) {
        const auto workers = m_workers;
        const auto gpus = m_gpus;
        lock.unlock();
        monitor.watch(workers);
        monitor.watchGpus(gpus);
        const auto now = Clock::now();
        auto reading =
            monitor.sample(std::chrono::duration<double>(now.time_since_epoch()).count());
        lock.lock();
        m_samples.push_back({now, std::move(reading)});
        // After a time in which the machine slept nothing is made up for.
        next = std::max(next + m_interval, now);
        m_stopping.wait_until(lock, next, [this] { return m_stopped; });
    }
}

void SystemFeed::pass(const std::deque<WorkerSession>& sessions, RunObserver& observer)
{
    if (!m_thread.joinable())
        return;
    std::vector<pid_t> workers;
    std::vector<std::string> gpus;
    for (const auto& session : sessions) {
        if (const auto pid = session.pid()) {
            workers.push_back(*pid);
            if (!session.gpu().empty())
                gpus.push_back(session.gpu());
        }
    }
    std::vector<Sampled> samples;
    {
        const std::lock_guard lock(m_mutex);
        samples.swap(m_samples);
        m_workers = std::move(workers);
        m_gpus = std::move(gpus);
    }
    for (std::size_t i = 0; i < sessions.size(); ++i) {
        auto& since = m_blockSince[i];
        // A pause is within a block.
        if (sessions[i].phase() != WorkerSession::Phase::InBlock
            || sessions[i].outcome().state != RunState::Running) {
            since.reset();
            continue;
        }
        if (!since)
            since = Clock::now();
        for (auto sampled : samples) {
            if (sampled.at < *since)
                continue;
            // The worker's load is that since the sample before, when it still waited for its turn.
            if (sampled.at < *since + m_interval)
                sampled.reading.processCpuPercent.clear();
            give(sampled, sessions[i], static_cast<int>(i), observer);
        }
    }
}

void SystemFeed::give(
    const Sampled& sampled, const WorkerSession& session, int run, RunObserver& observer)
{
    const auto pid = session.pid();
    if (!pid)
        return;
    const double timeS = session.secondsAt(sampled.at);
    auto points = systemPoints(sampled.reading, {*pid, session.gpu()}, timeS);
    if (!points.series.empty())
        observer.onEvent(run, std::move(points));
    for (auto& event :
        m_alerts[static_cast<std::size_t>(run)].look(sampled.reading, session.gpu(), timeS))
        observer.onEvent(run, std::move(event));
}

} // namespace mantissa
