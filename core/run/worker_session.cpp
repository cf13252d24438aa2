// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/worker_session.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <limits>
#include <poll.h>

namespace mantissa {

namespace {

using namespace std::chrono_literals;

/// A killed process that is still there after this is held by the kernel; the run goes on without.
constexpr auto kKillPatience = 10s;
/// A block that ended short announces the run's end; without it the worker gets a further block.
constexpr auto kEndPatience = 2s;
constexpr std::size_t kStderrInReason = 3;

std::string seconds(std::chrono::milliseconds time)
{
    return toText(static_cast<double>(time.count()) / 1000) + " s";
}

} // namespace

WorkerSession::WorkerSession(
    const PlannedRun& run, const ControllerOptions& options, RunObserver& observer)
    : m_run(run)
    , m_options(options)
    , m_observer(observer)
{
    if (!run.resume)
        return;
    m_outcome.stepsAttempted = run.resume->step;
    m_outcome.stepsApplied = run.resume->stepsApplied;
    m_outcome.stepsSkipped = run.resume->stepsSkipped;
}

void WorkerSession::launch()
{
    auto process =
        WorkerProcess::start({m_options.worker, m_options.workerArguments, m_options.torchFolder});
    if (!process) {
        m_phase = Phase::Ended;
        setState(RunState::Failed, process.error().message);
        return;
    }
    m_process = std::move(*process);
    m_launched = m_lastSign = Clock::now();
    m_phase = Phase::Starting;
    setState(RunState::Running);
}

void WorkerSession::begin()
{
    m_phase = Phase::Loading;
    m_begun = Clock::now();
    StartCommand start{m_run.variant, {}, m_run.checkpointFolder.string()};
    if (m_run.resume) {
        start.resumeFrom = m_run.resume->file.string();
        m_timeBefore = m_run.resume->timeS;
    }
    send(start);
}

void WorkerSession::giveBlock(std::int64_t steps)
{
    const auto last = m_outcome.stepsAttempted;
    m_grantedTo = steps == 0 ? std::numeric_limits<std::int64_t>::max() : last + steps;
    m_phase = Phase::InBlock;
    LifecycleEvent started;
    started.kind = event_kind::kBlockStarted;
    started.step = last + 1;
    started.timeS = secondsSinceStart();
    m_observer.onEvent(m_run.index, started);
    send(RunBlockCommand{steps});
}

void WorkerSession::pause()
{
    m_paused = true;
    if (m_phase == Phase::InBlock && !m_pauseSent) {
        m_pauseSent = true;
        send(PauseCommand{});
    }
    if (m_phase == Phase::Starting || m_phase == Phase::Greeted)
        setState(RunState::Paused);
    else
        showPause();
}

void WorkerSession::resume()
{
    m_paused = false;
    if (m_pauseSent)
        send(ResumeCommand{});
    m_pauseSent = false;
    // A worker in a block says itself when it goes on.
    if (m_outcome.state == RunState::Paused && m_phase != Phase::InBlock)
        setState(RunState::Running);
}

void WorkerSession::stop(const std::string& reason)
{
    if (m_phase == Phase::NotStarted) {
        m_phase = Phase::Ended;
        setState(RunState::Stopped, reason);
    } else if (m_phase != Phase::Leaving && m_phase != Phase::Ended && !m_stopReason) {
        m_stopReason = reason;
        send(StopCommand{reason});
    }
}

void WorkerSession::force(const std::string& reason)
{
    stop(reason);
    if (m_phase == Phase::Ended)
        return;
    m_forced = true;
    escalate();
}

void WorkerSession::set(const SetCommand& change)
{
    if (m_phase == Phase::Idle || m_phase == Phase::InBlock)
        send(change);
    else if (m_phase < Phase::Idle)
        m_waitingChanges.push_back(change);
    else if (m_phase == Phase::Leaving)
        refuseSet(change);
}

void WorkerSession::refuseSet(const SetCommand& change)
{
    const auto& key = change.changes.front().key;
    const std::string reason = "the run is ending";
    LifecycleEvent refused;
    refused.kind = event_kind::kSettingRefused;
    refused.timeS = secondsSinceStart();
    refused.message = fmt::format("{} was not changed: {}.", key, reason);
    refused.data = {{"key", key}, {"reason", reason}};
    if (change.request != 0)
        refused.data["request"] = change.request;
    m_observer.onEvent(m_run.index, refused);
}

void WorkerSession::checkpoint()
{
    if (m_phase == Phase::Idle || m_phase == Phase::InBlock)
        send(CheckpointCommand{});
}

void WorkerSession::appendPollFds(std::vector<pollfd>& fds) const
{
    if (m_process && m_phase != Phase::Ended)
        m_process->appendPollFds(fds);
}

void WorkerSession::service()
{
    if (!m_process || m_phase == Phase::Ended)
        return;
    // Before reading: what an ended worker wrote is then all in the pipes.
    const auto exit = m_process->reap();
    readPipes();
    if (exit) {
        end(*exit);
        return;
    }
    m_process->writePending();
    watchPipes();
    watchClock();
}

void WorkerSession::readPipes()
{
    // One helping a pipe while it lives; what is left in the pipes once it has ended.
    const int helpings = m_process->reap() ? 256 : 1;
    for (int i = 0; i < helpings; ++i) {
        const auto bytes = m_process->read(WorkerProcess::Channel::Output);
        if (bytes.empty())
            break;
        onBytes(bytes);
    }
    for (int i = 0; i < helpings; ++i) {
        const auto bytes = m_process->read(WorkerProcess::Channel::Errors);
        if (bytes.empty())
            break;
        onStderr(bytes);
    }
}

/// A worker that closed a pipe has mostly just died: it gets exitTimeout to be found dead.
void WorkerSession::watchPipes()
{
    const bool broken =
        m_process->inputBroken() || !m_process->isOpen(WorkerProcess::Channel::Output);
    if (broken && m_phase != Phase::Leaving)
        leave();
}

void WorkerSession::watchClock()
{
    const auto now = Clock::now();
    if (m_killSent) {
        if (now - *m_killSent > kKillPatience)
            end({0, SIGKILL});
    } else if (m_termSent) {
        if (now - *m_termSent > m_options.termGrace) {
            m_killSent = now;
            m_process->signal(SIGKILL);
        }
    } else if (m_phase == Phase::Leaving) {
        if (now - m_leavingSince <= m_options.exitTimeout)
            return;
        const auto waited = seconds(m_options.exitTimeout);
        if (m_finished)
            note(fmt::format("the worker had finished but did not exit within {}", waited));
        else
            setVerdict(RunState::Failed,
                fmt::format("the worker closed its {}{} and did not exit within {}",
                    m_process->inputBroken() ? "input" : "output", where(), waited));
        escalate();
    } else if (m_phase == Phase::Starting) {
        if (now - m_launched <= m_options.helloTimeout)
            return;
        setVerdict(RunState::Killed,
            fmt::format("the worker did not say hello within {}", seconds(m_options.helloTimeout)));
        escalate();
    } else if (now - m_lastSign > m_options.heartbeatTimeout) {
        setVerdict(RunState::Killed,
            fmt::format("no sign of life from the worker for {}{}",
                seconds(m_options.heartbeatTimeout), where()));
        escalate();
    } else if (m_endExpectedSince && now - *m_endExpectedSince > kEndPatience) {
        becomeIdle();
    }
}

void WorkerSession::send(const Command& command)
{
    if (m_process)
        m_process->send(encodeCommand(command));
}

void WorkerSession::setState(RunState state, std::string reason)
{
    if (m_outcome.state == state)
        return;
    m_outcome.state = state;
    m_outcome.reason = std::move(reason);
    m_observer.onState(m_run.index, m_outcome);
}

void WorkerSession::showPause()
{
    if (m_paused && m_phase == Phase::Idle)
        setState(RunState::Paused);
}

void WorkerSession::leave()
{
    if (m_phase == Phase::Leaving)
        return;
    m_phaseBefore = m_phase;
    m_phase = Phase::Leaving;
    m_leavingSince = Clock::now();
    m_process->closeInput();
}

void WorkerSession::setVerdict(RunState state, const std::string& reason)
{
    if (!m_finished && !m_verdict)
        m_verdict.emplace(state, reason);
}

void WorkerSession::escalate()
{
    if (m_termSent)
        return;
    // Before its input closes, which would make it end as if by itself.
    m_process->signal(SIGTERM);
    m_termSent = Clock::now();
    leave();
}

void WorkerSession::end(const ExitStatus& exit)
{
    leave();
    if (!m_mute && !m_lines.rest().empty())
        note(fmt::format(
            "the worker's last line was cut off after {} bytes", m_lines.rest().size()));
    if (m_finished && (exit.signal != 0 || exit.code != 0))
        note(fmt::format("after it had finished, the worker's process was {}", exit.words()));
    if (!m_stderrLines.rest().empty())
        onStderr("\n");
    noteSuppressed();
    auto [state, reason] = verdictFor(exit);
    m_phase = Phase::Ended;
    m_process.reset();
    setState(state, std::move(reason));
}

std::pair<RunState, std::string> WorkerSession::verdictFor(const ExitStatus& exit) const
{
    if (m_verdict)
        return {m_verdict->first, withStderr(m_verdict->second)};
    if (m_finished)
        return {m_finished->state, m_finished->reason};
    if (m_forced)
        return {RunState::Killed,
            fmt::format("{}: stopped at once{}; the worker {}", m_stopReason.value_or("user"),
                where(), exit.signal != 0 ? "was " + exit.words() : exit.words())};
    if (exit.signal != 0)
        return {RunState::Killed,
            withStderr(fmt::format("the worker was {}{}", exit.words(), where()))};
    return {RunState::Failed,
        withStderr(fmt::format("the worker {}{}, before it had finished", exit.words(), where()))};
}

/// Where in its life the worker is (or was before it left), to be put behind what happened.
std::string WorkerSession::where() const
{
    if (m_stopReason)
        return " while stopping";
    switch (m_phase == Phase::Leaving ? m_phaseBefore : m_phase) {
    case Phase::Starting:
        return " before its hello";
    case Phase::Greeted:
        return " before its start";
    case Phase::Loading:
        return " while loading";
    case Phase::Idle:
        return m_paused ? " while paused" : " between blocks";
    case Phase::InBlock:
        return fmt::format("{} after step {}",
            m_outcome.state == RunState::Paused ? " while paused" : " in a block",
            m_outcome.stepsAttempted);
    default:
        return "";
    }
}

std::string WorkerSession::withStderr(std::string reason) const
{
    if (m_lastStderr.empty())
        return reason;
    reason += "; last on stderr: ";
    const auto count = std::min(kStderrInReason, m_lastStderr.size());
    for (auto i = m_lastStderr.size() - count; i < m_lastStderr.size(); ++i)
        reason += m_lastStderr[i] + (i + 1 < m_lastStderr.size() ? " / " : "");
    return reason + missingTorchHint(reason);
}

double WorkerSession::secondsSinceStart() const
{
    return secondsAt(Clock::now());
}

double WorkerSession::secondsAt(Clock::time_point moment) const
{
    if (m_begun == Clock::time_point{})
        return 0;
    return m_timeBefore + std::chrono::duration<double>(moment - m_begun).count();
}

std::optional<pid_t> WorkerSession::pid() const
{
    return m_process ? std::optional(m_process->pid()) : std::nullopt;
}

} // namespace mantissa
