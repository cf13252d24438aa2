// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/peak_table.h"

#include "ui/theme/value_text.h"

#include <QApplication>
#include <QPixmap>
#include <QStringList>

namespace mantissa::ui {

namespace {

bool isTableError(const TheoryRow& row)
{
    return row.utilisation().value_or(0) > 1;
}

} // namespace

PeakTable::PeakTable(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void PeakTable::set(std::vector<TheoryRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    double largest = 0;
    for (const TheoryRow& row : m_rows)
        largest = std::max(largest, row.bandwidth ? 0 : row.measured);
    m_unit = flopUnit(largest);
    endResetModel();
}

QString PeakTable::note() const
{
    QStringList sources;
    QStringList wrong;
    for (const TheoryRow& row : m_rows) {
        const QString source = toQString(row.source);
        if (row.published && !source.isEmpty() && !sources.contains(source))
            sources << source;
        if (isTableError(row))
            wrong << text(row, Format);
    }
    QStringList parts;
    if (!sources.isEmpty())
        parts << tr("Theory: %1").arg(sources.join(QStringLiteral("; ")));
    if (!wrong.isEmpty())
        parts << tr("%1: over 100 % is an error of the table, no success.")
                     .arg(wrong.join(QStringLiteral(", ")));
    return parts.join(QLatin1Char('\n'));
}

QString PeakTable::number(double rate, bool bandwidth) const
{
    return formatSignificant(rate / (bandwidth ? 1e9 : m_unit.size), 3);
}

int PeakTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PeakTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : NumColumns;
}

QString PeakTable::text(const TheoryRow& row, int column) const
{
    switch (column) {
    case Measured:
        return number(row.measured, row.bandwidth);
    case Theory:
        return row.published ? number(*row.published, row.bandwidth) : tr("unknown");
    case Share:
        return row.published ? formatPercent(*row.utilisation()) : tr("none");
    default:
        return row.bandwidth ? QStringLiteral("GB/s") : formatName(row.format);
    }
}

QVariant PeakTable::decoration(const TheoryRow& row, int column, int role)
{
    if (role == Qt::AccessibleTextRole && column == Share && isTableError(row))
        return tr("%1, table error").arg(formatPercent(*row.utilisation()));
    if (role != Qt::DecorationRole)
        return {};
    const Colours& c = colours(QApplication::palette());
    if (column == Share && isTableError(row))
        return iconPixmap(Icon::Error, 12, c.error);
    if (column != Format || row.bandwidth)
        return {};
    QPixmap square(10, 10);
    square.fill(c.series(formatColour(row.format)));
    return square;
}

QVariant PeakTable::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const TheoryRow& row = m_rows.at(static_cast<std::size_t>(index.row()));
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::TextAlignmentRole:
        return int((index.column() == Format ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == Share && isTableError(row))
            return colours(QApplication::palette()).error;
        if (index.column() >= Theory && !row.published)
            return colours(QApplication::palette()).mutedText;
        return {};
    case Qt::ToolTipRole:
        if (isTableError(row))
            return tr("Over 100 % is no success: the published figure does not fit this device.\n"
                      "Source: %1")
                .arg(toQString(row.source));
        if (row.bandwidth && index.column() == Format)
            return tr("Bandwidth of the memory");
        return row.source.empty() ? tr("No table has a published figure for this device.")
                                  : toQString(row.source);
    default:
        return decoration(row, index.column(), role);
    }
}

QVariant PeakTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Format ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString names[] = {m_unit.name, tr("Measured"), tr("Theory"), tr("Share")};
    return names[section];
}

} // namespace mantissa::ui
