// SPDX-License-Identifier: GPL-3.0-or-later
// How the Runs page is put together.
#include "ui/live/readout_view.h"
#include "ui/runs/checklist_panel.h"
#include "ui/runs/details_panel.h"
#include "ui/runs/note_panel.h"
#include "ui/runs/operators_panel.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_event_model.h"
#include "ui/runs/run_plots.h"
#include "ui/runs/run_query.h"
#include "ui/runs/run_sort_filter.h"
#include "ui/runs/run_table_model.h"
#include "ui/runs/run_table_view.h"
#include "ui/runs/runs_page.h"
#include "ui/runs/store_editor.h"
#include "ui/theme/icons.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/dock_area.h"
#include "ui/widgets/notice.h"
#include "ui/widgets/table.h"

#include <QAction>
#include <QCheckBox>
#include <QDataStream>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace mantissa::ui {

namespace {

constexpr int kStripHeight = 36;
constexpr int kRowHeight = 22;
constexpr qint32 kLayoutVersion = 2;
/// In a page smaller than this the docks of a side are tabs.
constexpr QSize kRoomyDocks(1060, 640);

QToolButton* button(QAction* action)
{
    auto* result = new QToolButton;
    result->setDefaultAction(action);
    result->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    result->setAutoRaise(true);
    return result;
}

QWidget* separator()
{
    auto* line = new QFrame;
    line->setFrameShape(QFrame::VLine);
    line->setForegroundRole(QPalette::Mid);
    return line;
}

QToolButton* exportButton(const RunActions& actions, QWidget* parent)
{
    auto* result = new QToolButton(parent);
    result->setText(RunsPage::tr("Export"));
    result->setIcon(icon(Icon::Export));
    result->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    result->setAutoRaise(true);
    result->setPopupMode(QToolButton::InstantPopup);
    result->setToolTip(RunsPage::tr("Write the chosen runs as CSV or JSON"));
    auto* menu = new QMenu(result);
    menu->addActions({actions.exportCsv, actions.exportJson});
    result->setMenu(menu);
    const auto follow = [result, action = actions.exportCsv] {
        result->setEnabled(action->isEnabled());
    };
    QObject::connect(actions.exportCsv, &QAction::changed, result, follow);
    follow();
    return result;
}

} // namespace

void RunsPage::setupLayout()
{
    m_docks = new DockArea(kLayoutVersion, this);
    m_plots = new RunPlots(m_settings);
    m_splitter = new QSplitter(Qt::Vertical);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(setupTable());
    m_splitter->addWidget(m_plots);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({260, 500});
    m_docks->setCentralWidget(m_splitter);
    setupDocks();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(setupStrip());
    m_notice = new Notice;
    m_notice->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_notice->setOpenExternalLinks(true);
    layout->addWidget(m_notice);
    layout->addWidget(m_docks, 1);
    updateCounts();
}

void RunsPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    // The plots' controls need about 1,000 px: beside the docks only where there is room.
    constexpr int kRoomy = 1340;
    m_docks->setCompact(width() < kRoomyDocks.width() || height() < kRoomyDocks.height());
    const bool roomy = width() >= kRoomy;
    if (roomy == m_roomy)
        return;
    m_roomy = roomy;
    if (roomy)
        m_plots->takeControls();
    else
        static_cast<QVBoxLayout*>(layout())->insertWidget(1, m_plots->controls());
}

QWidget* RunsPage::setupStrip()
{
    m_filter = new QLineEdit;
    m_filter->setPlaceholderText(tr("Filter: cnn precision:fp16 loss:<0.3 -tag:old"));
    m_filter->setObjectName(QStringLiteral("runs_filter"));
    m_filter->setAccessibleName(tr("Filter runs"));
    m_filter->setToolTip(RunQuery::help());
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(180);
    m_filter->setMaximumWidth(420);
    m_archived = new QCheckBox(tr("Archived"));
    m_archived->setToolTip(tr("Show archived runs too"));
    m_counts = new QLabel;
    m_counts->setForegroundRole(QPalette::PlaceholderText);

    auto* strip = new QWidget;
    strip->setMinimumHeight(kStripHeight);
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    row->addWidget(m_filter, 1);
    row->addWidget(m_archived);
    row->addWidget(m_counts);
    row->addWidget(separator());
    for (QAction* action :
        {m_actions->note, m_actions->tags, m_actions->archive, m_actions->remove})
        row->addWidget(button(action));
    row->addWidget(separator());
    row->addWidget(button(m_actions->report));
    row->addWidget(exportButton(*m_actions, strip));
    row->addWidget(button(m_actions->clone));
    row->addWidget(button(m_actions->resume));
    row->addWidget(separator());
    auto* undo = button(m_actions->undo);
    undo->setToolButtonStyle(Qt::ToolButtonIconOnly);
    auto* redo = button(m_actions->redo);
    redo->setToolButtonStyle(Qt::ToolButtonIconOnly);
    row->addWidget(undo);
    row->addWidget(redo);
    row->addStretch(0);
    connect(m_filter, &QLineEdit::textChanged, this, &RunsPage::applyFilter);
    connect(m_archived, &QCheckBox::toggled, this, [this](bool on) {
        m_sorted->setArchivedShown(on);
        updateCounts();
    });
    return strip;
}

QWidget* RunsPage::setupTable()
{
    m_table = new RunTableView(*m_model, *m_sorted, m_settings);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this, &RunsPage::showTableMenu);
    m_tableOrEmpty = new QStackedWidget;
    m_tableOrEmpty->addWidget(m_table);
    m_tableOrEmpty->addWidget(setupEmptyState());
    m_tableOrEmpty->setMinimumHeight(4 * kRowHeight);
    return m_tableOrEmpty;
}

