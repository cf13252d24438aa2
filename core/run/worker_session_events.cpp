// SPDX-License-Identifier: GPL-3.0-or-later
// What a worker sends. Each handle() says what is wrong with an event that does not fit, which is
// then counted and thrown away; nothing means that it was taken.
#include "core/run/series_info.h"
#include "core/run/worker_session.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa {

namespace {

using namespace std::chrono_literals;

constexpr auto kHeartbeatPace = 100ms; ///< faster ones are not passed on
constexpr std::size_t kShownBytes = 120;
constexpr std::size_t kStderrKept = 20;
constexpr std::size_t kStderrShownBytes = 500;

/// The start of a line, with what is not printable ASCII replaced, so that it may be shown.
std::string printable(std::string_view text, std::size_t limit)
{
    std::string shown(text.substr(0, limit));
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    return text.size() > limit ? shown + "..." : shown;
}

/// An environment is whatever a worker makes of it.
std::string gpuOf(const nlohmann::json& environment)
{
    const nlohmann::json::json_pointer path("/gpu/pci_bus_id");
    if (!environment.is_object() || !environment.contains(path) || !environment[path].is_string())
        return {};
    return environment[path].get<std::string>();
}

std::int64_t countSkipped(const Samples& samples)
{
    for (const auto& one : samples.series) {
        if (one.name == series::kFoundInf)
            return std::count_if(
                one.values.begin(), one.values.end(), [](double value) { return value != 0; });
    }
    return 0;
}

} // namespace

void WorkerSession::onBytes(std::string_view bytes)
{
    if (m_mute)
        return;
    for (const auto& line : m_lines.feed(bytes))
        onLine(line);
    if (const auto dropped = m_lines.droppedLines(); dropped != m_droppedSeen) {
        m_droppedSeen = dropped;
        badLine(fmt::format("a line of more than {} bytes", kMaxLineBytes));
    }
}

void WorkerSession::onLine(const std::string& line)
{
    if (m_mute || line.empty())
        return;
    auto event = decodeEvent(line);
    if (!event)
        badLine(fmt::format("{}: {}", event.error().message, printable(line, kShownBytes)));
    else if (*event)
        accept(**event, line.size());
    else if (m_phase != Phase::Starting)
        m_lastSign = Clock::now(); // a later version's type
}

void WorkerSession::accept(RunEvent& event, std::size_t bytes)
{
    if (m_finished) {
        if (!std::holds_alternative<Heartbeat>(event))
            badLine("a line after its end");
        return;
    }
    if (m_phase == Phase::Starting && !std::holds_alternative<Hello>(event)) {
        badLine("a line before its hello");
        return;
    }
    m_lastSign = Clock::now();
    if (!withinBudget(event, bytes))
        return;
    if (const auto wrong = std::visit([this](auto& value) { return handle(value); }, event))
        badLine(*wrong);
}

/// Samples are bounded by the steps granted; the rest by this.
bool WorkerSession::withinBudget(const RunEvent& event, std::size_t bytes)
{
    if (!std::holds_alternative<Points>(event) && !std::holds_alternative<LifecycleEvent>(event))
        return true;
    m_otherBytes += bytes;
    if (m_otherBytes <= m_options.maxEventBytes)
        return true;
    if (!m_budgetNoted)
        note(fmt::format("the worker sent more than {} bytes of events and points: what follows "
                         "is not kept",
            m_options.maxEventBytes));
    m_budgetNoted = true;
    return false;
}

std::optional<std::string> WorkerSession::handle(const Hello& event)
{
    if (m_phase != Phase::Starting)
        return "a second hello";
    m_observer.onEvent(m_run.index, event);
    if (event.protocol != kProtocolVersion) {
        setVerdict(RunState::Refused,
            fmt::format("the worker speaks protocol version {}, this program speaks version {}",
                event.protocol, kProtocolVersion));
        m_mute = true;
        leave();
        return std::nullopt;
    }
    m_phase = Phase::Greeted;
    return std::nullopt;
}

std::optional<std::string> WorkerSession::handle(const Ready& event)
{
    if (m_phase != Phase::Loading)
        return "a ready that was not asked for";
    m_totalSteps = event.totalSteps;
    m_gpu = gpuOf(event.environment);
    m_phase = Phase::Idle;
    m_observer.onEvent(m_run.index, event);
    for (const auto& change : m_waitingChanges)
        send(change);
    m_waitingChanges.clear();
    showPause();
    return std::nullopt;
}

std::optional<std::string> WorkerSession::handle(const Samples& event)
{
    const auto last = event.firstStep + event.count - 1;
    if (event.firstStep != m_outcome.stepsAttempted + 1)
        return fmt::format(
            "samples from step {} on after step {}", event.firstStep, m_outcome.stepsAttempted);
    if (last > m_grantedTo || (m_totalSteps > 0 && last > m_totalSteps))
        return fmt::format("samples up to step {}, beyond what was asked for", last);
    const auto skipped = countSkipped(event);
    m_outcome.stepsAttempted = last;
    m_outcome.stepsSkipped += skipped;
    m_outcome.stepsApplied += event.count - skipped;
    m_observer.onEvent(m_run.index, event);
    return std::nullopt;
}

