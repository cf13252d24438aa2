// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_sort_filter.h"

#include "ui/runs/run_table_model.h"

#include <utility>

namespace mantissa::ui {

RunSortFilter::RunSortFilter(RunTableModel& runs, QObject* parent)
    : QSortFilterProxyModel(parent)
    , m_runs(runs)
{
    setSourceModel(&runs);
    setDynamicSortFilter(true);
}

Result<void> RunSortFilter::setFilterText(const QString& text)
{
    auto filter = RunQuery::parse(text);
    if (!filter)
        return tl::unexpected(filter.error());
    m_filter = std::move(*filter);
    invalidateFilter();
    return {};
}

void RunSortFilter::setArchivedShown(bool shown)
{
    if (shown == m_archivedShown)
        return;
    m_archivedShown = shown;
    invalidateFilter();
}

std::vector<std::int64_t> RunSortFilter::visibleRuns() const
{
    std::vector<std::int64_t> ids;
    for (int row = 0; row < rowCount(); ++row)
        ids.push_back(m_runs.runAt(mapToSource(index(row, 0)).row()).id);
    return ids;
}

bool RunSortFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    if (parent.isValid())
        return false;
    const RunRecord& run = m_runs.runAt(row);
    return (m_archivedShown || !run.archived) && m_filter.matches(run);
}

bool RunSortFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    // Qt sorts downwards by asking with the sides swapped.
    const bool down = sortOrder() == Qt::DescendingOrder;
    const RunRecord& upper = m_runs.runAt((down ? right : left).row());
    const RunRecord& lower = m_runs.runAt((down ? left : right).row());
    const auto column = static_cast<RunColumn>(left.column());
    const RunValue a = value(upper, column);
    const RunValue b = value(lower, column);
    if (standsBefore(a, b, sortOrder()))
        return true;
    return !standsBefore(b, a, sortOrder()) && upper.id > lower.id;
}

} // namespace mantissa::ui
