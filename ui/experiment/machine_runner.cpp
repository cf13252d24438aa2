// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/machine_runner.h"

#include <QThread>
#include <utility>

namespace mantissa::ui {

MachineRunner::MachineRunner(MachineQuestions questions, QObject* parent)
    : QObject(parent)
    , m_questions(std::move(questions))
{
}

MachineRunner::~MachineRunner()
{
    // Ended here, while the thread may still post to this object.
    m_thread.request_stop();
    if (m_thread.joinable())
        m_thread.join();
}

void MachineRunner::tell(std::function<void()> emitIt)
{
    QMetaObject::invokeMethod(
        this,
        [this, emitIt = std::move(emitIt)] {
            if (!isCancelling())
                emitIt();
        },
        Qt::QueuedConnection);
}

template <typename Work, typename Done> void MachineRunner::start(Work work, Done done)
{
    if (m_on)
        return;
    m_on = true;
    m_thread = std::jthread([this, work, done](std::stop_token stop) {
        auto result = work(std::move(stop));
        const auto end = [this, done, result = std::move(result)] {
            Q_ASSERT(QThread::currentThread() == thread());
            const bool wasCancelled = isCancelling();
            m_on = false;
            m_thread.join();
            // What was complete before the stop came is as good as any.
            if (result)
                done(*result);
            else if (wasCancelled)
                Q_EMIT cancelled();
            else
                Q_EMIT failed(QString::fromStdString(result.error().message));
        };
        QMetaObject::invokeMethod(this, end, Qt::QueuedConnection);
    });
}

void MachineRunner::measure(const WorkerProgram& worker, const ExperimentConfig& config)
{
    const auto told = [this](const ModelProbe& probe, int done, int total) {
        tell([this, probe, done, total] { Q_EMIT probed(probe, done, total); });
    };
    start([ask = m_questions.measure, worker, config, told](
              std::stop_token stop) { return ask(worker, config, told, std::move(stop)); },
        [this](const ModelCheck& check) { Q_EMIT measured(check); });
}

void MachineRunner::fit(
    const WorkerProgram& worker, const std::vector<Variant>& variants, double limitBytes)
{
    const auto told = [this](const Variant& variant, const FitTrial& trial) {
        tell([this, name = QString::fromStdString(variant.name), trial] {
            Q_EMIT tried(name, trial);
        });
    };
    start(
        [ask = m_questions.fit, worker, variants, limitBytes, told](std::stop_token stop) {
            return ask(worker, variants, limitBytes, told, std::move(stop));
        },
        [this](const std::vector<VariantFit>& fits) { Q_EMIT fitted(fits); });
}

void MachineRunner::match(const WorkerProgram& worker, const ExperimentConfig& config)
{
    const auto told = [this](const std::string& variant, const FitTrial& trial) {
        tell([this, name = QString::fromStdString(variant), trial] { Q_EMIT tried(name, trial); });
    };
    start([ask = m_questions.match, worker, config, told](
              std::stop_token stop) { return ask(worker, config, told, std::move(stop)); },
        [this](const MemoryMatch& match) { Q_EMIT matched(match); });
}

void MachineRunner::cancel()
{
    if (m_on)
        m_thread.request_stop();
}

} // namespace mantissa::ui
