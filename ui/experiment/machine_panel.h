// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/experiment/machine_runner.h"
#include "ui/experiment/prediction_history.h"

#include <QPointer>
#include <QWidget>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace mantissa::ui {

class ExperimentDocument;
class ExperimentForm;
class FitPanel;
class MemoryTable;
class OutcomeTable;
class PredictionTable;
class ProblemLabel;
class RunSession;
class WholeTable;

/// What the panel works with.
struct MachineAccess {
    std::filesystem::path store;
    /// Where the worker is, asked at each question.
    std::function<Result<WorkerProgram>()> worker = []() -> Result<WorkerProgram> {
        return fail("no worker");
    };
    MachineQuestions questions = {};
};

/// What the experiment as it stands in the form will take on this machine: a few real steps of each
/// variant, the largest batch, and how good earlier predictions were. GUI thread only.
class MachinePanel : public QWidget {
    Q_OBJECT
public:
    MachinePanel(ExperimentForm& form, ExperimentDocument& document, MachineAccess access,
        QWidget* parent = nullptr);
    ~MachinePanel() override;

    void setSession(RunSession* session);
    /// Other work on the machine that a measurement would disturb, in a few words; empty = none.
    void setOtherWork(const QString& what);
    /// Reads the store again: a run or the command line may have added to it.
    void readHistory();
    MachineRunner& runner() { return *m_runner; }
    /// "measured 14:01", "for earlier settings", "not measured yet".
    QString summary() const;

public Q_SLOTS:
    void measure();

Q_SIGNALS:
    /// A question begins (why no run can start now) or has ended (empty).
    void busyChanged(const QString& why);
    void summaryChanged();

private:
    void setupButtons(QVBoxLayout& layout);
    void setupResult(QVBoxLayout& layout);
    void setupFit(QVBoxLayout& layout);
    void setupOutcomes(QVBoxLayout& layout);
    void connectParts();
    QString startProblem() const;
    void begin(const QString& progress);
    void end(const QString& notice, bool error);
    void fit(double limitBytes);
    void match();
    void takeMatch(const MemoryMatch& match);
    std::optional<WorkerProgram> workerToAsk();
    void takeDocument();
    void clearResults();
    void takeProbe(const ModelProbe& probe, int done, int total);
    void takeCheck(const ModelCheck& check);
    void showProbes(const std::vector<ModelProbe>& probes);
    void showStale();
    void showOutcomes();
    void showSlowFormats();
    void updateButtons();

    ExperimentForm& m_form;
    ExperimentDocument& m_document;
    MachineAccess m_access;
    MachineRunner* m_runner;
    PredictionHistory* m_history;
    QPointer<RunSession> m_session;
    QString m_otherWork;
    std::shared_ptr<const PredictionList> m_list = std::make_shared<PredictionList>();

    std::filesystem::path m_file; ///< of the document
    std::vector<std::string> m_asked; ///< what determines the answer to the question that is on
    std::vector<std::string> m_measuredFor; ///< and to the ones on show; empty = none
    std::vector<std::string> m_fittedFor;
    std::int64_t m_measuredMs = 0;
    double m_fitLimit = 0;

    QPushButton* m_measure = nullptr;
    QPushButton* m_cancel = nullptr;
    QLabel* m_progress = nullptr;
    ProblemLabel* m_notice = nullptr;
    ProblemLabel* m_slow = nullptr;
    ProblemLabel* m_stale = nullptr;
    QLabel* m_empty = nullptr;
    PredictionTable* m_predictions = nullptr;
    WholeTable* m_predictionView = nullptr;
    QLabel* m_memoryTitle = nullptr;
    MemoryTable* m_memory = nullptr;
    WholeTable* m_memoryView = nullptr;
    FitPanel* m_fit = nullptr;
    QLabel* m_outcomeText = nullptr;
    OutcomeTable* m_outcomes = nullptr;
    WholeTable* m_outcomeView = nullptr;
};

} // namespace mantissa::ui
