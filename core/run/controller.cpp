// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controller.h"

#include "core/run/alert_source.h"
#include "core/run/block_order.h"
#include "core/run/system_feed.h"
#include "core/run/worker_session.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <functional>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace mantissa {

namespace {

using Phase = WorkerSession::Phase;

/// Time-outs and exits are looked at this often; everything else wakes the thread at once.
constexpr int kTickMs = 50;
constexpr int kLeavingTickMs = 5; ///< a process that is about to end

/// Passes on to the observers and keeps the outcomes that other threads may read.
class Fanout : public RunObserver {
public:
    void onEvent(int run, const RunEvent& event) override
    {
        for (RunObserver* observer : m_observers)
            observer->onEvent(run, event);
    }
    void onState(int run, const RunOutcome& outcome) override
    {
        for (RunObserver* observer : m_observers)
            observer->onState(run, outcome);
    }
    void onAllEnded() override
    {
        for (RunObserver* observer : m_observers)
            observer->onAllEnded();
    }

    std::vector<RunObserver*> m_observers;
};

} // namespace

class ExperimentController::Private {
public:
    Private(std::vector<PlannedRun> plan, const RunConfig& schedule, ControllerOptions options);
    ~Private();

    void start();
    void request(std::function<void()> change);
    void stop(const std::string& reason);
    void pause(bool paused);

    const ControllerOptions m_options;
    std::vector<PlannedRun> m_plan; ///< unchanged from start() on
    Fanout m_fanout;
    AlertSource m_alerts; ///< between the sessions and m_fanout

    mutable std::mutex m_mutex;
    std::condition_variable m_endedCondition;
    bool m_ended = false; ///< guarded
    std::vector<RunOutcome> m_outcomes; ///< guarded
    std::vector<std::function<void()>> m_requests; ///< guarded

    std::deque<WorkerSession> m_sessions; ///< one a planned run; controller's thread

private:
    void run();
    void takeRequests();
    void schedule();
    void launchGroup();
    bool groupHas(Phase phase) const;
    WorkerSession* groupFind(Phase phase);
    void giveNextBlock();
    void waitForNews();
    void publish();
    bool allEnded() const;

    const std::int64_t m_blockSteps; ///< 0 = to the end
    const std::size_t m_groupSize; ///< runs whose workers live at the same time
    std::size_t m_groupBegin = 0;
    bool m_groupLaunched = false;
    BlockOrder m_order{0};
    bool m_paused = false;
    int m_stops = 0;
    int m_wake = -1; ///< eventfd
    std::thread m_thread;
};

ExperimentController::Private::Private(
    std::vector<PlannedRun> plan, const RunConfig& schedule, ControllerOptions options)
    : m_options(std::move(options))
    , m_plan(std::move(plan))
    , m_alerts(m_plan, m_fanout)
    , m_outcomes(m_plan.size())
    , m_blockSteps(schedule.block)
    , m_groupSize(schedule.schedule == RunSchedule::Interleaved ? runsOfFirstRepetition(m_plan) : 1)
    , m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    for (const auto& run : m_plan)
        m_sessions.emplace_back(run, m_options, m_alerts);
}

ExperimentController::Private::~Private()
{
    if (m_thread.joinable()) {
        request([this] {
            m_stops = std::max(m_stops, 1);
            stop("the program ended");
        });
        m_thread.join();
    }
    ::close(m_wake);
}

