// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/figure_table.h"

#include "ui/widgets/swatch.h"

#include <QGuiApplication>
#include <QSize>
#include <utility>

namespace mantissa::ui {

FigureTable::FigureTable(QStringList titles, QObject* parent)
    : QAbstractTableModel(parent)
    , m_titles(std::move(titles))
{
}

void FigureTable::setStale(bool stale)
{
    if (stale == m_stale)
        return;
    m_stale = stale;
    if (rows() > 0 && !m_titles.isEmpty())
        Q_EMIT dataChanged(index(0, 0), index(rows() - 1, columnCount() - 1), {Qt::ForegroundRole});
}

int FigureTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : rows();
}

int FigureTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_titles.size());
}

QVariant FigureTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const int row = index.row();
    const int column = index.column();
    const bool isWords = column == 0 || isSentence(row);
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::ToolTipRole:
        return tip(row, column);
    case Qt::TextAlignmentRole:
        return int((isWords ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (m_stale || (isWords && column > 0))
            return colours(QGuiApplication::palette()).mutedText;
        return {};
    case Qt::SizeHintRole: // a sentence makes no column wider
        return isWords && column > 0 ? QSize(1, 1) : QVariant();
    case Qt::DecorationRole:
        if (const auto found = column == 0 ? colour(row) : std::nullopt)
            return swatchIcon(*found, QGuiApplication::palette());
        return {};
    default:
        return {};
    }
}

QVariant FigureTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= m_titles.size())
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? m_titles[section] : QVariant();
}

} // namespace mantissa::ui
