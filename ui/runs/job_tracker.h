// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace mantissa::ui {

/// Runs jobs of one kind in the background and hands each result to a function in the context's
/// thread. The newest job wins: results of older ones are dropped. A member of its context, whose
/// destructor waits for the pool. Call it in the context's thread only; jobs must not throw.
class JobTracker {
public:
    /// Asked by a long job now and then: true once its result is not wanted any more.
    using Outdated = std::function<bool()>;

    explicit JobTracker(QObject& context)
        : m_context(context)
        , m_newest(std::make_shared<std::atomic<std::uint64_t>>(0))
    {
    }

    /// `job(outdated)` runs on `pool`, `done(result)` in the context's thread.
    template <typename Job, typename Done> void start(QThreadPool& pool, Job job, Done done)
    {
        const std::uint64_t id = ++*m_newest;
        ++m_running;
        pool.start([this, id, newest = m_newest, job = std::move(job), done = std::move(done)] {
            auto result = job(Outdated([id, newest] { return *newest != id; }));
            QMetaObject::invokeMethod(
                &m_context,
                [this, id, newest, done, result = std::move(result)]() mutable {
                    --m_running;
                    if (*newest == id)
                        done(std::move(result));
                },
                Qt::QueuedConnection);
        });
    }

    /// Drops what is under way.
    void cancel() { ++*m_newest; }
    /// Whether a job was started whose result has not come back yet.
    bool isBusy() const { return m_running > 0; }

private:
    QObject& m_context;
    std::shared_ptr<std::atomic<std::uint64_t>> m_newest;
    int m_running = 0;
};

} // namespace mantissa::ui
