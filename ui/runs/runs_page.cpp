// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/runs_page.h"

#include "core/base/human_text.h"
#include "core/config/config_io.h"
#include "ui/live/readout_view.h"
#include "ui/plot/plot_group.h"
#include "ui/runs/checklist_panel.h"
#include "ui/runs/details_panel.h"
#include "ui/runs/note_panel.h"
#include "ui/runs/operators_panel.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_event_model.h"
#include "ui/runs/run_exporter.h"
#include "ui/runs/run_plots.h"
#include "ui/runs/run_profiler.h"
#include "ui/runs/run_sort_filter.h"
#include "ui/runs/run_table_model.h"
#include "ui/runs/run_table_view.h"
#include "ui/runs/store_editor.h"
#include "ui/widgets/dock.h"

#include <QAction>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QUrl>
#include <algorithm>
#include <utility>

namespace mantissa::ui {

namespace {

constexpr int kReloadMs = 80;

std::vector<std::int64_t> idsOf(const std::vector<RunRecord>& runs)
{
    std::vector<std::int64_t> ids;
    for (const RunRecord& run : runs)
        ids.push_back(run.id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

} // namespace

RunsPage::RunsPage(const std::filesystem::path& store, WindowSettings& settings,
    RunProfiler& profiler, QWidget* parent)
    : Page(parent)
    , m_settings(settings)
    , m_reader(new StoreReader(store, this))
    , m_editor(new StoreEditor(store, this))
    , m_exporter(new RunExporter(store, this))
    , m_profiler(profiler)
    , m_model(new RunTableModel(this))
    , m_sorted(new RunSortFilter(*m_model, this))
    , m_eventModel(new RunEventModel(this))
{
    setAccessibleName(tr("Runs"));
    m_actions = new RunActions(*m_editor, *m_exporter, m_settings, *this);
    setupLayout();
    connectParts();
    m_reload.setSingleShot(true);
    m_reload.setInterval(kReloadMs);
    m_reader->start();
}

RunsPage::~RunsPage()
{
    m_note->commit();
    m_table->saveColumns();
    // The children live a little longer than this part of the page: nobody hears them any more.
    for (QObject* child : findChildren<QObject*>())
        child->disconnect(this);
}

QString RunsPage::name() const
{
    return tr("Runs");
}

Icon RunsPage::pageIcon() const
{
    return Icon::Runs;
}

QString RunsPage::description() const
{
    return tr("All stored runs: find, compare, note, report, export");
}

void RunsPage::pageShown()
{
    m_reader->poll();
    m_table->setFocus();
}

QString RunsPage::torchVersion() const
{
    for (int row = m_model->rowCount() - 1; row >= 0; --row) {
        const nlohmann::json& environment = m_model->runAt(row).environment;
        if (!environment.is_object())
            continue;
        const auto version = environment.find("torch_version");
        if (version != environment.end() && version->is_string())
            return QString::fromStdString(version->get<std::string>());
    }
    return {};
}

void RunsPage::connectParts()
{
    m_checklist->setProfiler(m_profiler);
    // What has ended is not read again by itself.
    connect(&m_profiler, &RunProfiler::ended, this, [this] { m_reload.start(); });
    connect(m_reader, &StoreReader::runsRead, this, &RunsPage::takeRuns);
    connect(m_reader, &StoreReader::runsLoaded, this, &RunsPage::takeData);
    connect(m_reader, &StoreReader::problemChanged, this,
        [this](const QString& problem) { showNotice(problem.toHtmlEscaped(), true); });
    connect(m_editor, &StoreEditor::changed, m_reader, &StoreReader::poll);
    connect(m_editor, &StoreEditor::failed, this,
        [this](const QString& text) { showNotice(text.toHtmlEscaped(), true); });
    connect(m_exporter, &RunExporter::failed, this,
        [this](const QString& text) { showNotice(text.toHtmlEscaped(), true); });
    connect(m_exporter, &RunExporter::written, this, [this](const QString& path) {
        showNotice(tr("Written: %1. <a href=\"%2\">Open</a>")
                       .arg(path.toHtmlEscaped(), QUrl::fromLocalFile(path).toString()),
            false);
        if (path.endsWith(QStringLiteral(".html")))
            Q_EMIT reportWritten(path);
    });
    connect(m_plots, &RunPlots::readoutChanged, this, &RunsPage::showReadout);
    connect(m_exporter, &RunExporter::busyChanged, m_actions, &RunActions::setWriting);
    connect(m_table, &RunTableView::selectedRunsChanged, this, &RunsPage::chosenChanged);
    connect(&m_reload, &QTimer::timeout, this,
        [this] { m_reader->load(idsOf(m_table->selectedRuns())); });
    connect(m_events->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
        [this](const QModelIndex& row) {
            const QVariant step = row.data(RunEventModel::StepRole);
            if (step.isValid())
                m_plots->moveCursorTo(
                    row.data(RunEventModel::RunIdRole).toLongLong(), step.toLongLong());
        });
    connect(m_actions->find, &QAction::triggered, this, [this] {
        m_filter->setFocus(Qt::ShortcutFocusReason);
        m_filter->selectAll();
    });
    connect(m_actions->note, &QAction::triggered, this, [this] { showNote(false); });
    connect(m_actions->tags, &QAction::triggered, this, [this] { showNote(true); });
    connect(m_actions, &RunActions::cloneRequested, this, &RunsPage::cloneRun);
    connect(m_actions, &RunActions::resumeRequested, this, &RunsPage::resumeRequested);
}

void RunsPage::takeRuns(const std::vector<RunRecord>& runs)
{
    m_model->setRuns(runs);
    if (!m_wanted.empty())
        selectRuns(std::exchange(m_wanted, {}));
    else if (!std::exchange(m_everListed, m_everListed || !runs.empty()))
        selectNewestComparison();
    updateCounts();
    chosenChanged();
}

void RunsPage::selectNewestComparison()
{
    std::vector<std::int64_t> newest;
    std::int64_t comparison = 0;
    for (const auto id : m_sorted->visibleRuns()) {
        const RunRecord& run = m_model->runAt(m_model->rowOf(id));
        if (run.comparisonId > comparison)
            newest.clear();
        comparison = std::max(comparison, run.comparisonId);
        if (run.comparisonId == comparison)
            newest.push_back(id);
    }
    selectRuns(newest);
}

void RunsPage::selectRuns(const std::vector<std::int64_t>& runs)
{
    QItemSelection selection;
    for (const auto id : runs) {
        const int row = m_model->rowOf(id);
        if (row < 0) {
            m_wanted = runs;
            return;
        }
        const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
        selection.select(index, index);
    }
    m_table->selectionModel()->select(
        selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (!selection.isEmpty())
        m_table->scrollTo(selection.indexes().first());
}

void RunsPage::chosenChanged()
{
    const std::vector<RunRecord> chosen = m_table->selectedRuns();
    m_actions->setRuns(chosen);
    m_note->setRuns(chosen);
    updateCounts();
    // What has ended does not change; its curves are loaded once.
    const bool allEnded = std::all_of(
        chosen.begin(), chosen.end(), [](const RunRecord& run) { return isEnd(run.state); });
    const auto ids = idsOf(chosen);
    if (ids == m_loadedIds && allEnded && m_loadedEnded)
        return;
    m_loadedIds = ids;
    m_loadedEnded = allEnded;
    m_reload.start();
}

void RunsPage::takeData(const std::shared_ptr<const RunDataList>& loaded)
{
    m_plots->setRuns(loaded);
    m_model->setPlotColours(m_plots->runColours());
    m_eventModel->setRuns(loaded);
    m_checklist->setRuns(loaded);
    m_checklistDock->setDetail(m_checklist->summary());
    m_operators->setRuns(*loaded);
    m_operatorsDock->setDetail(m_operators->summary());
    std::vector<RunRecord> runs;
    for (const RunData& run : *loaded)
        runs.push_back(run.run);
    m_details->setRuns(std::move(runs));
    m_eventsDock->setDetail(m_eventModel->summary());
}

void RunsPage::showReadout()
{
    m_readout->set(m_plots->readout());
    m_readoutDock->setDetail(ReadoutView::cursorText(m_plots->group()));
}

void RunsPage::applyFilter(const QString& text)
{
    const auto result = m_sorted->setFilterText(text);
    showNotice(result ? QString() : QString::fromStdString(result.error().message).toHtmlEscaped(),
        !result);
    updateCounts();
}

void RunsPage::cloneRun(const RunRecord& run)
{
    const auto read = [&]() -> Result<ExperimentConfig> {
        const auto store = RunStore::open(m_reader->file(), RunStore::Mode::ReadOnly);
        if (!store)
            return tl::unexpected(store.error());
        const auto comparison = (*store)->comparison(run.comparisonId);
        if (!comparison)
            return tl::unexpected(comparison.error());
        auto config = experimentFromJson(comparison->config);
        if (!config)
            return fail("the settings of run " + std::to_string(run.id)
                + " cannot be used: " + config.error().front().message);
        return std::move(*config);
    };
    const auto config = read();
    if (config)
        Q_EMIT cloneRequested(*config);
    else
        showNotice(QString::fromStdString(config.error().message).toHtmlEscaped(), true);
}

} // namespace mantissa::ui
