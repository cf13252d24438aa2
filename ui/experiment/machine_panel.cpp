// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/machine_panel.h"

#include "core/base/human_text.h"
#include "core/storage/host_identity.h"
#include "core/storage/slow_formats.h"
#include "ui/experiment/experiment_form.h"
#include "ui/experiment/fit_panel.h"
#include "ui/experiment/machine_basis.h"
#include "ui/experiment/memory_table.h"
#include "ui/experiment/outcome_table.h"
#include "ui/experiment/prediction_table.h"
#include "ui/experiment/problem_label.h"
#include "ui/experiment/whole_table.h"
#include "ui/hardware/card_text.h"
#include "ui/main_window/experiment_document.h"
#include "ui/session/run_session.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

namespace mantissa::ui {

namespace {

std::optional<ConfigProblem> saying(Severity severity, const QString& sentence)
{
    if (sentence.isEmpty())
        return std::nullopt;
    ConfigProblem problem;
    problem.severity = severity;
    problem.message = sentence.toStdString();
    return problem;
}

} // namespace

MachinePanel::MachinePanel(
    ExperimentForm& form, ExperimentDocument& document, MachineAccess access, QWidget* parent)
    : QWidget(parent)
    , m_form(form)
    , m_document(document)
    , m_access(std::move(access))
    , m_runner(new MachineRunner(m_access.questions, this))
    , m_history(new PredictionHistory(m_access.store, this))
    , m_file(document.file())
{
    setAccessibleName(tr("This machine"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 8);
    layout->setSpacing(2);
    setupButtons(*layout);
    setupResult(*layout);
    setupFit(*layout);
    setupOutcomes(*layout);
    connectParts();
    clearResults();
    takeDocument();
    readHistory();
}

MachinePanel::~MachinePanel()
{
    // The children live a little longer than this part of the panel: nobody hears them any more.
    for (QObject* child : findChildren<QObject*>())
        child->disconnect(this);
}

void MachinePanel::connectParts()
{
    connect(&m_document, &ExperimentDocument::changed, this, &MachinePanel::takeDocument);
    connect(m_measure, &QPushButton::clicked, this, &MachinePanel::measure);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_runner->cancel();
        updateButtons();
    });
    connect(m_runner, &MachineRunner::probed, this, &MachinePanel::takeProbe);
    connect(m_runner, &MachineRunner::measured, this, &MachinePanel::takeCheck);
    connect(m_runner, &MachineRunner::tried, this,
        [this](const QString& variant, const FitTrial& trial) {
            m_progress->setText(
                tr("%1, batch %2: %3")
                    .arg(variant, QString::fromStdString(groupedText(trial.batch)),
                        trial.peakBytes ? QString::fromStdString(bytesText(*trial.peakBytes))
                                        : tr("out of memory")));
        });
    connect(m_runner, &MachineRunner::fitted, this, [this](const std::vector<VariantFit>& fits) {
        m_fittedFor = m_asked;
        if (!m_asked.empty())
            m_fit->setFits(fits, m_fitLimit);
        end({}, false);
    });
    connect(m_runner, &MachineRunner::matched, this, &MachinePanel::takeMatch);
    connect(m_runner, &MachineRunner::failed, this,
        [this](const QString& text) { end(tr("Failed: %1").arg(text), true); });
    connect(m_runner, &MachineRunner::cancelled, this,
        [this] { end(tr("Cancelled: nothing of it is kept."), false); });
    connect(m_history, &PredictionHistory::listed, this,
        [this](const std::shared_ptr<const PredictionList>& list) {
            m_list = list;
            showOutcomes();
            showSlowFormats();
        });
    connect(m_history, &PredictionHistory::failed, this,
        [this](const QString& text) { m_notice->setProblem(saying(Severity::Error, text)); });
}

void MachinePanel::readHistory()
{
    if (!m_access.store.empty())
        m_history->read();
}

void MachinePanel::setSession(RunSession* session)
{
    m_session = session;
    if (session) {
        connect(session, &RunSession::stateChanged, this, [this] {
            updateButtons();
            if (m_session && m_session->ended())
                readHistory();
        });
    }
    updateButtons();
}

void MachinePanel::setOtherWork(const QString& what)
{
    m_otherWork = what;
    updateButtons();
}

