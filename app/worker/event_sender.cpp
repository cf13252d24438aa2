// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/event_sender.h"

#include "core/run/protocol.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <unistd.h>

namespace mantissa {

namespace {

/// How long the host may take to read the last lines.
constexpr std::chrono::seconds kLastWrite{5};

} // namespace

EventSender::EventSender(int fileDescriptor)
    : m_fileDescriptor(fileDescriptor)
    , m_thread([this] { run(); })
{
}

EventSender::~EventSender()
{
    {
        std::unique_lock lock(m_mutex);
        m_closing = true;
        m_changed.notify_all();
        // A host that neither reads nor goes away must not keep us.
        if (!m_changed.wait_for(lock, kLastWrite, [this] { return m_done; }))
            std::_Exit(EXIT_FAILURE);
    }
    m_thread.join();
}

void EventSender::send(RunEvent event)
{
    push(std::move(event), true);
}

void EventSender::sendAtOnce(RunEvent event)
{
    push(std::move(event), false);
}

void EventSender::push(RunEvent event, bool mayWait)
{
    {
        std::unique_lock lock(m_mutex);
        if (mayWait)
            m_changed.wait(lock, [this] { return m_broken || m_queue.size() < kMostQueued; });
        if (m_broken || m_finished)
            return;
        m_finished = std::holds_alternative<Finished>(event);
        m_queue.push_back(std::move(event));
    }
    m_changed.notify_all();
}

void EventSender::run()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [this] { return m_closing || !m_queue.empty(); });
        if (m_queue.empty())
            break;
        std::deque<RunEvent> batch;
        batch.swap(m_queue);
        lock.unlock();
        std::string bytes;
        for (const auto& event : batch)
            bytes += encodeEvent(event) + '\n';
        const bool written = writeAll(bytes);
        lock.lock();
        if (!written) {
            m_broken = true;
            m_queue.clear();
        }
        m_changed.notify_all();
    }
    m_done = true;
    m_changed.notify_all();
}

bool EventSender::writeAll(const std::string& bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto written = write(m_fileDescriptor, bytes.data() + done, bytes.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        done += static_cast<std::size_t>(written);
    }
    return true;
}

} // namespace mantissa
