// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/control_server.h"

#include "core/run/control_message.h"
#include "core/run/protocol.h"
#include "core/run/unix_socket.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <fmt/format.h>
#include <list>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;

/// How long a worker may take to answer: a change takes effect between two steps.
constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kMostClients = 32;

/// What happened to a run that a client may wait for.
struct News {
    int run = 0;
    std::optional<LifecycleEvent> event;
    std::optional<RunState> ended;
};

struct Client {
    FileDescriptor socket;
    LineSplitter lines{64 * 1024};
    int run = -1; ///< waits for this run's worker; -1 = for a request
    std::int64_t request = 0;
    std::size_t expected = 0; ///< settings that will be told as changed
    ControlAnswer answer;
    Clock::time_point deadline{};
    bool done = false;
};

} // namespace

class ControlServer::Private {
public:
    Private(FileDescriptor listener, std::filesystem::path path, ExperimentController& controller,
        std::function<std::int64_t(int)> runId)
        : m_path(std::move(path))
        , m_listener(std::move(listener))
        , m_controller(controller)
        , m_runId(std::move(runId))
        , m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
        , m_thread([this] { run(); })
    {
    }

    ~Private() { close(); }

    void close()
    {
        if (!m_thread.joinable())
            return;
        m_ending = true;
        wake();
        m_thread.join();
        ::unlink(m_path.c_str());
    }

    void push(News news)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_news.push_back(std::move(news));
        }
        wake();
    }

    const std::filesystem::path m_path;

private:
    void wake()
    {
        const std::uint64_t one = 1;
        if (::write(m_wake.get(), &one, sizeof one) < 0) {
            // Full: a wake-up is waiting already.
        }
    }

    void run();
    void acceptOne();
    void readFrom(Client& client);
    void take(Client& client, const std::string& line);
    int planned(std::int64_t id) const;
    void takeNews();
    void tell(Client& client, const News& news);
    void reply(Client& client, ControlAnswer answer);
    void expire();

    FileDescriptor m_listener;
    ExperimentController& m_controller;
    const std::function<std::int64_t(int)> m_runId;
    FileDescriptor m_wake;
    std::list<Client> m_clients;
    std::int64_t m_lastRequest = 0;
    std::mutex m_mutex;
    std::vector<News> m_news; ///< guarded
    std::atomic<bool> m_ending = false;
    std::thread m_thread; ///< last: it uses the others
};

void ControlServer::Private::run()
{
    while (!m_ending) {
        std::vector<pollfd> fds{{m_wake.get(), POLLIN, 0}, {m_listener.get(), POLLIN, 0}};
        for (const auto& client : m_clients)
            fds.push_back({client.socket.get(), POLLIN, 0});
        const bool waiting =
            std::ranges::any_of(m_clients, [](const auto& c) { return c.run >= 0; });
        ::poll(fds.data(), fds.size(), waiting ? 1000 : -1);
        std::uint64_t count = 0;
        if (::read(m_wake.get(), &count, sizeof count) < 0) {
            // Nobody called.
        }
        std::size_t at = 2;
        for (auto& client : m_clients) {
            if (fds[at++].revents != 0)
                readFrom(client);
        }
        if (fds[1].revents != 0)
            acceptOne();
        takeNews();
        expire();
        m_clients.remove_if([](const Client& client) { return client.done; });
    }
}

void ControlServer::Private::acceptOne()
{
    FileDescriptor socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.valid() && m_clients.size() < kMostClients) {
        m_clients.emplace_back();
        m_clients.back().socket = std::move(socket);
    }
}

void ControlServer::Private::readFrom(Client& client)
{
    std::array<char, 4096> buffer{};
    const auto got = ::recv(client.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got <= 0) {
        client.done = true;
        return;
    }
    for (const auto& line : client.lines.feed({buffer.data(), static_cast<std::size_t>(got)})) {
        if (client.run < 0 && !client.done)
            take(client, line);
    }
}

