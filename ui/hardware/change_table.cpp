// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/change_table.h"

#include "ui/hardware/card_text.h"

#include <QCoreApplication>

namespace mantissa::ui {

ChangeTable::ChangeTable(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void ChangeTable::set(std::vector<CapabilityChange> changes)
{
    beginResetModel();
    m_changes = std::move(changes);
    endResetModel();
}

int ChangeTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_changes.size());
}

int ChangeTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : NumColumns;
}

QVariant ChangeTable::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const CapabilityChange& change = m_changes.at(static_cast<std::size_t>(index.row()));
    switch (index.column()) {
    case What:
        return toQString(change.what);
    case Before:
        return toQString(change.before);
    case After:
        return toQString(change.after);
    case Times:
        // The ratio of times: under 1 is faster than before.
        return change.timeRatio ? toQString(speedText(*change.timeRatio)) : QString();
    default:
        return {};
    }
}

QVariant ChangeTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString names[] = {tr("What"), tr("Before"), tr("Now"), tr("Change")};
    return names[section];
}

QString changeCount(std::size_t changes)
{
    if (changes == 0)
        return ChangeTable::tr("no change over noise");
    return changes == 1 ? ChangeTable::tr("1 change") : ChangeTable::tr("%1 changes").arg(changes);
}

} // namespace mantissa::ui