void ExperimentController::Private::start()
{
    if (m_thread.joinable())
        return;
    // Signals belong to the program's own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    m_thread = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ExperimentController::Private::request(std::function<void()> change)
{
    {
        const std::lock_guard lock(m_mutex);
        m_requests.push_back(std::move(change));
    }
    const std::uint64_t one = 1;
    if (::write(m_wake, &one, sizeof one) < 0) {
        // Full: a wake-up is waiting already.
    }
}

void ExperimentController::Private::run()
{
    SystemFeed system(m_options.monitorInterval, m_plan.size());
    while (!allEnded()) {
        takeRequests();
        schedule();
        waitForNews();
        for (auto& session : m_sessions)
            session.service();
        system.pass(m_sessions, m_alerts);
        publish();
    }
    m_alerts.onAllEnded();
    const std::lock_guard lock(m_mutex);
    m_ended = true;
    m_endedCondition.notify_all();
}

void ExperimentController::Private::takeRequests()
{
    std::vector<std::function<void()>> requests;
    {
        const std::lock_guard lock(m_mutex);
        requests.swap(m_requests);
    }
    for (const auto& change : requests)
        change();
}

void ExperimentController::Private::stop(const std::string& reason)
{
    ++m_stops;
    for (auto& session : m_sessions) {
        if (m_stops > 1)
            session.force(reason);
        else
            session.stop(reason);
    }
}

void ExperimentController::Private::pause(bool paused)
{
    m_paused = paused;
    for (auto& session : m_sessions) {
        if (paused)
            session.pause();
        else
            session.resume();
    }
}

/// Runs go in groups whose workers live at the same time. Within one, workers load one after the
/// other (each probes the formats' speed, which needs the machine for itself), and training begins
/// when all have loaded; then one at a time has a block.
void ExperimentController::Private::schedule()
{
    if (m_paused || m_stops > 0)
        return;
    if (!m_groupLaunched)
        launchGroup();
    if (groupHas(Phase::Loading) || groupHas(Phase::InBlock) || groupHas(Phase::Leaving))
        return;
    if (WorkerSession* greeted = groupFind(Phase::Greeted)) {
        greeted->begin();
        return;
    }
    if (!groupHas(Phase::Starting))
        giveNextBlock();
}

void ExperimentController::Private::launchGroup()
{
    const auto end = std::min(m_groupBegin + m_groupSize, m_sessions.size());
    for (auto i = m_groupBegin; i < end; ++i)
        m_sessions[i].launch();
    m_order = BlockOrder(static_cast<int>(end - m_groupBegin));
    m_groupLaunched = true;
}

bool ExperimentController::Private::groupHas(Phase phase) const
{
    const auto end = std::min(m_groupBegin + m_groupSize, m_sessions.size());
    for (auto i = m_groupBegin; i < end; ++i) {
        if (m_sessions[i].phase() == phase)
            return true;
    }
    return false;
}

WorkerSession* ExperimentController::Private::groupFind(Phase phase)
{
    const auto end = std::min(m_groupBegin + m_groupSize, m_sessions.size());
    for (auto i = m_groupBegin; i < end; ++i) {
        if (m_sessions[i].phase() == phase)
            return &m_sessions[i];
    }
    return nullptr;
}

void ExperimentController::Private::giveNextBlock()
{
    while (const auto member = m_order.next()) {
        auto& session = m_sessions[m_groupBegin + static_cast<std::size_t>(*member)];
        if (session.phase() == Phase::Idle) {
            session.giveBlock(m_groupSize > 1 ? m_blockSteps : 0);
            return;
        }
        m_order.drop(*member);
    }
    m_groupBegin += m_groupSize;
    m_groupLaunched = m_groupBegin >= m_sessions.size();
}

void ExperimentController::Private::waitForNews()
{
    std::vector<pollfd> fds{{m_wake, POLLIN, 0}};
    bool leaving = false;
    for (const auto& session : m_sessions) {
        session.appendPollFds(fds);
        leaving = leaving || session.phase() == Phase::Leaving;
    }
    if (allEnded() || (!m_groupLaunched && !m_paused && m_stops == 0))
        return;
    ::poll(fds.data(), fds.size(), leaving ? kLeavingTickMs : kTickMs);
    std::uint64_t count = 0;
    if (::read(m_wake, &count, sizeof count) < 0) {
        // Nobody called.
    }
}

void ExperimentController::Private::publish()
{
    const std::lock_guard lock(m_mutex);
    for (std::size_t i = 0; i < m_sessions.size(); ++i)
        m_outcomes[i] = m_sessions[i].outcome();
}

bool ExperimentController::Private::allEnded() const
{
    return std::all_of(m_sessions.begin(), m_sessions.end(),
        [](const auto& session) { return session.phase() == Phase::Ended; });
}

ExperimentController::ExperimentController(
    const ExperimentConfig& config, ControllerOptions options)
    : ExperimentController(planRuns(config), config.settings.run, std::move(options))
{
}

ExperimentController::ExperimentController(
    std::vector<PlannedRun> plan, const RunConfig& schedule, ControllerOptions options)
    : m_d(std::make_unique<Private>(std::move(plan), schedule, std::move(options)))
{
}

ExperimentController::~ExperimentController() = default;

const std::vector<PlannedRun>& ExperimentController::plan() const
{
    return m_d->m_plan;
}

void ExperimentController::addObserver(RunObserver& observer)
{
    m_d->m_fanout.m_observers.push_back(&observer);
}

void ExperimentController::setCheckpointFolder(int run, const std::filesystem::path& folder)
{
    const auto index = static_cast<std::size_t>(run);
    if (run >= 0 && index < m_d->m_plan.size())
        m_d->m_plan[index].checkpointFolder = folder;
}

void ExperimentController::start()
{
    m_d->start();
}

void ExperimentController::pause()
{
    m_d->request([d = m_d.get()] { d->pause(true); });
}

void ExperimentController::resume()
{
    m_d->request([d = m_d.get()] { d->pause(false); });
}

void ExperimentController::stop(const std::string& reason)
{
    m_d->request([d = m_d.get(), reason] { d->stop(reason); });
}

void ExperimentController::set(int run, const std::string& key, const nlohmann::json& value)
{
    set(run, std::vector<SettingChange>{{key, value}});
}

void ExperimentController::set(int run, std::vector<SettingChange> changes, std::int64_t request)
{
    const auto index = static_cast<std::size_t>(run);
    if (run < 0 || index >= m_d->m_sessions.size() || changes.empty())
        return;
    m_d->request([d = m_d.get(), index, command = SetCommand{std::move(changes), request}] {
        d->m_sessions[index].set(command);
    });
}

void ExperimentController::checkpoint(int run)
{
    const auto index = static_cast<std::size_t>(run);
    if (run < 0 || index >= m_d->m_sessions.size())
        return;
    m_d->request([d = m_d.get(), index] { d->m_sessions[index].checkpoint(); });
}

bool ExperimentController::ended() const
{
    const std::lock_guard lock(m_d->m_mutex);
    return m_d->m_ended;
}

bool ExperimentController::waitUntilEnded(std::chrono::milliseconds timeout)
{
    std::unique_lock lock(m_d->m_mutex);
    const auto hasEnded = [this] { return m_d->m_ended; };
    if (timeout == std::chrono::milliseconds::max()) {
        m_d->m_endedCondition.wait(lock, hasEnded);
        return true;
    }
    return m_d->m_endedCondition.wait_for(lock, timeout, hasEnded);
}

std::vector<RunOutcome> ExperimentController::outcomes() const
{
    const std::lock_guard lock(m_d->m_mutex);
    return m_d->m_outcomes;
}

} // namespace mantissa
