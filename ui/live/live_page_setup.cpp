// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/event_table.h"
#include "ui/live/legend_row.h"
#include "ui/live/live_controls.h"
#include "ui/live/live_page.h"
#include "ui/live/readout_view.h"
#include "ui/live/result_table.h"
#include "ui/live/scaler_panel.h"
#include "ui/live/speed_up.h"
#include "ui/live/system_plots.h"
#include "ui/live/variant_panel.h"
#include "ui/main_window/experiment_document.h"
#include "ui/main_window/window_settings.h"
#include "ui/plot/plot_export.h"
#include "ui/runs/run_exporter.h"
#include "ui/session/run_session.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/dock_area.h"
#include "ui/widgets/fold_row.h"
#include "ui/widgets/table.h"

#include <QAction>
#include <QComboBox>
#include <QFrame>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>

namespace mantissa::ui {

namespace {

constexpr int kLayoutVersion = 3;
/// In a page smaller than this the docks of a side are tabs.
constexpr QSize kRoomy(1060, 640);
const QString kSystemFolded = QStringLiteral("live/system_folded");

} // namespace

LivePage::LivePage(QAction* start, const ExperimentDocument& document, WindowSettings& settings,
    std::filesystem::path store, RunProfiler& profiler, QWidget* parent)
    : Page(parent)
    , m_settings(settings)
    , m_document(document)
    , m_start(start)
    , m_store(std::move(store))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_docks = new DockArea(kLayoutVersion, this);
    m_exporter = new RunExporter(m_store, this);
    layout->addWidget(m_docks);
    setupCentre();
    setupDocks(profiler);
    setupExport();
    connectParts();
    loadOptions();
    showEmpty();
    connect(&document, &ExperimentDocument::changed, this, &LivePage::showEmpty);
}

LivePage::~LivePage() = default;

void LivePage::setupCentre()
{
    auto* centre = new QWidget(m_docks);
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_controls = new LiveControls(centre);
    m_legend = new LegendRow(centre);
    m_plots = new LivePlots(centre);
    auto* card = new QFrame(centre);
    card->setFrameShape(QFrame::Box);
    m_empty = card;
    auto* box = new QVBoxLayout(m_empty);
    box->setContentsMargins(20, 16, 20, 16);
    box->setSpacing(12);
    m_emptyText = new QLabel(m_empty);
    m_emptyText->setForegroundRole(QPalette::PlaceholderText);
    m_emptyText->setAlignment(Qt::AlignCenter);
    auto* button = new QPushButton(m_start->icon(), m_start->text(), m_empty);
    button->setObjectName(QStringLiteral("live_start"));
    button->setEnabled(m_start->isEnabled());
    connect(button, &QPushButton::clicked, m_start, &QAction::trigger);
    connect(m_start, &QAction::changed, button, [this, button] {
        button->setEnabled(m_start->isEnabled());
        button->setToolTip(m_start->toolTip());
    });
    box->addWidget(m_emptyText);
    box->addWidget(button, 0, Qt::AlignHCenter);
    m_empty->setAutoFillBackground(true);
    m_empty->setBackgroundRole(QPalette::Base);
    auto* stack = new QGridLayout;
    stack->addWidget(m_plots, 0, 0);
    stack->addWidget(m_empty, 0, 0, Qt::AlignCenter);
    layout->addWidget(m_controls);
    setupRepetitions(*layout);
    layout->addLayout(stack, 1);
    setupSystem(*layout);
    m_docks->setCentralWidget(centre);
}

/// Folded at first: the curves of the training come first, and its title tells the figures of now.
void LivePage::setupSystem(QVBoxLayout& layout)
{
    m_system = new SystemPlots;
    m_systemRow = new FoldRow(tr("System"), m_system);
    m_systemRow->button()->setObjectName(QStringLiteral("system_fold"));
    m_systemRow->setDetail(m_system->summary(-1));
    m_systemRow->setFolded(m_settings.flag(kSystemFolded, true));
    layout.addWidget(m_systemRow);
    connect(m_systemRow, &FoldRow::foldedChanged, this,
        [this](bool folded) { m_settings.set(kSystemFolded, folded); });
}

/// The legend, and at its end the chooser of the repetition; hidden where there is only one.
void LivePage::setupRepetitions(QVBoxLayout& layout)
{
    m_repetitions = new QComboBox(m_legend);
    m_repetitions->setFixedHeight(22);
    m_repetitions->setFont(tableFont(font()));
    m_repetitions->setObjectName(QStringLiteral("repetitions"));
    m_repetitions->setAccessibleName(tr("Repetition shown"));
    m_repetitions->setToolTip(
        tr("Which repetition the page shows; \"current\" goes on with the run"));
    m_repetitions->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_legend->addAtEnd(m_repetitions);
    layout.addWidget(m_legend);
    connect(m_repetitions, &QComboBox::activated, this, [this](int index) {
        m_chosenRepetition = index > 0 ? std::optional(index - 1) : std::nullopt;
        refresh();
    });
    m_repetitions->hide();
}

