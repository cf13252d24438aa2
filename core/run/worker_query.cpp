// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/worker_query.h"

#include "core/run/protocol.h"

#include <fmt/format.h>
#include <poll.h>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;
using Channel = WorkerProcess::Channel;

std::string trimmed(std::string text)
{
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

/// What a worker says to a question.
class Conversation {
public:
    explicit Conversation(const WorkerQuery& query)
        : m_query(query)
    {
    }

    /// Reads what is there, waiting up to 50 ms for it; whether both channels are still open.
    bool listen(WorkerProcess& process)
    {
        std::vector<pollfd> fds;
        process.appendPollFds(fds);
        poll(fds.data(), fds.size(), 50);
        for (const auto& line : m_lines.feed(process.read(Channel::Output)))
            take(line);
        m_errors += process.read(Channel::Errors);
        return process.isOpen(Channel::Output) || process.isOpen(Channel::Errors);
    }

    Result<nlohmann::json> answer(const ExitStatus& exit) const
    {
        const auto& worker = m_query.worker;
        if (exit.signal != 0 || exit.code != 0) {
            const auto words = trimmed(m_errors);
            return fail(exit.code != 0 && !words.empty()
                    ? words + missingTorchHint(words)
                    : fmt::format(
                        "{} {} before it answered", worker.program.string(), exit.words()));
        }
        if (!m_answer.is_object() || !m_answer.contains("result"))
            return fail(fmt::format("{} cannot answer '{}'; it said: {}", worker.program.string(),
                worker.arguments.front(), m_strayText.substr(0, 200)));
        return m_answer["result"];
    }

private:
    void take(const std::string& line)
    {
        auto json = nlohmann::json::parse(line, nullptr, false);
        const auto type = json.is_object() ? json.value("type", nlohmann::json()) : json;
        if (type == "progress" && m_query.progress)
            m_query.progress(json);
        else if (type == "answer")
            m_answer = std::move(json);
        else if (type != "progress")
            m_strayText += line;
    }

    const WorkerQuery& m_query;
    LineSplitter m_lines;
    nlohmann::json m_answer;
    std::string m_strayText;
    std::string m_errors;
};

/// Hands the worker its input and closes its stdin.
class Input {
public:
    Input(WorkerProcess& process, const std::string& text)
        : m_process(process)
    {
        if (text.empty())
            close();
        else
            m_process.send(text);
    }

    void writeMore()
    {
        if (m_closed)
            return;
        m_process.writePending();
        if (!m_process.hasPending())
            close();
    }

private:
    void close()
    {
        m_process.closeInput();
        m_closed = true;
    }

    WorkerProcess& m_process;
    bool m_closed = false;
};

} // namespace

Result<nlohmann::json> queryWorker(const WorkerQuery& query)
{
    auto started = WorkerProcess::start(query.worker);
    if (!started)
        return tl::unexpected(started.error());
    auto& process = **started;
    Input input(process, query.input);
    Conversation conversation(query);
    const auto deadline = Clock::now() + query.timeout;
    while (Clock::now() < deadline) {
        if (query.stop.stop_requested())
            return fail("cancelled");
        input.writeMore();
        if (conversation.listen(process))
            continue;
        if (const auto exit = process.reap())
            return conversation.answer(*exit);
    }
    return fail(fmt::format("{} gave no answer within {} s", query.worker.program.string(),
        std::chrono::duration_cast<std::chrono::seconds>(query.timeout).count()));
}

} // namespace mantissa
