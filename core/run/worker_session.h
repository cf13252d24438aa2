// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"
#include "core/run/note_limiter.h"
#include "core/run/protocol.h"
#include "core/run/worker_process.h"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mantissa {

/// One run of the plan and its worker, as the host sees it: follows the protocol, counts what does
/// not belong to it, watches the clock, and ends in one clear state whatever the worker does.
/// It decides nothing about turns. All calls on the controller's thread; nothing waits.
class WorkerSession {
public:
    enum class Phase {
        NotStarted,
        Starting, ///< process started, no hello yet
        Greeted, ///< hello came; waits for begin()
        Loading, ///< start sent, no ready yet
        Idle, ///< ready; waits for a block
        InBlock,
        Leaving, ///< nothing more is asked of it; its process has not ended yet
        Ended,
    };

    /// `run`, `options` and `observer` must outlive this.
    WorkerSession(const PlannedRun& run, const ControllerOptions& options, RunObserver& observer);

    Phase phase() const { return m_phase; }
    const RunOutcome& outcome() const { return m_outcome; }
    /// Of its worker while that runs.
    std::optional<pid_t> pid() const;
    /// PCI bus id of the GPU that its worker uses, as `environment.gpu.pci_bus_id` of its `ready`
    /// says; empty on a CPU, and before.
    const std::string& gpu() const { return m_gpu; }
    /// A moment as seconds since the run's start, pauses and a resumed run's past included.
    double secondsAt(std::chrono::steady_clock::time_point moment) const;

    void launch();
    void begin();
    void giveBlock(std::int64_t steps); ///< 0 = to the end
    void pause();
    void resume();
    void stop(const std::string& reason);
    /// Stops at once: SIGTERM, then SIGKILL.
    void force(const std::string& reason);
    void set(const SetCommand& change);
    void checkpoint();

    void appendPollFds(std::vector<pollfd>& fds) const;
    /// Reads, writes, watches the time-outs and notices the end. At most 256 KiB a pipe, so that a
    /// worker that floods neither fills memory nor keeps the others waiting.
    void service();

private:
    using Clock = NoteLimiter::Clock;

    // What the worker sent (worker_session_events.cpp).
    void onBytes(std::string_view bytes);
    void onLine(const std::string& line);
    void accept(RunEvent& event, std::size_t bytes);
    std::optional<std::string> handle(const Hello& event);
    std::optional<std::string> handle(const Ready& event);
    std::optional<std::string> handle(const Samples& event);
    std::optional<std::string> handle(const Points& event);
    std::optional<std::string> handle(const LifecycleEvent& event);
    std::optional<std::string> handle(const Heartbeat& event);
    std::optional<std::string> handle(const Acknowledged& event);
    std::optional<std::string> handle(const BlockDone& event);
    std::optional<std::string> handle(const Finished& event);
    bool withinBudget(const RunEvent& event, std::size_t bytes);
    void badLine(const std::string& what);
    void onStderr(std::string_view bytes);
    void note(const std::string& message);
    void noteSuppressed();

    // Life and death (worker_session.cpp).
    void send(const Command& command);
    void refuseSet(const SetCommand& change);
    void setState(RunState state, std::string reason = {});
    void becomeIdle();
    void showPause(); ///< the state follows a pause that is in force
    void leave();
    void setVerdict(RunState state, const std::string& reason);
    void escalate();
    void readPipes();
    void watchPipes();
    void watchClock();
    void end(const ExitStatus& exit);
    std::pair<RunState, std::string> verdictFor(const ExitStatus& exit) const;
    std::string where() const;
    std::string withStderr(std::string reason) const;
    double secondsSinceStart() const;

    const PlannedRun& m_run;
    const ControllerOptions& m_options;
    RunObserver& m_observer;
    std::unique_ptr<WorkerProcess> m_process;
    Phase m_phase = Phase::NotStarted;
    Phase m_phaseBefore = Phase::NotStarted; ///< before Leaving
    RunOutcome m_outcome;

    LineSplitter m_lines;
    LineSplitter m_stderrLines{64 * 1024};
    std::size_t m_droppedSeen = 0;
    std::size_t m_badLines = 0;
    std::size_t m_otherBytes = 0; ///< of lines that are not samples
    bool m_budgetNoted = false;
    bool m_mute = false; ///< what still comes is thrown away
    NoteLimiter m_badNotes{5, std::chrono::seconds(1)};
    NoteLimiter m_stderrNotes{50, std::chrono::milliseconds(200)};
    std::deque<std::string> m_lastStderr;

    std::optional<Finished> m_finished;
    std::optional<std::pair<RunState, std::string>> m_verdict; ///< the host's own, beats Finished
    std::optional<std::string> m_stopReason;
    bool m_forced = false;
    bool m_paused = false; ///< the host wants a pause
    bool m_pauseSent = false;
    std::vector<SetCommand> m_waitingChanges; ///< given before the worker was ready

    std::string m_gpu;
    std::int64_t m_totalSteps = 0;
    std::int64_t m_grantedTo = 0; ///< last step it may train
    Heartbeat m_lastHeartbeat;

    Clock::time_point m_launched{};
    double m_timeBefore = 0; ///< s, of a resumed run up to its checkpoint
    Clock::time_point m_begun{}; ///< start was sent: the run's time 0
    Clock::time_point m_lastSign{};
    Clock::time_point m_leavingSince{};
    Clock::time_point m_heartbeatShown{};
    std::optional<Clock::time_point> m_endExpectedSince; ///< the last block ended short
    std::optional<Clock::time_point> m_termSent;
    std::optional<Clock::time_point> m_killSent;
};

} // namespace mantissa