void LivePage::setupDocks(RunProfiler& profiler)
{
    m_panel = new VariantPanel(m_docks);
    Dock* variants = m_docks->addDock(
        QStringLiteral("variants"), tr("Variants"), m_panel, Qt::RightDockWidgetArea);
    setupScaler(*variants);
    m_resultDock = m_docks->addDock(
        QStringLiteral("result"), tr("Result so far"), makeResult(), Qt::RightDockWidgetArea);
    m_resultDock->addTitleWidget(makeReportButton());
    setupSpeedUp(*variants, profiler);

    m_readout = new ReadoutView(m_docks);
    m_readoutDock = m_docks->addDock(
        QStringLiteral("readout"), tr("Read-out"), m_readout, Qt::BottomDockWidgetArea);

    m_eventDock = m_docks->addDock(
        QStringLiteral("alerts"), tr("Alerts"), makeEvents(), Qt::BottomDockWidgetArea);
    m_eventDock->setDetail(tr("nothing to report"));
    m_docks->resizeDocks({m_readoutDock, m_eventDock}, {180, 180}, Qt::Vertical);
    m_docks->resizeDocks({m_readoutDock, m_eventDock}, {620, 430}, Qt::Horizontal);
    m_docks->resizeDocks({variants, m_resultDock}, {580, 206}, Qt::Vertical);
}

/// A tab behind the variants; their cards bring it to the front.
void LivePage::setupScaler(Dock& beside)
{
    m_scaler = new ScalerPanel(m_docks);
    m_scalerDock =
        m_docks->addDock(QStringLiteral("scaler"), tr("Scaler"), m_scaler, Qt::RightDockWidgetArea);
    m_scalerDock->setDetail(tr("of the run that is on"));
    m_docks->tabifyDockWidget(&beside, m_scalerDock);
    beside.raise();
    addAction(m_scaler->undoAction());
    connect(m_panel, &VariantPanel::scalerWanted, this, [this](int variant) {
        m_scalerDock->show();
        m_scalerDock->raise();
        m_scaler->choose(variant);
    });
    connect(m_scaler, &ScalerPanel::variantRequested, this,
        [this](int run, const ScalerConfig& scaler) {
            Q_EMIT variantRequested(m_session->runId(run), scaler);
        });
}

/// A tab behind the variants too, not there before somebody asks why.
void LivePage::setupSpeedUp(Dock& beside, RunProfiler& profiler)
{
    m_speedUp = new SpeedUpPanel(m_store, profiler, m_docks);
    m_speedUpDock = m_docks->addDock(
        QStringLiteral("speed_up"), tr("Why no speed-up"), m_speedUp, Qt::RightDockWidgetArea);
    m_docks->tabifyDockWidget(&beside, m_speedUpDock);
    beside.raise();
    m_speedUpDock->hide();
    connect(m_slow, &SpeedUpLines::whyWanted, this, &LivePage::explain);
}

QPushButton* LivePage::makeReportButton()
{
    m_report = new QPushButton(icon(Icon::Report), tr("Report"));
    m_report->setObjectName(QStringLiteral("live_report"));
    m_report->setFixedHeight(20);
    m_report->setIconSize(QSize(14, 14));
    m_report->setFont(tableFont(font()));
    m_report->setToolTip(tr("Writes a self-contained HTML report of this comparison and opens it"));
    m_report->setEnabled(false);
    connect(m_exporter, &RunExporter::busyChanged, this, [this](bool busy) {
        m_report->setText(busy ? tr("Writing...") : tr("Report"));
        m_report->setEnabled(!busy && m_session && m_session->comparisonId() > 0);
    });
    connect(m_exporter, &RunExporter::written, this, &LivePage::reportWritten);
    connect(m_exporter, &RunExporter::failed, this,
        [this](const QString& text) { QMessageBox::warning(this, tr("Report"), text); });
    return m_report;
}

QWidget* LivePage::makeEvents()
{
    auto* box = new QWidget(m_docks);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_eventView = new QTableView(box);
    m_eventView->setObjectName(QStringLiteral("events"));
    m_eventView->setAccessibleName(tr("Alerts"));
    m_events = new EventTable(m_eventView);
    setupTable(*m_eventView);
    m_eventView->setModel(m_events);
    const int widths[] = {28, 56, 64, 64};
    for (int column = 0; column < 4; ++column)
        m_eventView->setColumnWidth(column, widths[column]);
    m_eventView->horizontalHeader()->setStretchLastSection(true);
    m_eventLine = new QLabel(box);
    m_eventLine->setObjectName(QStringLiteral("event_line"));
    m_eventLine->setFont(tableFont(font()));
    m_eventLine->setContentsMargins(8, 4, 8, 4);
    m_eventLine->setWordWrap(true);
    m_eventLine->setTextFormat(Qt::PlainText);
    m_eventLine->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_eventLine->hide();
    layout->addWidget(m_eventView);
    layout->addWidget(m_eventLine);
    return box;
}