QWidget* RunsPage::setupEmptyState()
{
    m_emptyText = new QLabel;
    m_emptyText->setForegroundRole(QPalette::PlaceholderText);
    m_emptyButton = new QPushButton;
    auto* empty = new QWidget;
    empty->setAutoFillBackground(true);
    empty->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(empty);
    column->addStretch(1);
    column->addWidget(m_emptyText, 0, Qt::AlignCenter);
    column->addWidget(m_emptyButton, 0, Qt::AlignCenter);
    column->addStretch(1);
    connect(m_emptyButton, &QPushButton::clicked, this, [this] {
        if (m_model->rowCount() == 0) {
            Q_EMIT startRequested();
        } else if (m_filter->text().isEmpty()) {
            m_archived->setChecked(true);
        } else {
            m_filter->clear();
        }
    });
    return empty;
}

void RunsPage::setupDocks()
{
    m_details = new DetailsPanel(m_settings);
    m_note = new NotePanel(*m_editor);
    m_events = new QTableView;
    m_events->setModel(m_eventModel);
    m_events->setAccessibleName(tr("Events of the chosen runs"));
    mantissa::ui::setupTable(*m_events);
    m_events->horizontalHeader()->setStretchLastSection(true);
    const int widths[] = {72, 56, 52};
    for (int column = 0; column < 3; ++column)
        m_events->setColumnWidth(column, widths[column]);

    m_checklist = new ChecklistPanel;
    m_detailsDock = m_docks->addDock(
        QStringLiteral("details"), tr("Details"), m_details, Qt::RightDockWidgetArea);
    m_checklistDock = m_docks->addDock(
        QStringLiteral("checklist"), tr("Checklist"), m_checklist, Qt::RightDockWidgetArea);
    m_eventsDock =
        m_docks->addDock(QStringLiteral("events"), tr("Events"), m_events, Qt::RightDockWidgetArea);
    m_noteDock = m_docks->addDock(
        QStringLiteral("note"), tr("Note and tags"), m_note, Qt::RightDockWidgetArea);
    m_operators = new OperatorsPanel;
    m_operatorsDock = m_docks->addDock(
        QStringLiteral("operators"), tr("Operators"), m_operators, Qt::RightDockWidgetArea);
    m_docks->tabifyDockWidget(m_detailsDock, m_checklistDock);
    m_docks->tabifyDockWidget(m_detailsDock, m_operatorsDock);
    m_detailsDock->raise();
    m_readout = new ReadoutView;
    m_readoutDock = m_docks->addDock(
        QStringLiteral("runs_readout"), tr("Read-out"), m_readout, Qt::BottomDockWidgetArea);
    showReadout();
    m_docks->resizeDocks({m_readoutDock}, {130}, Qt::Vertical);
    m_docks->resizeDocks({m_detailsDock}, {352}, Qt::Horizontal);
    m_docks->resizeDocks({m_detailsDock, m_eventsDock, m_noteDock}, {420, 200, 150}, Qt::Vertical);
    connect(m_details, &DetailsPanel::summaryChanged, m_detailsDock, &Dock::setDetail);
}

void RunsPage::showTableMenu(const QPoint& position)
{
    QMenu menu;
    menu.addActions({m_actions->note, m_actions->tags, m_actions->archive, m_actions->remove});
    menu.addSeparator();
    menu.addActions({m_actions->report, m_actions->exportCsv, m_actions->exportJson});
    menu.addSeparator();
    menu.addActions({m_actions->clone, m_actions->resume});
    menu.addSeparator();
    menu.addActions({m_actions->undo, m_actions->redo});
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

void RunsPage::showNote(bool tags)
{
    m_noteDock->show();
    m_noteDock->raise();
    if (tags)
        m_note->editTags();
    else
        m_note->editNote();
}

void RunsPage::updateCounts()
{
    const int all = m_model->rowCount();
    const int shown = m_sorted->rowCount();
    const auto chosen = m_table->selectionModel()->selectedRows().size();
    QString text = shown == all ? tr("%1 runs").arg(all) : tr("%1 of %2 runs").arg(shown).arg(all);
    if (chosen > 1)
        text += tr(", %1 chosen").arg(chosen);
    m_counts->setText(text);

    m_tableOrEmpty->setCurrentIndex(shown > 0 ? 0 : 1);
    if (all == 0) {
        m_emptyText->setText(tr("No run is stored yet. Start trains the chosen experiment."));
        m_emptyButton->setText(tr("Start"));
    } else if (m_filter && !m_filter->text().isEmpty()) {
        m_emptyText->setText(tr("No run passes the filter."));
        m_emptyButton->setText(tr("Clear filter"));
    } else {
        m_emptyText->setText(tr("All runs are archived."));
        m_emptyButton->setText(tr("Show archived"));
    }
}

void RunsPage::showNotice(const QString& html, bool error)
{
    m_notice->tell(html, error ? NoticeKind::Error : NoticeKind::Good);
}

QByteArray RunsPage::saveLayout() const
{
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << kLayoutVersion << m_docks->saveLayout() << m_splitter->saveState();
    m_table->saveColumns();
    return bytes;
}

void RunsPage::restoreLayout(const QByteArray& bytes)
{
    QDataStream stream(bytes);
    qint32 version = 0;
    QByteArray docks;
    QByteArray splitter;
    stream >> version >> docks >> splitter;
    if (stream.status() != QDataStream::Ok || version != kLayoutVersion)
        return;
    m_docks->restoreLayout(docks);
    m_splitter->restoreState(splitter);
}

} // namespace mantissa::ui
