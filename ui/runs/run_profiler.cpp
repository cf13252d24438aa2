// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_profiler.h"

#include "core/base/paths.h"

#include <fmt/format.h>
#include <utility>

namespace mantissa::ui {

RunProfiler::RunProfiler(Work work, QObject* parent)
    : QObject(parent)
    , m_work(std::move(work))
{
}

RunProfiler::~RunProfiler()
{
    // Ended here, while the thread may still post to this object.
    m_thread.request_stop();
    if (m_thread.joinable())
        m_thread.join();
}

void RunProfiler::start(std::int64_t run)
{
    if (m_on)
        return;
    if (const QString problem = m_startProblem ? m_startProblem() : QString(); !problem.isEmpty()) {
        Q_EMIT ended(run, problem);
        return;
    }
    m_on = true;
    Q_EMIT started(run);
    m_thread = std::jthread([this, work = m_work, run](std::stop_token stop) {
        const auto tell = [this](const std::string& text) {
            QMetaObject::invokeMethod(
                this, [this, text] { Q_EMIT progressed(QString::fromStdString(text)); },
                Qt::QueuedConnection);
        };
        const auto result = work(run, tell, std::move(stop));
        const auto problem = result ? QString() : QString::fromStdString(result.error().message);
        QMetaObject::invokeMethod(
            this,
            [this, run, problem] {
                m_on = false;
                m_thread.join();
                Q_EMIT ended(run, problem);
            },
            Qt::QueuedConnection);
    });
}

void RunProfiler::cancel()
{
    if (m_on)
        m_thread.request_stop();
}

RunProfiler::Work profilingIn(const std::filesystem::path& file)
{
    return [file](std::int64_t run, const std::function<void(const std::string&)>& tell,
               std::stop_token stop) -> Result<RunProfiles> {
        const auto worker = findWorker();
        if (!worker)
            return tl::unexpected(worker.error());
        const auto store = RunStore::open(file);
        if (!store)
            return tl::unexpected(store.error());
        if (!(*store)->writable())
            return fail(
                fmt::format("{} cannot be written: the profile could not be kept", file.string()));
        return profileStoredRun(**store, run, {*worker, {}, torchFolder()}, tell, std::move(stop));
    };
}

} // namespace mantissa::ui