QString MachinePanel::startProblem() const
{
    if (m_session && !m_session->ended())
        return tr("a run is on, and measuring would disturb its figures");
    return m_otherWork.isEmpty() ? m_document.startProblem() : m_otherWork;
}

QString MachinePanel::summary() const
{
    if (m_runner->isOn())
        return tr("measuring");
    if (m_measuredFor.empty())
        return tr("not measured yet");
    return m_stale->text().isEmpty() ? tr("measured %1").arg(checkTime(m_measuredMs))
                                     : tr("for earlier settings");
}

void MachinePanel::begin(const QString& progress)
{
    m_notice->setProblem(std::nullopt);
    m_progress->setText(progress);
    m_empty->hide();
    // A button that is disabled under the focus would hand it on to a field.
    const auto* focused = window()->focusWidget();
    m_cancel->setEnabled(true);
    if (focused && isAncestorOf(focused))
        m_cancel->setFocus();
    updateButtons();
    Q_EMIT busyChanged(tr("a measurement for the experiment is on"));
    Q_EMIT summaryChanged();
}

void MachinePanel::end(const QString& notice, bool error)
{
    clearResults();
    m_progress->setText(error ? QString() : notice);
    m_notice->setProblem(saying(Severity::Error, error ? notice : QString()));
    showStale();
    updateButtons();
    Q_EMIT busyChanged({});
    Q_EMIT summaryChanged();
}

/// Nothing, with the reason told, where no question can be asked now.
std::optional<WorkerProgram> MachinePanel::workerToAsk()
{
    if (m_runner->isOn() || !startProblem().isEmpty())
        return std::nullopt;
    auto worker = m_access.worker();
    if (worker)
        return *worker;
    m_notice->setProblem(saying(Severity::Error, QString::fromStdString(worker.error().message)));
    return std::nullopt;
}

void MachinePanel::measure()
{
    const auto worker = workerToAsk();
    if (!worker)
        return;
    // The old figures would stand between the new ones.
    m_measuredFor.clear();
    showProbes({});
    m_asked = measureBasis(*m_document.experiment());
    m_runner->measure(*worker, *m_document.experiment());
    begin(tr("a few real steps of each precision"));
}

void MachinePanel::fit(double limitBytes)
{
    const auto worker = workerToAsk();
    if (!worker)
        return;
    m_fit->clear();
    m_fittedFor.clear();
    m_fitLimit = limitBytes;
    m_asked = fitBasis(*m_document.experiment());
    m_runner->fit(*worker, m_document.experiment()->variants, limitBytes);
    begin(tr("trying batch sizes"));
}

void MachinePanel::match()
{
    const auto worker = workerToAsk();
    if (!worker)
        return;
    m_fit->clear();
    m_fittedFor.clear();
    m_asked = measureBasis(*m_document.experiment());
    m_runner->match(*worker, *m_document.experiment());
    begin(tr("the baseline's peak memory"));
}

void MachinePanel::takeMatch(const MemoryMatch& match)
{
    const auto& config = m_document.experiment();
    if (m_asked.empty() || !config || measureBasis(*config) != m_asked)
        return end(tr("The experiment was changed meanwhile: no batch is set."), false);
    for (std::size_t i = 0; i < match.variants.size(); ++i) {
        if (!match.variants[i].isBaseline)
            m_form.setOverride(i, "data.batch_size", QString::number(match.variants[i].batch));
    }
    end({}, false);
    m_fittedFor = fitBasis(*m_document.experiment());
    m_fit->setMatch(match.variants);
}

void MachinePanel::takeProbe(const ModelProbe& probe, int done, int total)
{
    auto probes = m_predictions->probes();
    probes.push_back(probe);
    showProbes(probes);
    m_progress->setText(tr("%1 of %2 measured").arg(done).arg(total));
}

void MachinePanel::takeCheck(const ModelCheck& check)
{
    m_measuredFor = m_asked;
    m_measuredMs = check.measuredMs;
    if (!m_asked.empty())
        showProbes(check.probes);
    if (!m_access.store.empty())
        m_history->add(check);
    end({}, false);
}

