// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_table_model.h"

#include "core/config/config_io.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <algorithm>
#include <set>
#include <utility>

namespace mantissa::ui {

namespace {

const Colours& themeColours()
{
    return colours(QGuiApplication::palette());
}

/// A line in the run's colour; the name stands beside it in the text colour.
QPixmap swatch(std::optional<SeriesColour> colour)
{
    QPixmap pixmap(14, 14);
    pixmap.fill(Qt::transparent);
    if (!colour)
        return pixmap;
    QPainter painter(&pixmap);
    painter.fillRect(0, 6, 14, 2, themeColours().series(*colour));
    return pixmap;
}

QIcon stateIcon(RunState state)
{
    switch (state) {
    case RunState::Queued:
    case RunState::Paused:
        return icon(Icon::Pause);
    case RunState::Running:
        return icon(Icon::Start);
    case RunState::Finished:
        return icon(Icon::Good, [] { return themeColours().good; });
    case RunState::Stopped:
        return icon(Icon::Stop);
    case RunState::Failed:
    case RunState::Killed:
        return icon(Icon::Error, [] { return themeColours().error; });
    case RunState::Refused:
    case RunState::Interrupted:
        return icon(Icon::Warning, [] { return themeColours().warn; });
    }
    return {};
}

} // namespace

RunTableModel::RunTableModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

const RunRecord& RunTableModel::runAt(int row) const
{
    return m_runs.at(static_cast<std::size_t>(row));
}

int RunTableModel::rowOf(std::int64_t id) const
{
    const auto found = std::find_if(
        m_runs.begin(), m_runs.end(), [id](const RunRecord& run) { return run.id == id; });
    return found == m_runs.end() ? -1 : static_cast<int>(found - m_runs.begin());
}

void RunTableModel::setRuns(std::vector<RunRecord> runs)
{
    removeAllBut(runs);
    std::sort(runs.begin(), runs.end(),
        [](const RunRecord& a, const RunRecord& b) { return a.id < b.id; });
    std::vector<RunRecord> added;
    for (auto& run : runs) {
        if (const int row = rowOf(run.id); row >= 0)
            updateRow(row, std::move(run));
        else
            added.push_back(std::move(run));
    }
    if (added.empty())
        return;
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(added.size()) - 1);
    std::move(added.begin(), added.end(), std::back_inserter(m_runs));
    endInsertRows();
}

void RunTableModel::setPlotColours(std::map<std::int64_t, SeriesColour> colours)
{
    if (colours == m_plotColours)
        return;
    m_plotColours = std::move(colours);
    const int column = static_cast<int>(RunColumn::Variant);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, column), index(rowCount() - 1, column), {Qt::DecorationRole});
}

void RunTableModel::removeAllBut(const std::vector<RunRecord>& runs)
{
    std::set<std::int64_t> kept;
    for (const auto& run : runs)
        kept.insert(run.id);
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (kept.contains(runAt(row).id))
            continue;
        beginRemoveRows({}, row, row);
        m_runs.erase(m_runs.begin() + row);
        endRemoveRows();
    }
}

void RunTableModel::updateRow(int row, RunRecord&& run)
{
    RunRecord& stored = m_runs.at(static_cast<std::size_t>(row));
    const bool same = sameRow(stored, run);
    stored = std::move(run);
    if (!same)
        Q_EMIT dataChanged(index(row, 0), index(row, kRunColumns - 1));
}

int RunTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kRunColumns;
}

QVariant RunTableModel::decoration(const RunRecord& run, RunColumn column) const
{
    if (column == RunColumn::Variant) {
        const auto plotted = m_plotColours.find(run.id);
        if (plotted != m_plotColours.end())
            return swatch(plotted->second);
        const auto precision = precisionFromString(run.precision);
        return swatch(precision ? std::optional(precisionColour(*precision)) : std::nullopt);
    }
    if (column == RunColumn::State)
        return stateIcon(run.state);
    return {};
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const RunRecord& run = runAt(index.row());
    const auto column = static_cast<RunColumn>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return cellText(run, column);
    case Qt::ToolTipRole: {
        const QString tip = cellTip(run, column);
        return tip.isEmpty() ? QVariant() : tip;
    }
    case Qt::DecorationRole:
        return decoration(run, column);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::AlignVCenter | (isNumeric(column) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ForegroundRole:
        if (run.archived || value(run, column).kind == RunValue::Class::Missing)
            return themeColours().mutedText;
        return {};
    case RunIdRole:
        return QVariant::fromValue(run.id);
    case ArchivedRole:
        return run.archived;
    default:
        return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kRunColumns)
        return {};
    const auto column = static_cast<RunColumn>(section);
    if (role == Qt::DisplayRole)
        return headerText(column);
    if (role == Qt::ToolTipRole)
        return headerTip(column);
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(
            Qt::AlignVCenter | (isNumeric(column) ? Qt::AlignRight : Qt::AlignLeft));
    }
    return {};
}

} // namespace mantissa::ui
