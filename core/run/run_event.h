// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/numerics/scaler_setting.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What a worker tells its host, and what a host tells a worker, as plain values.
/// The wire form is in protocol.h; both are described in resources/docs/protocol.md.
namespace mantissa {

inline constexpr int kProtocolVersion = 1;

/// The states of a run, one enum everywhere. Stored by name: never rename one.
enum class RunState {
    Queued,
    Running,
    Paused,
    Finished,
    Stopped,
    Failed,
    Killed,
    Refused,
    Interrupted
};

std::string_view toString(RunState state);
std::optional<RunState> runStateFromString(std::string_view text);
/// Finished, Stopped, Failed, Killed, Refused, Interrupted.
bool isEnd(RunState state);

enum class Axis { Step, Time };

/// Values of one metric. Names and units: series_info.h.
struct SeriesValues {
    std::string name;
    std::vector<double> values; ///< NaN and infinities are data

    bool operator==(const SeriesValues&) const = default;
};

/// First line of a worker.
struct Hello {
    int protocol = kProtocolVersion;
    std::string worker; ///< program name, e.g. "mantissa-worker"
    std::string version;
    std::int64_t pid = 0;
    int rank = 0;
    int worldSize = 1;
    nlohmann::json environment; ///< object: torch version, CPU, devices, plug-in state

    bool operator==(const Hello&) const = default;
};

/// The worker took `start`: data loaded, model built, formats probed. It waits for run_block.
struct Ready {
    nlohmann::json
        environment; ///< object: every setting in force (DESIGN: nothing is silently rewritten)
    std::int64_t totalSteps = 0; ///< steps this run will attempt if nothing stops it

    bool operator==(const Ready&) const = default;
};

/// What exists at every step: `count` consecutive steps from `firstStep` (1-based).
struct Samples {
    std::int64_t firstStep = 0;
    std::int64_t count = 0;
    std::vector<SeriesValues> series; ///< each of `count` values

    bool operator==(const Samples&) const = default;
};

/// What does not exist at every step: validation, probes, system figures.
struct Points {
    Axis axis = Axis::Step;
    std::vector<double> x; ///< steps, or seconds since the run's start
    std::vector<SeriesValues> series; ///< each of x.size() values

    bool operator==(const Points&) const = default;
};

/// Something that happened. `kind` is one of the words in `event_kind`; unknown ones are kept.
struct LifecycleEvent {
    std::string kind;
    std::optional<std::int64_t> step;
    double timeS = 0; ///< seconds since the run's start
    std::string message; ///< a sentence for a person; may be empty
    nlohmann::json data = nlohmann::json::object();

    // A key of `data`, in which a worker of somebody else's may have sent anything.
    nlohmann::json value(std::string_view key) const; ///< null if it is not there
    std::string text(std::string_view key, const std::string& otherwise = {}) const;
    std::optional<double> number(std::string_view key) const; ///< "NaN" and the like too

    bool operator==(const LifecycleEvent&) const = default;
};

/// Words of LifecycleEvent::kind.
namespace event_kind {
inline constexpr std::string_view kBlockStarted = "block_started"; ///< step = its first step
inline constexpr std::string_view kFirstStepFacts = "first_step_facts";
inline constexpr std::string_view kStepSkipped = "step_skipped"; ///< data: scale, new_scale
inline constexpr std::string_view kScaleGrew = "scale_grew"; ///< data: scale, new_scale
inline constexpr std::string_view kScaleBackedOff = "scale_backed_off"; ///< data: scale, new_scale
inline constexpr std::string_view kNonFiniteLoss = "non_finite_loss";
inline constexpr std::string_view kSettingChanged = "setting_changed"; ///< data: key, old, new
inline constexpr std::string_view kSettingRefused = "setting_refused"; ///< data: key, reason
inline constexpr std::string_view kFormatProbe =
    "format_probe"; ///< data: per precision class, factor
inline constexpr std::string_view kPaused = "paused";
inline constexpr std::string_view kResumed = "resumed";
inline constexpr std::string_view kWarning = "warning";
/// data: alert (a word of alert_kind), text, hypothesis, evidence
inline constexpr std::string_view kAlert = "alert";
/// data: cause, module, place, dtype, ...: see core/engine/non_finite.h
inline constexpr std::string_view kNonFiniteLocated = "non_finite_located";
inline constexpr std::string_view kCheckpoint = "checkpoint"; ///< data: step, path
inline constexpr std::string_view kResumedFrom = "resumed_from"; ///< data: step, path
inline constexpr std::string_view kWeights = "weights"; ///< data: path
/// Written by the host, not by workers: stray text, broken lines, stderr, lost storage.
inline constexpr std::string_view kHostNote = "host_note";
} // namespace event_kind

/// Once a second from a thread of its own, also in a long step.
struct Heartbeat {
    std::int64_t step = 0; ///< last completed step
    std::string activity; ///< loading, idle, training, validating, paused

    bool operator==(const Heartbeat&) const = default;
};

/// Sent at once when a command has been read; it takes effect at the step's end.
struct Acknowledged {
    std::string command; ///< pause, resume, stop, set, run_block, checkpoint

    bool operator==(const Acknowledged&) const = default;
};

struct BlockDone {
    std::int64_t step = 0; ///< last completed step
    double trainSeconds = 0; ///< training time so far, pauses and validation not counted

    bool operator==(const BlockDone&) const = default;
};

/// Last line of a worker that ends by itself; sent after its last sample.
struct Finished {
    RunState state = RunState::Finished; ///< Finished, Stopped, Failed or Refused
    std::string reason; ///< e.g. "time limit"; empty for Finished
    std::int64_t stepsAttempted = 0;
    std::int64_t stepsApplied = 0;
    std::int64_t stepsSkipped = 0;

    bool operator==(const Finished&) const = default;
};

using RunEvent = std::variant<Hello, Ready, Samples, Points, LifecycleEvent, Heartbeat,
    Acknowledged, BlockDone, Finished>;

// Host to worker.

struct StartCommand {
    Variant variant; ///< settings.run.seed is the seed of this very run
    std::string resumeFrom = {}; ///< checkpoint to go on from; empty = from the first step
    std::string checkpointFolder = {}; ///< where checkpoints and weights go; empty = nowhere
};
struct RunBlockCommand {
    std::int64_t steps = 0; ///< train at most so many, then send BlockDone; 0 = to the end
};
struct PauseCommand { };
struct ResumeCommand { };
/// Live scaler settings, in force at the next update: all of them or, if one is not allowed, none.
/// Answered with an event setting_changed for each, or one setting_refused.
struct SetCommand {
    std::vector<SettingChange> changes; ///< at least one
    std::int64_t request = 0; ///< repeated in the answer's data; 0 = none
};
struct StopCommand {
    std::string reason = "user";
};
/// Write a checkpoint at the end of the step.
struct CheckpointCommand { };

using Command = std::variant<StartCommand, RunBlockCommand, PauseCommand, ResumeCommand, SetCommand,
    StopCommand, CheckpointCommand>;

} // namespace mantissa