void MachinePanel::takeDocument()
{
    const auto& config = m_document.experiment();
    const bool opened = m_document.file() != m_file;
    m_file = m_document.file();
    // A file of the same settings is the experiment saved under another name.
    if (opened && (!config || measureBasis(*config) != m_measuredFor))
        m_measuredFor.clear();
    if (opened && (!config || fitBasis(*config) != m_fittedFor))
        m_fittedFor.clear();
    if (opened) {
        m_runner->cancel();
        m_asked.clear(); // should the answer come all the same
        clearResults();
    }
    showStale();
    showOutcomes();
    showSlowFormats();
    updateButtons();
    Q_EMIT summaryChanged();
}

/// What belongs to no question that is still known.
void MachinePanel::clearResults()
{
    if (m_measuredFor.empty())
        showProbes({});
    if (m_fittedFor.empty())
        m_fit->clear();
    if (!m_runner->isOn())
        m_progress->clear();
}

void MachinePanel::showProbes(const std::vector<ModelProbe>& probes)
{
    m_predictions->set(probes);
    m_memory->set(probes);
    m_empty->setVisible(probes.empty() && !m_runner->isOn());
    m_predictionView->setVisible(!probes.empty());
    m_memoryTitle->setVisible(m_memory->rowCount() > 0);
    m_memoryView->setVisible(m_memory->rowCount() > 0);
}

/// The words stand first; the figures are muted as well.
void MachinePanel::showStale()
{
    const auto& config = m_document.experiment();
    const auto isOld = [&](const Basis& basis, Basis (*now)(const ExperimentConfig&)) {
        return !basis.empty() && (!config || now(*config) != basis);
    };
    const bool measured = isOld(m_measuredFor, measureBasis);
    m_predictions->setStale(measured);
    m_memory->setStale(measured);
    m_stale->setProblem(saying(Severity::Warning,
        measured ? tr("These figures are for earlier settings. Measure again.") : QString()));
    m_empty->setVisible(m_measuredFor.empty() && m_predictions->rowCount() == 0);
    m_fit->setStale(isOld(m_fittedFor, fitBasis));
}

void MachinePanel::showOutcomes()
{
    const auto& config = m_document.experiment();
    const auto keys = config ? keysOf(config->variants) : std::set<std::string>();
    const auto isOfThese = [&keys](const auto& entry) { return keys.count(entry.key) > 0; };
    std::vector<PredictionOutcome> here;
    std::ranges::copy_if(m_list->outcomes, std::back_inserter(here), isOfThese);
    const bool predicted = std::ranges::any_of(m_list->models,
        [&](const ModelCheck& check) { return std::ranges::any_of(check.probes, isOfThese); });
    m_outcomeView->setVisible(!here.empty());
    m_outcomes->set(std::move(here));
    auto text = m_outcomes->summary();
    if (text.isEmpty())
        text = predicted ? tr("Predicted, but no run with these settings has finished here since.")
                         : tr("These settings were not predicted here yet.");
    m_outcomeText->setText(text);
}

void MachinePanel::showSlowFormats()
{
    QStringList lines;
    if (const auto& config = m_document.experiment()) {
        for (const auto& warning :
            slowFormatWarnings(*config, m_list->models, m_list->checks, currentHost().hostName))
            lines << QString::fromStdString(warning);
    }
    m_slow->setProblem(saying(Severity::Warning, lines.join(QLatin1Char('\n'))));
}

void MachinePanel::updateButtons()
{
    const bool on = m_runner->isOn();
    const auto why = on ? tr("a measurement is on") : startProblem();
    m_measure->setEnabled(why.isEmpty());
    if (!on && why.isEmpty() && window()->focusWidget() == m_cancel)
        m_measure->setFocus();
    m_measure->setToolTip(why.isEmpty()
            ? tr("Trains a few real steps of each variant, and of each precision that none of them "
                 "has, as the form stands")
            : tr("Not possible: %1").arg(why));
    m_cancel->setEnabled(on);
    m_cancel->setToolTip(on ? tr("Ends it at once; nothing of it is kept")
                            : tr("Not possible: nothing is being measured"));
    m_fit->setProblem(why);
    if (m_runner->isCancelling())
        m_progress->setText(tr("cancelling"));
}

} // namespace mantissa::ui
