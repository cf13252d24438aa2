// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_table_view.h"

#include "ui/main_window/window_settings.h"
#include "ui/widgets/table.h"

#include <QHeaderView>
#include <QMenu>
#include <algorithm>

namespace mantissa::ui {

namespace {

const QString kColumnState = QStringLiteral("runs/columns");

/// A text as long as the column's texts usually are, for its first width.
QString sampleText(RunColumn column)
{
    switch (column) {
    case RunColumn::Id:
        return QStringLiteral("00,000");
    case RunColumn::Experiment:
        return QStringLiteral("fashion-mnist-quick");
    case RunColumn::Variant:
        return QStringLiteral("          fp16-2^40");
    case RunColumn::Precision:
        return QStringLiteral("Precision");
    case RunColumn::State:
        return QStringLiteral("          finished");
    case RunColumn::Started:
        return QStringLiteral("30 Nov 00:00");
    case RunColumn::Duration:
        return QStringLiteral("14 min 5 s");
    case RunColumn::Steps:
        return QStringLiteral("00,000 + 00");
    case RunColumn::Metric:
        return QStringLiteral("Validation");
    case RunColumn::Scale:
        return QStringLiteral("131,072 (2¹⁷)");
    case RunColumn::Tags:
        return QStringLiteral("baseline, old");
    case RunColumn::Note:
        return QStringLiteral("A note of a few words, as they are");
    default:
        return QStringLiteral("00,000.0");
    }
}

} // namespace

RunTableView::RunTableView(
    RunTableModel& runs, RunSortFilter& sorted, WindowSettings& settings, QWidget* parent)
    : QTableView(parent)
    , m_runs(runs)
    , m_sorted(sorted)
    , m_settings(settings)
{
    setModel(&sorted);
    setAccessibleName(tr("Runs"));
    setupTable(*this);
    setSelectionMode(ExtendedSelection);
    setHorizontalScrollMode(ScrollPerPixel);
    setupColumns();
    restoreColumns();
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this,
        &RunTableView::selectedRunsChanged);
}

void RunTableView::setupColumns()
{
    QHeaderView* header = horizontalHeader();
    header->setSectionsMovable(true);
    header->setHighlightSections(false);
    header->setStretchLastSection(true);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setAccessibleName(tr("Columns; the context menu shows and hides them"));
    const int padding = 14;
    const int sortSign = 18;
    for (int c = 0; c < kRunColumns; ++c) {
        const auto column = static_cast<RunColumn>(c);
        const int text = fontMetrics().horizontalAdvance(sampleText(column));
        const int head = fontMetrics().horizontalAdvance(headerText(column)) + sortSign;
        header->resizeSection(c, std::max(text, head) + padding);
    }
    setSortingEnabled(true);
    sortByColumn(static_cast<int>(RunColumn::Id), Qt::DescendingOrder);
    connect(header, &QWidget::customContextMenuRequested, this, &RunTableView::showColumnMenu);
}

void RunTableView::restoreColumns()
{
    const QByteArray state = m_settings.bytes(kColumnState);
    if (state.isEmpty())
        return;
    const QByteArray defaults = horizontalHeader()->saveState();
    const bool usable = horizontalHeader()->restoreState(state)
        && horizontalHeader()->count() == kRunColumns
        && horizontalHeader()->hiddenSectionCount() < kRunColumns;
    if (!usable)
        horizontalHeader()->restoreState(defaults);
}

void RunTableView::saveColumns() const
{
    m_settings.set(kColumnState, horizontalHeader()->saveState());
}

void RunTableView::showColumnMenu(const QPoint& position)
{
    QMenu menu;
    for (int c = 0; c < kRunColumns; ++c) {
        QAction* action = menu.addAction(headerText(static_cast<RunColumn>(c)));
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(c));
        // The run's number stays: it is how reports and the command line name it.
        action->setEnabled(c != static_cast<int>(RunColumn::Id));
        connect(action, &QAction::toggled, this, [this, c](bool on) { setColumnHidden(c, !on); });
    }
    menu.exec(horizontalHeader()->mapToGlobal(position));
}

std::vector<RunRecord> RunTableView::selectedRuns() const
{
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(),
        [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
    std::vector<RunRecord> runs;
    for (const QModelIndex& row : rows)
        runs.push_back(m_runs.runAt(m_sorted.mapToSource(row).row()));
    return runs;
}

} // namespace mantissa::ui
