// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/paths.h"
#include "core/base/result.h"
#include "core/run/run_event.h"
#include "core/run/run_plan.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace mantissa {

/// How a run ended, or where it is.
struct RunOutcome {
    RunState state = RunState::Queued;
    std::string reason; ///< in words; empty for Finished
    std::int64_t stepsAttempted = 0;
    std::int64_t stepsApplied = 0;
    std::int64_t stepsSkipped = 0;
};

/// Receives everything that happens, in order. Called on the controller's thread: return quickly,
/// and never call the controller's waiting functions from here.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    /// Every event of a worker, and host notes as LifecycleEvent{kHostNote}.
    virtual void onEvent(int run, const RunEvent& event) = 0;
    /// After the last event that belongs to the old state.
    virtual void onState(int run, const RunOutcome& outcome) = 0;
    /// Exactly once, after every run has ended.
    virtual void onAllEnded() { }
};

/// What the programs sample with.
inline constexpr std::chrono::milliseconds kMonitorInterval{200};

struct ControllerOptions {
    std::filesystem::path worker; ///< program, see findWorker()
    std::vector<std::string> workerArguments;
    std::filesystem::path torchFolder = mantissa::torchFolder(); ///< empty = the worker's own
    std::chrono::milliseconds helloTimeout{60'000};
    std::chrono::milliseconds heartbeatTimeout{15'000}; ///< no line for so long: escalate
    std::chrono::milliseconds termGrace{5'000}; ///< SIGTERM to SIGKILL
    std::chrono::milliseconds exitTimeout{10'000}; ///< from Finished or closed pipe to exit
    /// How often the machine's load is sampled for the run that trains; 0 = never.
    std::chrono::milliseconds monitorInterval{0};
    std::size_t maxEventBytes =
        256u * 1024 * 1024; ///< of events and points of a run; more is dropped
    std::size_t maxBadLines = 1000; ///< lines that are not the protocol before a run has failed
};

/// Runs a comparison: one worker process per run; in a repetition the variants' runs go
/// one after the other (sequential) or in blocks forward then reversed (interleaved, ABBA),
/// one worker training while the others wait. A run that fails leaves the others going.
///
/// Commands may be given from any thread, return at once and take effect at the step's end.
///
///     ExperimentController controller(config, options);
///     controller.addObserver(storeWriter);
///     controller.start();
///     controller.waitUntilEnded();
class ExperimentController {
public:
    ExperimentController(const ExperimentConfig& config, ControllerOptions options);
    /// A plan of the caller's own, e.g. a run that is resumed (resume_plan.h); `schedule` tells how
    /// its runs take turns. All runs of a repetition are of one group.
    ExperimentController(
        std::vector<PlannedRun> plan, const RunConfig& schedule, ControllerOptions options);
    /// Stops at once (as a second stop) and joins.
    ~ExperimentController();
    ExperimentController(const ExperimentController&) = delete;
    ExperimentController& operator=(const ExperimentController&) = delete;

    const std::vector<PlannedRun>& plan() const;

    /// Before start(). The observer must outlive the controller.
    void addObserver(RunObserver& observer);
    /// Before start(): where the run's worker puts checkpoints and weights, e.g.
    /// StoreWriter::checkpointFolder().
    void setCheckpointFolder(int run, const std::filesystem::path& folder);

    void start();
    void pause();
    void resume();
    /// First call: every run ends as Stopped after its current step. Second call: SIGTERM, then
    /// SIGKILL after termGrace.
    void stop(const std::string& reason = "user");
    /// Changes one live scaler setting of a run (index in the plan) at its next update; keys and
    /// values: SettingChange. The answer is the event setting_changed or setting_refused. Undo =
    /// a set back to the event's "old". A run that has ended does not answer.
    void set(int run, const std::string& key, const nlohmann::json& value);
    /// Several at once: all or none. The answers' data repeat a `request` that is not 0.
    void set(int run, std::vector<SettingChange> changes, std::int64_t request = 0);
    /// Has a run that is training write a checkpoint at the end of its step.
    void checkpoint(int run);

    bool ended() const;
    /// False if `timeout` passed first.
    bool waitUntilEnded(std::chrono::milliseconds timeout = std::chrono::milliseconds::max());
    std::vector<RunOutcome> outcomes() const;

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace mantissa
