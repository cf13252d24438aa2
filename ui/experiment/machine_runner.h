// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/experiment_fit.h"
#include "core/run/memory_match.h"
#include "core/run/model_probe_host.h"

#include <QObject>
#include <QString>
#include <functional>
#include <thread>

namespace mantissa::ui {

/// What asks the workers; core's functions but in tests.
struct MachineQuestions {
    std::function<Result<ModelCheck>(const WorkerProgram&, const ExperimentConfig&,
        const std::function<void(const ModelProbe& probe, int done, int total)>&, std::stop_token)>
        measure = runModelCheck;
    std::function<Result<std::vector<VariantFit>>(const WorkerProgram&, const std::vector<Variant>&,
        double limitBytes, const std::function<void(const Variant&, const FitTrial&)>&,
        std::stop_token)>
        fit = fitVariants;
    std::function<Result<MemoryMatch>(const WorkerProgram&, const ExperimentConfig&,
        const std::function<void(const std::string& variant, const FitTrial&)>&, std::stop_token)>
        match = matchMemory;
};

/// Asks workers about an experiment on a thread of its own and tells the GUI thread what comes. One
/// question at a time. GUI thread only.
///
///     runner.measure(worker, config); // probed() ..., then one of measured(), failed(),
///                                     // cancelled()
class MachineRunner : public QObject {
    Q_OBJECT
public:
    explicit MachineRunner(MachineQuestions questions, QObject* parent = nullptr);
    /// Stops what is on; its worker is killed at once.
    ~MachineRunner() override;

    /// These do nothing while a question is on.
    void measure(const WorkerProgram& worker, const ExperimentConfig& config);
    void fit(const WorkerProgram& worker, const std::vector<Variant>& variants, double limitBytes);
    void match(const WorkerProgram& worker, const ExperimentConfig& config);
    /// Returns at once; cancelled() follows.
    void cancel();

    bool isOn() const { return m_on; }
    bool isCancelling() const { return m_on && m_thread.get_stop_token().stop_requested(); }

Q_SIGNALS:
    void probed(const mantissa::ModelProbe& probe, int done, int total);
    void measured(const mantissa::ModelCheck& check);
    void tried(const QString& variant, const mantissa::FitTrial& trial);
    void fitted(const std::vector<mantissa::VariantFit>& fits);
    void matched(const mantissa::MemoryMatch& match);
    void failed(const QString& message);
    void cancelled();

private:
    /// Runs `work(stop)` on the thread, then `done(result)` or failed() or cancelled() here.
    template <typename Work, typename Done> void start(Work work, Done done);
    /// Emits in the GUI thread, unless the question was cancelled meanwhile.
    void tell(std::function<void()> emitIt);

    MachineQuestions m_questions;
    bool m_on = false;
    std::jthread m_thread;
};

} // namespace mantissa::ui