int ControlServer::Private::planned(std::int64_t id) const
{
    for (const auto& run : m_controller.plan()) {
        if (m_runId(run.index) == id)
            return run.index;
    }
    return -1;
}

void ControlServer::Private::take(Client& client, const std::string& line)
{
    auto request = decodeRequest(line);
    if (!request)
        return reply(client, {{}, request.error().message});
    const int run = planned(request->run);
    if (run < 0)
        return reply(client, {{}, fmt::format("run {} is not of this program", request->run)});
    const auto state = m_controller.outcomes()[static_cast<std::size_t>(run)].state;
    if (state != RunState::Running && state != RunState::Paused)
        return reply(
            client, {{}, fmt::format("run {} is {}, not running", request->run, toString(state))});
    client.run = run;
    client.request = ++m_lastRequest;
    client.expected = request->changes.size();
    client.deadline = Clock::now() + kPatience;
    m_controller.set(run, std::move(request->changes), client.request);
}

void ControlServer::Private::takeNews()
{
    std::vector<News> news;
    {
        const std::lock_guard lock(m_mutex);
        news.swap(m_news);
    }
    for (const auto& item : news) {
        for (auto& client : m_clients) {
            if (client.run == item.run && !client.done)
                tell(client, item);
        }
    }
}

void ControlServer::Private::tell(Client& client, const News& news)
{
    if (news.ended)
        return reply(client, {{}, fmt::format("the run has ended: {}", toString(*news.ended))});
    const auto& event = *news.event;
    // A worker that does not repeat the number of the request is taken at its word.
    const auto request = event.value("request");
    if (!request.is_null() && request != client.request)
        return;
    if (event.kind == event_kind::kSettingRefused)
        return reply(client, {{}, event.text("reason", event.message)});
    client.answer.changed.push_back({event.text("key"), event.value("old"), event.value("new")});
    if (client.answer.changed.size() >= client.expected)
        reply(client, client.answer);
}

void ControlServer::Private::reply(Client& client, ControlAnswer answer)
{
    const auto line = encodeAnswer(answer) + '\n';
    // A few hundred bytes into an empty socket: it never waits.
    if (::send(client.socket.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        // The client has gone; nobody is left to be told.
    }
    client.done = true;
}

void ControlServer::Private::expire()
{
    for (auto& client : m_clients) {
        if (client.run >= 0 && !client.done && Clock::now() > client.deadline)
            reply(client,
                {{},
                    fmt::format("the worker has not answered for {} s; it may still make the "
                                "change when its step ends",
                        kPatience.count())});
    }
}

Result<std::unique_ptr<ControlServer>> ControlServer::listen(const std::filesystem::path& store,
    ExperimentController& controller, std::function<std::int64_t(int)> runId)
{
    std::string tried;
    for (auto& path : controlSockets(store, ::getpid())) {
        auto listener = listenAt(path);
        if (listener)
            return std::unique_ptr<ControlServer>(new ControlServer(std::make_unique<Private>(
                std::move(*listener), std::move(path), controller, std::move(runId))));
        tried += (tried.empty() ? "" : "; ") + listener.error().message;
    }
    return fail(fmt::format("other programs cannot change this run's settings: {}", tried));
}

ControlServer::ControlServer(std::unique_ptr<Private> d)
    : m_d(std::move(d))
{
}

ControlServer::~ControlServer() = default;

const std::filesystem::path& ControlServer::socket() const
{
    return m_d->m_path;
}

void ControlServer::close()
{
    m_d->close();
}

void ControlServer::onEvent(int run, const RunEvent& event)
{
    const auto* lifecycle = std::get_if<LifecycleEvent>(&event);
    if (lifecycle
        && (lifecycle->kind == event_kind::kSettingChanged
            || lifecycle->kind == event_kind::kSettingRefused))
        m_d->push({run, *lifecycle, std::nullopt});
}

void ControlServer::onState(int run, const RunOutcome& outcome)
{
    if (isEnd(outcome.state))
        m_d->push({run, std::nullopt, outcome.state});
}

} // namespace mantissa
