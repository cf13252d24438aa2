// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/run/series_info.h"
#include "core/run/system_events.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace mantissa::cli {

namespace {

constexpr std::chrono::seconds kPlainLineEvery{10};
constexpr std::size_t kBarWidth = 20;

bool isActive(RunState state)
{
    return state == RunState::Running || state == RunState::Paused;
}

bool deservesALook(std::string_view kind)
{
    return kind == event_kind::kAlert || kind == event_kind::kWarning
        || kind == event_kind::kNonFiniteLocated || kind == event_kind::kThrottled
        || kind == event_kind::kForeignLoad;
}

std::string bar(std::int64_t step, std::int64_t total)
{
    const double share = total > 0 ? std::clamp(double(step) / double(total), 0.0, 1.0) : 0;
    const auto filled = static_cast<std::size_t>(share * kBarWidth);
    return std::string(filled, '#') + std::string(kBarWidth - filled, '.');
}

/// Cut to `width` code points, so that a redrawn line never wraps.
std::string fitted(const std::string& text, std::size_t width)
{
    if (displayWidth(text) <= width)
        return text;
    std::size_t points = 0;
    std::size_t end = 0;
    while (end < text.size()) {
        const bool startsPoint = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
        if (startsPoint && ++points == width)
            break;
        ++end;
    }
    return text.substr(0, end) + "…";
}

} // namespace

Progress::Progress(const GlobalOptions& global, const LiveBuffer& buffer)
    : m_buffer(buffer)
    , m_quiet(global.quiet)
    , m_redraws(isTerminal(STDERR_FILENO)
          && std::string_view(std::getenv("TERM") ? std::getenv("TERM") : "") != "dumb")
    , m_colors(m_redraws && !global.noColor && !std::getenv("NO_COLOR"))
    , m_rows(buffer.plan().size())
    , m_lastPlainLine(std::chrono::steady_clock::now())
{
    for (const auto& run : buffer.plan())
        m_nameWidth = std::max(m_nameWidth, displayWidth(run.variant.name));
}

void Progress::update()
{
    if (m_quiet || m_buffer.revision() == m_revision)
        return;
    m_revision = m_buffer.revision();
    readNewPoints();
    printNotes();
    if (m_redraws)
        redraw();
    else
        printStateChanges();
}

void Progress::finish()
{
    m_revision = ~std::uint64_t{0};
    update();
}

void Progress::readNewPoints()
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        auto& row = m_rows[i];
        const int run = static_cast<int>(i);
        if (const auto loss = m_buffer.read(run, series::kLoss, row.lossCount); !loss.y.empty()) {
            row.lossCount += loss.y.size();
            row.loss = loss.y.back();
            row.hasLoss = true;
        }
        if (const auto scale = m_buffer.read(run, series::kScale, row.scaleCount);
            !scale.y.empty()) {
            row.scaleCount += scale.y.size();
            row.scale = scale.y.back();
        }
    }
}

std::vector<std::string> Progress::newNotes()
{
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const auto events = m_buffer.events(static_cast<int>(i), m_rows[i].eventCount);
        m_rows[i].eventCount += events.size();
        for (const auto& event : events) {
            if (!deservesALook(event.kind) || event.message.empty())
                continue;
            const auto place = event.step && *event.step > 0
                ? fmt::format(", step {}", groupedText(*event.step))
                : std::string();
            notes.push_back(
                fmt::format("{}{}: {}", m_buffer.plan()[i].variant.name, place, event.message));
        }
    }
    return notes;
}

void Progress::printNotes()
{
    const auto notes = newNotes();
    if (notes.empty())
        return;
    // Over the block of lines, which is drawn anew below.
    if (m_drawnLines > 0)
        fmt::print(stderr, "\x1b[{}A\r\x1b[J", m_drawnLines);
    m_drawnLines = 0;
    for (const auto& note : notes)
        fmt::print(stderr, "{}\n", note);
}

bool Progress::isShown(std::size_t run) const
{
    // All runs of the repetitions that have begun: what is still queued would only be noise.
    const auto& plan = m_buffer.plan();
    return std::any_of(plan.begin(), plan.end(), [&](const PlannedRun& other) {
        return other.repetition == plan[run].repetition
            && m_buffer.status(other.index).outcome.state != RunState::Queued;
    });
}

std::string Progress::figures(std::size_t run, const LiveRunStatus& status) const
{
    const auto& row = m_rows[run];
    std::string text;
    if (status.trainSeconds > 0 && status.step > 0) {
        const double perSecond = double(status.step) / status.trainSeconds;
        text += fmt::format("  {} steps/s", significantText(perSecond, 3));
    }
    if (row.hasLoss)
        text += "  loss " + lossText(row.loss);
    if (m_buffer.plan()[run].variant.usesScaler() && row.scaleCount > 0)
        text += fmt::format("  scale {}", scaleText(row.scale));
    if (status.outcome.stepsSkipped > 0)
        text += fmt::format("  skipped {}", groupedText(status.outcome.stepsSkipped));
    if (isActive(status.outcome.state) && status.step > 0 && status.totalSteps > status.step) {
        const double left =
            double(status.totalSteps - status.step) * status.trainSeconds / double(status.step);
        text += "  left " + durationText(left * 1000);
    }
    return text;
}

std::string Progress::line(std::size_t run, bool withBar) const
{
    const auto status = m_buffer.status(static_cast<int>(run));
    const auto& planned = m_buffer.plan()[run];
    const std::string& name = planned.variant.name;
    std::string text = name + std::string(m_nameWidth - displayWidth(name), ' ');
    if (m_buffer.plan().back().repetition > 0)
        text += fmt::format(" seed {}", planned.variant.settings.run.seed);
    text += fmt::format("  {:<9}", toString(status.outcome.state));
    if (withBar)
        text += fmt::format(" [{}]", bar(status.step, status.totalSteps));
    text += fmt::format(" {}/{}", groupedText(status.step),
        status.totalSteps > 0 ? groupedText(status.totalSteps) : "?");
    text += figures(run, status);
    if (!status.outcome.reason.empty())
        text += "  (" + status.outcome.reason + ")";
    return text;
}

void Progress::redraw()
{
    std::string text;
    if (m_drawnLines > 0)
        text += fmt::format("\x1b[{}A", m_drawnLines);
    m_drawnLines = 0;
    for (std::size_t run = 0; run < m_rows.size(); ++run) {
        if (!isShown(run))
            continue;
        const auto state = m_buffer.status(static_cast<int>(run)).outcome.state;
        const bool bad = isEnd(state) && state != RunState::Finished && state != RunState::Stopped;
        const std::string body = fitted(line(run, true), terminalWidth() - 1);
        text += "\r\x1b[K" + (bad && m_colors ? "\x1b[31m" + body + "\x1b[0m" : body) + "\n";
        ++m_drawnLines;
    }
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

void Progress::printStateChanges()
{
    const auto now = std::chrono::steady_clock::now();
    const bool regular = now - m_lastPlainLine >= kPlainLineEvery;
    if (regular)
        m_lastPlainLine = now;
    for (std::size_t run = 0; run < m_rows.size(); ++run) {
        const auto state = m_buffer.status(static_cast<int>(run)).outcome.state;
        if (state != m_rows[run].state || (regular && isActive(state)))
            fmt::print(stderr, "{}\n", line(run, false));
        m_rows[run].state = state;
    }
}

} // namespace mantissa::cli
