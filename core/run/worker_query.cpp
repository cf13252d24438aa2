// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/worker_query.h"

#include <fmt/format.h>
#include <poll.h>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;
using Channel = WorkerProcess::Channel;

/// What a worker has said so far.
struct Said {
    std::string output;
    std::string errors;
};

/// Reads what is there, waiting up to 50 ms for it; whether both channels are still open.
bool listen(WorkerProcess& process, Said& said)
{
    std::vector<pollfd> fds;
    process.appendPollFds(fds);
    poll(fds.data(), fds.size(), 50);
    said.output += process.read(Channel::Output);
    said.errors += process.read(Channel::Errors);
    return process.isOpen(Channel::Output) || process.isOpen(Channel::Errors);
}

std::string trimmed(std::string text)
{
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

Result<nlohmann::json> answer(const WorkerProgram& program, const ExitStatus& exit, Said said)
{
    if (exit.signal != 0 || exit.code != 0) {
        const auto words = trimmed(std::move(said.errors));
        return fail(exit.code != 0 && !words.empty()
                ? words + missingTorchHint(words)
                : fmt::format("{} {} before it answered", program.program.string(), exit.words()));
    }
    auto json = nlohmann::json::parse(said.output, nullptr, false);
    if (!json.is_object() || json.value("type", "") != "answer" || !json.contains("result"))
        return fail(fmt::format("{} cannot answer '{}'; it said: {}", program.program.string(),
            program.arguments.front(), trimmed(said.output.substr(0, 200))));
    return std::move(json["result"]);
}

} // namespace

Result<nlohmann::json> queryWorker(const WorkerProgram& program, std::chrono::milliseconds timeout)
{
    auto started = WorkerProcess::start(program);
    if (!started)
        return tl::unexpected(started.error());
    auto& process = **started;
    process.closeInput();
    Said said;
    const auto deadline = Clock::now() + timeout;
    while (Clock::now() < deadline) {
        if (listen(process, said))
            continue;
        if (const auto exit = process.reap())
            return answer(program, *exit, std::move(said));
    }
    return fail(fmt::format("{} gave no answer within {} s", program.program.string(),
        std::chrono::duration_cast<std::chrono::seconds>(timeout).count()));
}

} // namespace mantissa
