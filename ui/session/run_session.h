// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/control_server.h"
#include "core/run/live_buffer.h"
#include "core/storage/resume_plan.h"
#include "core/storage/run_store.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>

namespace mantissa::ui {

enum class SessionState {
    Running,
    Pausing, ///< asked to; at the end of the step
    Paused,
    Stopping, ///< asked to; at the end of the step
    Ended
};

/// One comparison on its way: the controller, the live buffer it fills and the writer that stores
/// it. Lives in the GUI thread and polls; it ends only when told to or when all runs have ended.
class RunSession : public QObject {
    Q_OBJECT
public:
    /// Starts at once. A store that cannot be written does not stop a run: see storeError().
    RunSession(const ExperimentConfig& config, ControllerOptions options,
        const std::filesystem::path& storeFile, QObject* parent = nullptr);
    /// Goes on with the stored run `run` as `plan` says; fails where another program has the run
    /// or the store cannot be written.
    static Result<std::unique_ptr<RunSession>> resumeRun(const ResumePlan& plan, std::int64_t run,
        ControllerOptions options, const std::filesystem::path& storeFile);
    /// A new run that begins at another one's checkpoint.
    static Result<std::unique_ptr<RunSession>> beginFrom(
        const ResumePlan& plan, ControllerOptions options, const std::filesystem::path& storeFile);
    /// Stops what is still running, at once, and waits for it.
    ~RunSession() override;

    const ExperimentConfig& config() const { return m_config; }
    const LiveBuffer& buffer() const { return *m_buffer; }
    const std::vector<PlannedRun>& plan() const { return m_buffer->plan(); }
    SessionState state() const { return m_state; }
    bool ended() const { return m_state == SessionState::Ended; }

    void pause();
    void resume();
    /// Ends every run after its step; called again it ends the processes.
    void stop();

    /// Asks a run (index in the plan) to change its scaler at its next update; see
    /// ExperimentController::set(). The events that answer repeat the number given back.
    std::int64_t setScaler(int run, std::vector<SettingChange> changes);

    /// What was asked for and is not yet done, e.g. "pausing after this step"; else empty.
    QString acknowledgement() const;
    /// The run that has the block, or the last one that had; -1 before the first.
    int activeRun() const { return m_activeRun; }
    double elapsedSeconds() const; ///< since the start, pauses included
    /// Estimated from the steps so far; negative = not known yet.
    double secondsLeft() const;
    std::int64_t stepsDone() const;
    std::int64_t stepsPlanned() const; ///< 0 while a run has not told yet

    std::int64_t comparisonId() const; ///< 0 if nothing is stored
    std::int64_t runId(int run) const; ///< 0 if nothing is stored
    /// Empty if everything so far is stored.
    QString storeError() const;
    std::size_t lostPoints() const;
    /// Waits until what has come in so far is stored.
    void flush();

    /// Polls every 33 ms instead of every 100 ms, while a plot is dragged.
    void setFast(bool fast);

Q_SIGNALS:
    /// There is news in the buffer; at most one a tick.
    void updated();
    void stateChanged();

private:
    using Writer = Result<std::unique_ptr<StoreWriter>>;
    RunSession(const ExperimentConfig& config, std::unique_ptr<ExperimentController> controller,
        Writer writer, const std::filesystem::path& storeFile, QObject* parent);
    static Result<std::unique_ptr<RunSession>> make(const ResumePlan& plan,
        ControllerOptions options, Writer writer, const std::filesystem::path& storeFile);
    void listenForOthers(const std::filesystem::path& storeFile);
    void poll();
    bool tellNews(); ///< false if there was none
    SessionState stateFromRuns() const;
    void setState(SessionState state);

    ExperimentConfig m_config;
    std::unique_ptr<LiveBuffer> m_buffer;
    std::unique_ptr<StoreWriter> m_writer; ///< none if the store could not be opened
    std::unique_ptr<ControlServer> m_control; ///< none if no socket could be made
    std::unique_ptr<ExperimentController> m_controller; ///< goes first: it calls the others
    QString m_openError;
    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_endedMs = 0;
    std::uint64_t m_revision = 0;
    int m_activeRun = -1;
    bool m_pauseWanted = false;
    int m_stops = 0;
    std::int64_t m_lastRequest;
    SessionState m_state = SessionState::Running;
};

} // namespace mantissa::ui
