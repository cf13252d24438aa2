// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/format_table.h"

#include "ui/hardware/card_text.h"

#include <QApplication>
#include <QPainter>
#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr int kRows = static_cast<int>(kCheckWorks.size());
constexpr int kColumns = FormatTable::FirstFormat + static_cast<int>(kCheckFormats.size());

CheckFormat formatOf(int column)
{
    return kCheckFormats.at(static_cast<std::size_t>(column - FormatTable::FirstFormat));
}

CheckWork workOf(int row)
{
    return kCheckWorks.at(static_cast<std::size_t>(row));
}

QPixmap square(SeriesColour colour)
{
    QPixmap pixmap(10, 10);
    pixmap.fill(colours(QApplication::palette()).series(colour));
    return pixmap;
}

} // namespace

FormatTable::FormatTable(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void FormatTable::set(const CapabilityCard& card, bool pending)
{
    m_card = card;
    m_pending = pending;
    Q_EMIT dataChanged(index(0, 0), index(kRows - 1, kColumns - 1));
}

void FormatTable::add(const CheckCell& cell)
{
    const auto same = std::ranges::find_if(m_card.cells,
        [&](const CheckCell& c) { return c.work == cell.work && c.format == cell.format; });
    if (same != m_card.cells.end())
        *same = cell;
    else
        m_card.cells.push_back(cell);
    const auto row = std::ranges::find(kCheckWorks, cell.work) - kCheckWorks.begin();
    // The whole row: its size in words may be this cell's.
    Q_EMIT dataChanged(index(static_cast<int>(row), 0), index(static_cast<int>(row), kColumns - 1));
}

const CheckCell* FormatTable::cellAt(const QModelIndex& index) const
{
    if (!index.isValid() || index.column() < FirstFormat)
        return nullptr;
    return m_card.find(workOf(index.row()), formatOf(index.column()));
}

QString FormatTable::missingText() const
{
    return m_pending ? tr("measuring") : tr("not measured");
}

QString FormatTable::rowShape(int row) const
{
    const auto shapeIn = [&](CheckFormat format) {
        const CheckCell* cell = m_card.find(workOf(row), format);
        return cell && !cell->points.empty() ? toQString(cell->largest().shape) : QString();
    };
    QString shape = shapeIn(CheckFormat::Fp32);
    for (const CheckFormat format : kCheckFormats)
        shape = shape.isEmpty() ? shapeIn(format) : shape;
    return shape;
}

QString FormatTable::unsupportedReason(int column) const
{
    if (m_pending || column < FirstFormat)
        return {};
    return mantissa::ui::unsupportedReason(m_card, formatOf(column));
}

int FormatTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kRows;
}

int FormatTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QVariant FormatTable::workData(int row, int role) const
{
    const QString name = toQString(title(workOf(row)));
    if (role == Qt::DisplayRole)
        return name;
    if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole) {
        const QString shape = rowShape(row);
        return shape.isEmpty() ? name : QString(name + QStringLiteral(": ") + shape);
    }
    return {};
}

QVariant FormatTable::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (index.column() == Work)
        return workData(index.row(), role);
    const CheckCell* cell = cellAt(index);
    switch (role) {
    case Qt::DisplayRole:
        if (!cell)
            return missingText();
        return cell->points.empty()
            ? toQString(toString(cell->formatClass))
            : toQString(rateText(cell->largest().rate(), isBandwidth(cell->work)));
    case Qt::ToolTipRole:
        return cell ? cellTip(*cell) : missingText();
    case Qt::AccessibleTextRole:
        return cell ? cellSentence(*cell)
                    : tr("%1 in %2: %3")
                          .arg(toQString(title(workOf(index.row()))),
                              formatName(formatOf(index.column())), missingText());
    default:
        return {};
    }
}

QVariant FormatTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (section == Work)
        return role == Qt::DisplayRole ? tr("Work (error: against fp64)") : QVariant();
    const CheckFormat format = formatOf(section);
    if (role == Qt::DisplayRole)
        return format == CheckFormat::Fp32 ? tr("fp32 baseline") : formatName(format);
    if (role == Qt::DecorationRole)
        return square(formatColour(format));
    return {};
}

} // namespace mantissa::ui
