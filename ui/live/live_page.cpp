// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/live_page.h"

#include "core/run/series_info.h"
#include "ui/live/event_table.h"
#include "ui/live/legend_row.h"
#include "ui/live/live_controls.h"
#include "ui/live/readout_view.h"
#include "ui/live/result_table.h"
#include "ui/live/scaler_panel.h"
#include "ui/live/speed_up.h"
#include "ui/live/system_plots.h"
#include "ui/live/variant_panel.h"
#include "ui/main_window/window_settings.h"
#include "ui/runs/run_exporter.h"
#include "ui/session/run_session.h"
#include "ui/theme/value_text.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/fold_row.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <map>

namespace mantissa::ui {

namespace {

constexpr qint64 kSummaryEveryMs = 1000;

} // namespace

QString LivePage::description() const
{
    return tr("Live: the run as it happens");
}

void LivePage::setSession(RunSession* session)
{
    m_session = session;
    m_scaler->setVariants(session, {});
    m_speedUp->clear();
    m_speedUpDock->hide();
    m_slow->set({}, false);
    m_repetition = -1;
    m_chosenRepetition.reset();
    listRepetitions();
    if (session) {
        connect(session, &RunSession::updated, this, &LivePage::refresh);
        connect(session, &RunSession::stateChanged, this, [this] {
            refreshSummaries(true);
            m_scaler->refresh();
        });
        showRepetition(currentRepetition());
    }
    showEmpty();
}

int LivePage::currentRepetition() const
{
    int repetition = m_session->plan().front().repetition;
    for (const PlannedRun& run : m_session->plan()) {
        if (m_session->buffer().status(run.index).outcome.state != RunState::Queued)
            repetition = std::max(repetition, run.repetition);
    }
    return repetition;
}

/// The chooser has the repetitions that have begun; the first entry follows the run.
void LivePage::listRepetitions()
{
    std::map<int, std::uint64_t> seeds;
    for (const PlannedRun& run : m_session ? m_session->plan() : std::vector<PlannedRun>())
        seeds.emplace(run.repetition, run.variant.settings.run.seed);
    const bool several = seeds.size() > 1;
    m_repetitions->setVisible(several);
    const int begun = several ? currentRepetition() + 1 : 0;
    if (m_repetitions->count() == begun + 1 && several)
        return;
    const QSignalBlocker blocker(m_repetitions);
    m_repetitions->clear();
    m_repetitions->addItem(tr("current repetition"));
    for (int i = 0; i < begun; ++i)
        m_repetitions->addItem(tr("repetition %1, seed %2").arg(i + 1).arg(seeds[i]));
    m_repetitions->setCurrentIndex(m_chosenRepetition ? *m_chosenRepetition + 1 : 0);
}

void LivePage::showRepetition(int repetition)
{
    m_repetition = repetition;
    std::vector<Precision> precisions;
    m_variants.clear();
    for (const PlannedRun& run : m_session->plan()) {
        if (run.repetition != repetition)
            continue;
        precisions.push_back(run.variant.precision);
        m_variants.push_back({std::make_shared<RunTrace>(run), SeriesColour::Reference,
            QString::fromStdString(run.variant.name)});
    }
    const auto colours = variantColours(precisions);
    for (std::size_t i = 0; i < m_variants.size(); ++i)
        m_variants[i].colour = colours[i];
    m_summaries.assign(m_variants.size(), {});
    m_eventsSeen.assign(m_variants.size(), 0);
    m_endSeen.assign(m_variants.size(), false);
    m_plots->setVariants(m_variants);
    m_system->setVariants(m_variants);
    m_legend->setVariants(m_variants);
    m_panel->setVariants(m_variants);
    m_scaler->setVariants(m_session, m_variants);
    m_events->clear();
    m_eventLine->hide();
    refresh();
    refreshSummaries(true);
}

void LivePage::refresh()
{
    if (!m_session)
        return;
    listRepetitions();
    if (const int now = m_chosenRepetition.value_or(currentRepetition()); now != m_repetition)
        return showRepetition(now);
    for (const LiveVariant& variant : m_variants)
        variant.trace->poll(m_session->buffer());
    m_session->setFast(m_plots->group().dragging());
    m_plots->refresh();
    m_system->refresh();
    m_systemRow->setDetail(m_system->summary(m_session->activeRun()));
    refreshSummaries(false);
    refreshFigures();
    m_scaler->refresh();
    refreshEvents();
    showReadout();
}

void LivePage::refreshFigures()
{
    for (int i = 0; i < static_cast<int>(m_variants.size()); ++i) {
        const auto index = static_cast<std::size_t>(i);
        const RunTrace& trace = *m_variants[index].trace;
        std::optional<double> loss;
        if (const auto& steps = trace.series(series::kLoss).x; !steps.empty())
            loss = m_plots->smoothedAt(i, steps.back());
        m_legend->update(i, loss, trace);
        m_panel->card(i).update(
            m_variants[index], m_summaries[index], trace.run() == m_session->activeRun(), loss);
    }
    m_report->setEnabled(m_session->comparisonId() > 0 && !m_exporter->isBusy());
}

void LivePage::refreshSummaries(bool now)
{
    // A summary sorts all steps: in a long run it is made less often, for 5 % of the time at most.
    const qint64 wait = std::max(kSummaryEveryMs, 20 * m_summaryMs);
    if (!m_session || (!now && m_sinceSummary.isValid() && m_sinceSummary.elapsed() < wait))
        return;
    m_sinceSummary.start();
    std::vector<VariantResult> results;
    for (std::size_t i = 0; i < m_variants.size(); ++i) {
        const RunTrace& trace = *m_variants[i].trace;
        m_summaries[i] = trace.summary();
        results.push_back(
            {m_variants[i].name, m_summaries[i], trace.steps() - trace.skipped(), trace.skipped()});
    }
    m_summaryMs = m_sinceSummary.elapsed();
    m_result->set(std::move(results));
    const auto repeats = m_session->config().settings.run.repeat;
    m_resultDock->setDetail(
        repeats == 1 ? tr("one seed") : tr("seed %1 of %2").arg(m_repetition + 1).arg(repeats));
    refreshFigures();
    showSlowVariants();
}

/// Only of a comparison that has ended: a profile would disturb one that is on.
void LivePage::showSlowVariants()
{
    m_slow->set(
        m_session->ended() ? slowVariants(m_variants, m_summaries) : std::vector<SlowVariant>{},
        m_session->comparisonId() > 0);
}

void LivePage::explain(int variant)
{
    const LiveVariant& shown = m_variants.at(static_cast<std::size_t>(variant));
    m_speedUp->explain(m_session->runId(shown.trace->run()));
    m_speedUpDock->setDetail(shown.name);
    m_speedUpDock->show();
    m_speedUpDock->raise();
}

void LivePage::refreshEvents()
{
    std::vector<EventRow> rows;
    for (std::size_t i = 0; i < m_variants.size(); ++i) {
        const RunTrace& trace = *m_variants[i].trace;
        const auto add = [&](EventRow row) {
            row.variant = static_cast<int>(i);
            row.variantName = m_variants[i].name;
            row.colour = m_variants[i].colour;
            rows.push_back(std::move(row));
        };
        for (; m_eventsSeen[i] < trace.events().size(); ++m_eventsSeen[i]) {
            if (auto row = eventRow(trace.events()[m_eventsSeen[i]]))
                add(std::move(*row));
        }
        const RunOutcome& outcome = trace.status().outcome;
        if (m_endSeen[i] || !isEnd(outcome.state) || outcome.state == RunState::Finished)
            continue;
        m_endSeen[i] = true;
        const QString reason = QString::fromStdString(outcome.reason);
        const QString state = QString::fromStdString(std::string(toString(outcome.state)));
        EventRow row;
        row.sign = outcome.state == RunState::Stopped ? EventSign::Note : EventSign::Error;
        row.timeS = trace.last(series::kTimeS).value_or(0);
        if (trace.steps() > 0)
            row.step = static_cast<double>(trace.steps());
        row.text = reason.isEmpty() ? state : state + QStringLiteral(": ") + reason;
        add(std::move(row));
    }
    std::ranges::stable_sort(rows, {}, &EventRow::timeS);
    m_events->add(std::move(rows));
    const QString summary = m_events->summary();
    m_eventDock->setDetail(m_events->rowCount() == 0
            ? tr("nothing to report")
            : formatCount(m_events->rowCount()) + QStringLiteral(":  ") + summary);
}

void LivePage::showReadout()
{
    std::vector<ReadoutRow> rows;
    std::optional<double> shownStep;
    QString line;
    for (int i = 0; i < static_cast<int>(m_variants.size()); ++i) {
        const LiveVariant& variant = m_variants[static_cast<std::size_t>(i)];
        const RunTrace& trace = *variant.trace;
        ReadoutRow row;
        row.name = variant.name;
        row.colour = variant.colour;
        row.usesScaler = trace.variant().usesScaler();
        row.step = m_plots->stepAtCursor(i);
        if (row.step) {
            const double step = *row.step;
            shownStep = step;
            row.timeS = trace.valueAt(series::kTimeS, step);
            row.trainS = trace.trainSecondsAt(step);
            row.loss = trace.valueAt(series::kLoss, step);
            row.smoothed = m_plots->smoothedAt(i, step);
            row.scale = trace.valueAt(series::kScale, step);
            row.rate = trace.valueAt(series::kSamplesPerSecond, step);
            row.memoryBytes = trace.valueAt(series::kMemoryBytes, step);
            if (trace.valueAt(series::kFoundInf, step).value_or(0) != 0)
                line = tr("%1, step %2: gradients not finite, step skipped.")
                           .arg(row.name, formatCount(step));
        }
        rows.push_back(std::move(row));
    }
    m_readout->set(std::move(rows), line);
    m_readoutDock->setDetail(ReadoutView::cursorText(m_plots->group()));
}

void LivePage::openEvent(int row)
{
    const EventRow& event = m_events->row(row);
    m_eventLine->setText(
        event.detail.isEmpty() ? event.text : event.text + QLatin1Char('\n') + event.detail);
    m_eventLine->show();
    if (event.variant >= static_cast<int>(m_variants.size()))
        return;
    const RunTrace& trace = *m_variants[static_cast<std::size_t>(event.variant)].trace;
    if (const auto step = event.step || event.timeS <= 0 ? event.step : trace.stepAt(event.timeS))
        m_plots->showStep(event.variant, *step);
}

void LivePage::pageShown()
{
    m_plots->group().dataChanged();
    m_plots->loss()->setFocus();
}

void LivePage::report()
{
    if (!m_session || m_session->comparisonId() == 0 || m_exporter->isBusy())
        return;
    m_session->flush();
    std::vector<std::int64_t> runs;
    for (const PlannedRun& run : m_session->plan())
        runs.push_back(m_session->runId(run.index));
    const auto file = m_store.parent_path() / "reports"
        / ("comparison-" + std::to_string(m_session->comparisonId()) + ".html");
    m_exporter->writeReport(runs, QString::fromStdString(file.string()));
}

void LivePage::reportWritten(const QString& path)
{
    Q_EMIT message(tr("Report written to %1").arg(path));
    QDesktopServices::openUrl(QUrl::fromLocalFile(path));
}

} // namespace mantissa::ui
