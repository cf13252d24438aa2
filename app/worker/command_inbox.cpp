// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/command_inbox.h"

#include "core/run/protocol.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>

namespace mantissa {

namespace {

/// How long a step may go on after the host has gone.
constexpr std::chrono::seconds kLastStep{3};

template <typename... Handlers> struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <typename... Handlers> Overloaded(Handlers...) -> Overloaded<Handlers...>;

/// The word to acknowledge with; empty for start, whose answer is ready or finished.
std::string wordOf(const Command& command)
{
    return std::visit(
        Overloaded{[](const StartCommand&) { return ""; },
            [](const RunBlockCommand&) { return "run_block"; },
            [](const PauseCommand&) { return "pause"; },
            [](const ResumeCommand&) { return "resume"; }, [](const SetCommand&) { return "set"; },
            [](const StopCommand&) { return "stop"; },
            [](const CheckpointCommand&) { return "checkpoint"; }},
        command);
}

} // namespace

CommandInbox::CommandInbox(int fileDescriptor, Acknowledge acknowledge)
    : m_fileDescriptor(fileDescriptor)
    , m_acknowledge(std::move(acknowledge))
{
    if (pipe(m_wakePipe) != 0)
        m_wakePipe[0] = m_wakePipe[1] = -1;
    m_thread = std::thread([this] { run(); });
}

CommandInbox::~CommandInbox()
{
    release();
    if (m_wakePipe[1] >= 0)
        ::close(m_wakePipe[1]);
    m_thread.join();
    if (m_wakePipe[0] >= 0)
        ::close(m_wakePipe[0]);
}

bool CommandInbox::isExhausted()
{
    const std::lock_guard lock(m_mutex);
    return m_closed && m_queue.empty();
}

std::optional<Incoming> CommandInbox::tryTake()
{
    const std::lock_guard lock(m_mutex);
    return takeLocked();
}

std::optional<Incoming> CommandInbox::take()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_closed || !m_queue.empty(); });
    return takeLocked();
}

std::optional<Incoming> CommandInbox::takeLocked()
{
    if (m_queue.empty())
        return std::nullopt;
    auto incoming = std::move(m_queue.front());
    m_queue.pop_front();
    m_news = m_closed || !m_queue.empty();
    return incoming;
}

void CommandInbox::release()
{
    {
        const std::lock_guard lock(m_mutex);
        m_released = true;
    }
    m_changed.notify_all();
}

void CommandInbox::run()
{
    LineSplitter splitter;
    std::array<char, 65536> buffer{};
    std::array<pollfd, 2> waits{
        pollfd{m_fileDescriptor, POLLIN, 0}, pollfd{m_wakePipe[0], POLLIN, 0}};
    while (true) {
        if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR)
            break;
        if (waits[1].revents != 0)
            return;
        const auto got = read(m_fileDescriptor, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        for (const auto& line : splitter.feed({buffer.data(), static_cast<std::size_t>(got)}))
            handleLine(line);
    }
    close();
}

void CommandInbox::handleLine(const std::string& line)
{
    auto command = decodeCommand(line);
    if (!command) {
        push(BadCommand{command.error().message});
        return;
    }
    if (!*command)
        return;
    if (const auto word = wordOf(**command); !word.empty())
        m_acknowledge(word);
    push(std::move(**command));
}

void CommandInbox::push(Incoming incoming)
{
    {
        const std::lock_guard lock(m_mutex);
        const auto* command = std::get_if<Command>(&incoming);
        if (command && std::holds_alternative<StopCommand>(*command))
            m_mustEnd = true;
        m_queue.push_back(std::move(incoming));
        m_news = true;
    }
    m_changed.notify_all();
}

void CommandInbox::close()
{
    std::unique_lock lock(m_mutex);
    m_closed = true;
    m_mustEnd = true;
    m_news = true;
    m_changed.notify_all();
    // The host is gone, and nobody could stop us any more: a step that takes too long ends here.
    if (!m_changed.wait_for(lock, kLastStep, [this] { return m_released; }))
        std::_Exit(EXIT_FAILURE);
}

} // namespace mantissa
