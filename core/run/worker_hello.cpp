// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/worker_hello.h"

#include "core/run/protocol.h"
#include "core/run/worker_process.h"

#include <fmt/format.h>
#include <poll.h>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;

/// Keeps stderr drained and its end in `tail`, so that the worker never blocks on it.
void drainErrors(WorkerProcess& process, std::string& tail)
{
    constexpr std::size_t kKept = 2000;
    tail += process.read(WorkerProcess::Channel::Errors);
    if (tail.size() > kKept)
        tail.erase(0, tail.size() - kKept);
}

void waitForOutput(const WorkerProcess& process)
{
    std::vector<pollfd> fds;
    process.appendPollFds(fds);
    poll(fds.data(), fds.size(), 50);
}

Result<Hello> helloOf(std::string_view line)
{
    auto event = decodeEvent(line);
    if (!event)
        return tl::unexpected(event.error());
    if (event->has_value() && std::holds_alternative<Hello>(**event))
        return std::get<Hello>(**event);
    return fail(fmt::format("its first line is no hello: {}", line.substr(0, 200)));
}

} // namespace

Result<Hello> askWorker(const std::filesystem::path& worker,
    const std::filesystem::path& torchFolder, std::chrono::milliseconds timeout)
{
    auto process = WorkerProcess::start({worker, {}, torchFolder});
    if (!process)
        return tl::unexpected(process.error());
    LineSplitter splitter;
    std::string errors;
    const auto deadline = Clock::now() + timeout;
    while (Clock::now() < deadline) {
        waitForOutput(**process);
        drainErrors(**process, errors);
        if (const auto lines = splitter.feed((*process)->read(WorkerProcess::Channel::Output));
            !lines.empty())
            return helloOf(lines.front());
        if (const auto exit = (*process)->reap()) {
            drainErrors(**process, errors);
            return fail(fmt::format("{} {} before its hello{}", worker.string(), exit->words(),
                errors.empty() ? std::string() : ": " + errors + missingTorchHint(errors)));
        }
    }
    return fail(
        fmt::format("{} said no hello within {} s", worker.string(), timeout.count() / 1000));
}

} // namespace mantissa
