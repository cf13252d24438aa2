// SPDX-License-Identifier: GPL-3.0-or-later
// The run's course: start, blocks, end. What happens at a step's end is in session_step.cpp.
#include "app/worker/session.h"

#include "app/worker/event_sender.h"
#include "core/base/version.h"
#include "core/config/config_io.h"

#include <fmt/format.h>
#include <unistd.h>

namespace mantissa {

Session::Session(EventSender& sender, CommandInbox& inbox, Heart& heart, const CudaPlugin& plugin,
    const Trainer::Options& options)
    : m_sender(sender)
    , m_inbox(inbox)
    , m_heart(heart)
    , m_plugin(plugin)
    , m_options(options)
    , m_start(Clock::now())
{
}

void Session::run()
{
    m_sender.send(Hello{kProtocolVersion, "mantissa-worker", kVersion, getpid(), 0, 1,
        engineEnvironment(m_plugin)});
    while (auto incoming = m_inbox.take()) {
        if (const auto* bad = std::get_if<BadCommand>(&*incoming)) {
            end(RunState::Refused, bad->message);
            break;
        }
        const auto& command = std::get<Command>(*incoming);
        if (const auto* stop = std::get_if<StopCommand>(&command)) {
            end(RunState::Stopped, stop->reason);
            break;
        }
        if (const auto* startCommand = std::get_if<StartCommand>(&command)) {
            if (start(*startCommand))
                serve();
            break;
        }
        warn("Only start and stop make sense before the run has started.");
    }
    finish();
}

bool Session::start(const StartCommand& command)
{
    m_start = Clock::now();
    m_heart.setActivity(Activity::Loading);
    m_checkpointFolder = command.checkpointFolder;
    if (!goOnFrom(command.resumeFrom))
        return false;
    m_heart.beginRun(m_start);
    auto created = Trainer::create(command.variant, m_plugin, m_start, m_options);
    if (!created) {
        end(created.error().state, created.error().reason);
        return false;
    }
    m_trainer = std::move(*created);
    m_limits = command.variant.settings.run;
    m_evalEvery = command.variant.settings.eval.every;
    m_totalSteps = m_trainer->scheduledSteps();
    if (m_limits.maxSteps > 0)
        m_totalSteps = std::min(m_totalSteps, m_limits.maxSteps);
    m_batcher = std::make_unique<StepBatcher>(m_sender,
        StepBatcher::Layout{m_trainer->usesScaler(), m_trainer->usesCuda(), m_options.gradNorm});
    announce();
    m_heart.setActivity(Activity::Idle);
    return true;
}

void Session::announce()
{
    const auto& environment = m_trainer->environment();
    if (environment.contains("formats")) {
        const auto& formats = environment["formats"];
        event(event_kind::kFormatProbe, "Number formats timed on this device.", formats);
        const auto precision = environment["precision"].get<std::string>();
        if (formats[precision].value("class", "") == "emulated")
            warn(fmt::format("{} is emulated on this device: a {} takes {:.3g} times as long as in "
                             "fp32. The run will be slow.",
                precision, formats["work"].get<std::string>(),
                formats[precision]["factor"].get<double>()));
    }
    for (auto& happened : m_trainer->takeEvents()) {
        happened.timeS = now();
        m_sender.send(std::move(happened));
    }
    announceResumed();
    m_sender.send(Ready{environment, m_totalSteps});
}

void Session::serve()
{
    while (!m_end) {
        auto incoming = m_inbox.take();
        if (!incoming) {
            end(RunState::Stopped, "the host closed the pipe");
            return;
        }
        idle(*incoming);
        if (m_waitingBlock && !m_paused && !m_end)
            runBlock(*std::exchange(m_waitingBlock, std::nullopt));
    }
}

void Session::idle(const Incoming& incoming)
{
    if (const auto* bad = std::get_if<BadCommand>(&incoming)) {
        warn("A command was not understood: " + bad->message);
        return;
    }
    const auto& command = std::get<Command>(incoming);
    if (const auto* block = std::get_if<RunBlockCommand>(&command)) {
        m_waitingBlock = block->steps;
    } else if (std::holds_alternative<PauseCommand>(command) && !m_paused) {
        m_paused = true;
        m_heart.setActivity(Activity::Paused);
        event(event_kind::kPaused, "Paused.");
    } else if (std::holds_alternative<ResumeCommand>(command) && m_paused) {
        m_paused = false;
        m_heart.setActivity(Activity::Idle);
        event(event_kind::kResumed, "Resumed.");
    } else if (const auto* set = std::get_if<SetCommand>(&command)) {
        apply(*set);
    } else if (const auto* stop = std::get_if<StopCommand>(&command)) {
        end(RunState::Stopped, stop->reason);
    } else if (std::holds_alternative<CheckpointCommand>(command)) {
        writeCheckpoint();
    } else if (std::holds_alternative<StartCommand>(command)) {
        warn("The run has already started; a worker runs one run.");
    }
}

void Session::runBlock(std::int64_t steps)
{
    const auto last = steps > 0 ? std::min(m_totalSteps, m_trainer->steps() + steps) : m_totalSteps;
    m_heart.setActivity(Activity::Training);
    checkEnd();
    while (!m_end && m_trainer->steps() < last && trainStep()) { }
    collect(true);
    m_batcher->flush();
    if (m_atLimit && !m_inbox.mustEnd())
        validateIfDue(true);
    m_sender.send(BlockDone{m_trainer->steps(), m_trainer->trainSeconds()});
    m_heart.setActivity(Activity::Idle);
}

void Session::end(RunState state, std::string reason)
{
    if (!m_end)
        m_end = Finished{state, std::move(reason), 0, 0, 0};
}

void Session::finish()
{
    if (!m_end)
        return;
    keepAtEnd(*m_end);
    if (m_batcher)
        m_batcher->flush();
    m_end->stepsAttempted = m_recorded;
    m_end->stepsSkipped = m_skipped;
    m_end->stepsApplied = m_recorded - m_skipped;
    m_sender.send(std::move(*m_end));
}

double Session::now() const
{
    return std::chrono::duration<double>(Clock::now() - m_start).count();
}

void Session::event(std::string_view kind, std::string message, nlohmann::json data)
{
    std::optional<std::int64_t> step;
    if (m_trainer)
        step = m_trainer->steps();
    if (m_batcher)
        m_batcher->flush();
    m_sender.send(
        LifecycleEvent{std::string(kind), step, now(), std::move(message), std::move(data)});
}

void Session::warn(std::string message)
{
    event(event_kind::kWarning, std::move(message));
}

} // namespace mantissa
