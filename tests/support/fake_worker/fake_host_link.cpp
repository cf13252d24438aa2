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
