// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/check_runner.h"

#include <QThread>
#include <utility>

namespace mantissa::ui {

CheckRunner::CheckRunner(RunCheck run, QObject* parent)
    : QObject(parent)
    , m_run(std::move(run))
{
}

CheckRunner::~CheckRunner()
{
    // Ended here, while the thread may still post to this object.
    m_thread.request_stop();
    if (m_thread.joinable())
        m_thread.join();
}

void CheckRunner::start(const WorkerProgram& worker, const CheckRequest& request)
{
    if (m_on)
        return;
    m_on = true;
    m_thread = std::jthread([this, run = m_run, worker, request](std::stop_token stop) {
        const auto tell = [this](const CheckProgress& progress) {
            QMetaObject::invokeMethod(
                this,
                [this, progress] {
                    if (!isCancelling())
                        Q_EMIT progressed(progress);
                },
                Qt::QueuedConnection);
        };
        auto result = run(worker, request, tell, std::move(stop));
        QMetaObject::invokeMethod(
            this, [this, result = std::move(result)] { end(result); }, Qt::QueuedConnection);
    });
}

void CheckRunner::cancel()
{
    if (m_on)
        m_thread.request_stop();
}

void CheckRunner::end(const Result<CapabilityCard>& result)
{
    Q_ASSERT(QThread::currentThread() == thread());
    const bool wasCancelled = isCancelling();
    m_on = false;
    m_thread.join();
    // A card that was complete before the stop came is as good as any.
    if (result)
        Q_EMIT finished(*result);
    else if (wasCancelled)
        Q_EMIT cancelled();
    else
        Q_EMIT failed(QString::fromStdString(result.error().message));
}

} // namespace mantissa::ui