QWidget* LivePage::makeResult()
{
    auto* box = new QWidget(m_docks);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* table = new QTableView(box);
    table->setObjectName(QStringLiteral("result"));
    table->setAccessibleName(tr("Result so far"));
    m_result = new ResultTable(table);
    setupTable(*table);
    table->setModel(m_result);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    connect(m_result, &QAbstractItemModel::modelReset, table, [table] {
        table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    });
    table->setMinimumHeight(100);
    m_slow = new SpeedUpLines(box);
    layout->addWidget(table, 1);
    layout->addWidget(m_slow);
    return box;
}

void LivePage::setupExport()
{
    QMenu* menu = m_controls->exportMenu();
    for (SeriesPlot* plot : m_plots->plots()) {
        menu->addAction(tr("Save %1 plot...").arg(plot->title().toLower()), this,
            [this, plot] { exportPlotWithDialog(*plot, m_plots->group().xAxisKind(), this); });
    }
    menu->addSeparator();
    for (SeriesPlot* plot : m_plots->plots())
        menu->addAction(
            tr("Copy %1 plot").arg(plot->title().toLower()), this, [plot] { copyPlot(*plot); });
    // The plots of the machine are there only as far as a run has data for them.
    QMenu* system = menu->addMenu(tr("System"));
    connect(menu, &QMenu::aboutToShow, this, [this, system] {
        system->clear();
        system->setEnabled(!m_system->plots().empty());
        for (SeriesPlot* plot : m_system->plots()) {
            system->addAction(tr("Save %1 plot...").arg(plot->title()), this,
                [this, plot] { exportPlotWithDialog(*plot, XAxisKind::RelativeTime, this); });
        }
        system->addSeparator();
        for (SeriesPlot* plot : m_system->plots())
            system->addAction(
                tr("Copy %1 plot").arg(plot->title()), this, [plot] { copyPlot(*plot); });
    });
}

void LivePage::connectParts()
{
    connect(m_controls, &LiveControls::changed, this, [this] {
        applyOptions();
        saveOptions();
    });
    PlotGroup& group = m_plots->group();
    PlotGroup& system = m_system->group();
    for (PlotGroup* each : {&group, &system}) {
        connect(m_controls, &LiveControls::followChosen, each, &PlotGroup::setFollow);
        connect(m_controls, &LiveControls::fitChosen, each, &PlotGroup::fit);
        connect(each, &PlotGroup::followChanged, m_controls,
            [this, &group, &system] { m_controls->setFollow(group.follow() && system.follow()); });
    }
    connect(&group, &PlotGroup::cursorChanged, this, &LivePage::showReadout);
    connect(&group, &PlotGroup::rangeChanged, this, [this] {
        if (m_session)
            m_session->setFast(m_plots->group().dragging());
    });
    connect(m_legend, &LegendRow::shownChanged, m_plots, &LivePlots::setVariantVisible);
    connect(m_legend, &LegendRow::shownChanged, m_system, &SystemPlots::setVariantVisible);
    connect(m_eventView, &QTableView::clicked, this,
        [this](const QModelIndex& index) { openEvent(index.row()); });
    connect(m_eventView, &QTableView::activated, this,
        [this](const QModelIndex& index) { openEvent(index.row()); });
    connect(m_report, &QPushButton::clicked, this, &LivePage::report);
}

void LivePage::showEmpty()
{
    m_empty->setVisible(m_session == nullptr);
    const auto& experiment = m_document.experiment();
    if (!experiment) {
        m_emptyText->setText(tr("No run is on. Choose an experiment above."));
        return;
    }
    QStringList precisions;
    for (const Variant& variant : experiment->variants)
        precisions << QString::fromStdString(variant.name);
    const QString last = precisions.takeLast();
    m_emptyText->setText(
        tr("No run is on. Start trains %1 in %2.")
            .arg(QString::fromStdString(experiment->name),
                precisions.isEmpty()
                    ? last
                    : tr("%1 and %2").arg(precisions.join(QStringLiteral(", ")), last)));
}

void LivePage::applyOptions()
{
    const LiveOptions options = m_controls->options();
    m_plots->setSmoothing(options.smoothing);
    m_plots->setRawVisible(options.raw);
    m_plots->setLogLoss(options.logLoss);
    m_plots->setMarksVisible(options.marks);
    m_plots->setXAxisKind(options.xAxis);
    if (m_session)
        refreshFigures();
    showReadout();
}

void LivePage::loadOptions()
{
    m_controls->setOptions(loadLiveOptions(m_settings, QStringLiteral("live")));
    applyOptions();
}

void LivePage::saveOptions()
{
    saveLiveOptions(m_settings, QStringLiteral("live"), m_controls->options());
}

void LivePage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    m_docks->setCompact(width() < kRoomy.width() || height() < kRoomy.height());
}

QByteArray LivePage::saveLayout() const
{
    return m_docks->saveLayout();
}

void LivePage::restoreLayout(const QByteArray& layout)
{
    m_docks->restoreLayout(layout);
    if (m_speedUp->run() == 0)
        m_speedUpDock->hide();
}

} // namespace mantissa::ui