std::optional<std::string> WorkerSession::handle(const Points& event)
{
    m_observer.onEvent(m_run.index, event);
    return std::nullopt;
}

std::optional<std::string> WorkerSession::handle(const LifecycleEvent& event)
{
    if (event.kind == event_kind::kHostNote)
        return "an event of kind host_note, which is the host's";
    if (event.kind == event_kind::kBlockStarted)
        return std::nullopt; // the host has told it already
    m_observer.onEvent(m_run.index, event);
    if (event.kind == event_kind::kPaused && m_paused && m_phase == Phase::InBlock)
        setState(RunState::Paused);
    if (event.kind == event_kind::kResumed && !m_paused && m_phase == Phase::InBlock)
        setState(RunState::Running);
    return std::nullopt;
}

std::optional<std::string> WorkerSession::handle(const Heartbeat& event)
{
    const bool news = event.activity != m_lastHeartbeat.activity;
    m_lastHeartbeat = event;
    if (!news && m_lastSign - m_heartbeatShown < kHeartbeatPace)
        return std::nullopt;
    m_heartbeatShown = m_lastSign;
    m_observer.onEvent(m_run.index, event);
    return std::nullopt;
}

std::optional<std::string> WorkerSession::handle(const Acknowledged& event)
{
    m_observer.onEvent(m_run.index, event);
    return std::nullopt;
}

std::optional<std::string> WorkerSession::handle(const BlockDone& event)
{
    if (m_phase != Phase::InBlock && m_phase != Phase::Leaving)
        return "the end of a block that was not given";
    m_observer.onEvent(m_run.index, event);
    if (event.step != m_outcome.stepsAttempted)
        badLine(fmt::format("the end of a block at step {} after samples up to step {}", event.step,
            m_outcome.stepsAttempted));
    if (m_phase != Phase::InBlock)
        return std::nullopt;
    // After its last step, or at a limit inside the block, only the end is to come.
    if (m_totalSteps > 0 && m_outcome.stepsAttempted >= m_totalSteps)
        return std::nullopt;
    if (m_outcome.stepsAttempted < m_grantedTo)
        m_endExpectedSince = m_lastSign;
    else
        becomeIdle();
    return std::nullopt;
}

void WorkerSession::becomeIdle()
{
    m_endExpectedSince.reset();
    m_phase = Phase::Idle;
    m_grantedTo = m_outcome.stepsAttempted;
    showPause();
    if (!m_paused && m_outcome.state == RunState::Paused)
        setState(RunState::Running);
}

std::optional<std::string> WorkerSession::handle(const Finished& event)
{
    const bool ownCounts = event.stepsAttempted != m_outcome.stepsAttempted
        || event.stepsApplied < 0 || event.stepsSkipped < 0
        || event.stepsApplied + event.stepsSkipped != event.stepsAttempted;
    if (ownCounts) {
        badLine(fmt::format("an end with {} steps attempted, {} applied, {} skipped after samples "
                            "of {} steps; the samples count",
            event.stepsAttempted, event.stepsApplied, event.stepsSkipped,
            m_outcome.stepsAttempted));
    } else {
        m_outcome.stepsApplied = event.stepsApplied;
        m_outcome.stepsSkipped = event.stepsSkipped;
    }
    m_observer.onEvent(m_run.index, event);
    m_finished = event;
    leave();
    return std::nullopt;
}

void WorkerSession::badLine(const std::string& what)
{
    ++m_badLines;
    if (m_badNotes.allow(Clock::now()))
        note(fmt::format("the worker sent {}", what));
    if (m_badLines <= m_options.maxBadLines || m_mute)
        return;
    setVerdict(RunState::Failed,
        fmt::format("the worker sent more than {} lines that are not the protocol, the last one: "
                    "{}",
            m_options.maxBadLines, what));
    m_mute = true;
    escalate();
}

void WorkerSession::onStderr(std::string_view bytes)
{
    for (const auto& line : m_stderrLines.feed(bytes)) {
        if (line.empty())
            continue;
        m_lastStderr.push_back(printable(line, kStderrShownBytes));
        if (m_lastStderr.size() > kStderrKept)
            m_lastStderr.pop_front();
        if (m_stderrNotes.allow(Clock::now()))
            note("stderr: " + m_lastStderr.back());
    }
}

void WorkerSession::note(const std::string& message)
{
    LifecycleEvent event;
    event.kind = event_kind::kHostNote;
    if (m_outcome.stepsAttempted > 0)
        event.step = m_outcome.stepsAttempted;
    event.timeS = secondsSinceStart();
    event.message = message;
    m_observer.onEvent(m_run.index, event);
}

void WorkerSession::noteSuppressed()
{
    if (const auto count = m_badNotes.takeSuppressed(); count > 0)
        note(fmt::format("{} more lines that are not the protocol", count));
    if (const auto count = m_stderrNotes.takeSuppressed(); count > 0)
        note(fmt::format("{} more lines on stderr", count));
}

} // namespace mantissa
