// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/worker/command_inbox.h"
#include "app/worker/heartbeat.h"
#include "app/worker/step_batcher.h"
#include "app/worker/step_events.h"
#include "core/engine/trainer.h"

#include <cmath>
#include <memory>
#include <optional>

namespace mantissa {

class EventSender;

/// One run from hello to finished, on the training thread (the one that calls run()).
class Session {
public:
    Session(EventSender& sender, CommandInbox& inbox, Heart& heart, const CudaPlugin& plugin,
        const Trainer::Options& options);

    /// Returns when the run has ended or the host is gone.
    void run();

private:
    using Clock = std::chrono::steady_clock;

    bool start(const StartCommand& command);
    void announce();
    void serve();
    void idle(const Incoming& incoming);
    void runBlock(std::int64_t steps);
    bool trainStep();
    void obeyAtStepEnd();
    void pauseUntilResumed();
    void apply(const SetCommand& command);
    void checkEnd();
    void collect(bool wait);
    void noteFacts();
    void validateIfDue(bool atEnd);
    void end(RunState state, std::string reason);
    void finish();

    // In session_checkpoint.cpp.
    bool goOnFrom(const std::string& file);
    void announceResumed();
    void checkpointIfDue();
    void writeCheckpoint();
    void keepAtEnd(const Finished& end);

    void event(
        std::string_view kind, std::string message, nlohmann::json data = nlohmann::json::object());
    void warn(std::string message);
    double now() const;

    EventSender& m_sender;
    CommandInbox& m_inbox;
    Heart& m_heart;
    const CudaPlugin& m_plugin;
    Trainer::Options m_options;

    Clock::time_point m_start;
    RunConfig m_limits;
    std::int64_t m_totalSteps = 0;
    std::int64_t m_evalEvery = 0;
    std::unique_ptr<Trainer> m_trainer;
    std::unique_ptr<StepBatcher> m_batcher;
    StepEvents m_stepEvents;
    std::vector<StepRecord> m_records;
    std::optional<std::int64_t> m_waitingBlock; ///< asked for while paused
    bool m_paused = false;
    bool m_factsKnown = false;
    bool m_atLimit = false; ///< ended by its own steps or a limit: validate once more
    std::filesystem::path m_checkpointFolder;
    std::int64_t m_checkpointStep = -1; ///< of the last one written or gone on from
    std::int64_t m_validatedStep = -1;
    std::int64_t m_skipped = 0;
    std::int64_t m_recorded = 0;
    std::optional<Finished> m_end;
};

} // namespace mantissa
