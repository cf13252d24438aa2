// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_worker/fake_host_link.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <unistd.h>

namespace mantissa::test {

namespace {

std::string nameOf(const Command& command)
{
    constexpr std::array<const char*, 6> kNames{
        "start", "run_block", "pause", "resume", "set", "stop"};
    return kNames[command.index()];
}

void writeAll(const char* bytes, std::size_t count)
{
    while (count > 0) {
        const auto written = ::write(STDOUT_FILENO, bytes, count);
        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            bytes += written;
            count -= static_cast<std::size_t>(written);
        }
    }
}

/// As a worker answers: what is 0 is refused, everything else was null before.
std::vector<LifecycleEvent> answersTo(const SetCommand& command)
{
    std::vector<LifecycleEvent> answers;
    for (const auto& [key, value] : command.changes) {
        LifecycleEvent event;
        event.kind = event_kind::kSettingChanged;
        event.data = {{"key", key}, {"old", nullptr}, {"new", value}};
        if (value == 0) {
            event.kind = event_kind::kSettingRefused;
            event.data = {{"key", key}, {"reason", key + " = 0 is not allowed"}};
        }
        if (command.request != 0)
            event.data["request"] = command.request;
        if (value == 0)
            return {event};
        answers.push_back(event);
    }
    return answers;
}

} // namespace

void FakeHostLink::startReading()
{
    std::thread([this] {
        LineSplitter splitter;
        std::array<char, 4096> buffer{};
        for (;;) {
            const auto got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
            if (got <= 0)
                break;
            for (const auto& line : splitter.feed({buffer.data(), static_cast<std::size_t>(got)})) {
                if (const auto command = decodeCommand(line); command && *command && !m_silent)
                    take(**command);
            }
        }
        // The host is gone or wants this worker to end.
        if (!m_silent && !m_ignoreEnd)
            std::_Exit(0);
    }).detach();
}

void FakeHostLink::startHeartbeats(std::int64_t everyMs)
{
    std::thread([this, everyMs] {
        while (!m_silent) {
            Heartbeat heartbeat;
            {
                const std::lock_guard lock(m_mutex);
                heartbeat = m_heartbeat;
            }
            send(heartbeat);
            std::this_thread::sleep_for(std::chrono::milliseconds(everyMs));
        }
    }).detach();
}

void FakeHostLink::sendLine(const std::string& line)
{
    const std::lock_guard lock(m_outputMutex);
    writeAll((line + "\n").data(), line.size() + 1);
}

void FakeHostLink::setActivity(const std::string& activity, std::int64_t step)
{
    const std::lock_guard lock(m_mutex);
    m_heartbeat = {step, activity};
}

void FakeHostLink::take(const Command& command)
{
    send(Acknowledged{nameOf(command)});
    if (const auto* set = std::get_if<SetCommand>(&command)) {
        for (const auto& answer : answersTo(*set))
            send(answer);
    }
    const std::lock_guard lock(m_mutex);
    if (const auto* start = std::get_if<StartCommand>(&command))
        m_start = *start;
    if (const auto* block = std::get_if<RunBlockCommand>(&command))
        m_block = *block;
    if (std::holds_alternative<PauseCommand>(command))
        m_paused = true;
    if (std::holds_alternative<ResumeCommand>(command))
        m_paused = false;
    if (const auto* stop = std::get_if<StopCommand>(&command))
        m_stop = stop->reason;
    m_news.notify_all();
}

StartCommand FakeHostLink::waitForStart()
{
    std::unique_lock lock(m_mutex);
    m_news.wait(lock, [this] { return m_start || m_stop; });
    return m_start.value_or(StartCommand{});
}

std::optional<RunBlockCommand> FakeHostLink::waitForBlock()
{
    std::unique_lock lock(m_mutex);
    m_news.wait(lock, [this] { return m_block || m_stop; });
    auto block = m_stop ? std::nullopt : m_block;
    m_block.reset();
    return block;
}

bool FakeHostLink::pauseWanted() const
{
    const std::lock_guard lock(m_mutex);
    return m_paused && !m_stop;
}

void FakeHostLink::waitWhilePaused()
{
    std::unique_lock lock(m_mutex);
    m_news.wait(lock, [this] { return !m_paused || m_stop; });
}

std::optional<std::string> FakeHostLink::stopWanted() const
{
    const std::lock_guard lock(m_mutex);
    return m_stop;
}

} // namespace mantissa::test
