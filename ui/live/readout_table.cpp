// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/readout_table.h"

#include "ui/theme/value_text.h"
#include "ui/widgets/swatch.h"

#include <QGuiApplication>
#include <QPalette>
#include <cmath>

namespace mantissa::ui {

namespace {

QString textOr(
    const std::optional<double>& value, QString (*text)(double), const QString& otherwise)
{
    return value ? text(*value) : otherwise;
}

QString ratioDifference(const std::optional<double>& mine, const std::optional<double>& base)
{
    return mine && base && *base != 0 ? formatSignedPercent(*mine / *base - 1) : QString();
}

QString absoluteDifference(const std::optional<double>& mine, const std::optional<double>& base)
{
    return mine && base && std::isfinite(*mine - *base) ? formatSigned(*mine - *base, 4)
                                                        : QString();
}

} // namespace

ReadoutTable::ReadoutTable(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void ReadoutTable::set(std::vector<ReadoutRow> rows)
{
    if (rows.size() != m_rows.size()) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    m_rows = std::move(rows);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, NumColumns - 1));
}

std::size_t ReadoutTable::differences() const
{
    return m_rows.empty() ? 0 : m_rows.size() - 1;
}

int ReadoutTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size() + differences());
}

int ReadoutTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(NumColumns);
}

QString ReadoutTable::cell(const ReadoutRow& row, int column) const
{
    const QString none = row.step ? QStringLiteral("\u2013") : QString();
    switch (column) {
    case Name:
        return row.name;
    case Step:
        return textOr(row.step, formatCount, row.step ? QString() : tr("no value"));
    case Time:
        return textOr(row.timeS, formatClock, none);
    case TrainTime:
        return textOr(row.trainS, formatDuration, none);
    case Loss:
        return textOr(row.loss, formatLoss, none);
    case Smoothed:
        return textOr(row.smoothed, formatLoss, none);
    case Scale:
        return row.usesScaler ? textOr(row.scale, formatScaleShort, none) : tr("none");
    case Rate:
        return textOr(row.rate, formatRate, none);
    case Memory:
        return textOr(row.memoryBytes, formatMiBNumber, none);
    default:
        return {};
    }
}

QString ReadoutTable::difference(const ReadoutRow& row, int column) const
{
    const ReadoutRow& base = m_rows.front();
    switch (column) {
    case Name:
        return row.name + QStringLiteral(" \u2212 ") + base.name;
    case TrainTime:
        return ratioDifference(row.trainS, base.trainS);
    case Loss:
        return absoluteDifference(row.loss, base.loss);
    case Smoothed:
        return absoluteDifference(row.smoothed, base.smoothed);
    case Rate:
        return ratioDifference(row.rate, base.rate);
    case Memory:
        return ratioDifference(row.memoryBytes, base.memoryBytes);
    default:
        return {};
    }
}

QVariant ReadoutTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const int column = index.column();
    const auto row = static_cast<std::size_t>(index.row());
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::AlignVCenter | (column == Name ? Qt::AlignLeft : Qt::AlignRight));
    if (isDifference(index.row())) {
        if (role == Qt::ForegroundRole && column == Name)
            return QGuiApplication::palette().color(QPalette::PlaceholderText);
        return role == Qt::DisplayRole ? difference(m_rows[row - m_rows.size() + 1], column)
                                       : QVariant();
    }
    if (role == Qt::DisplayRole)
        return cell(m_rows[row], column);
    if (role == Qt::DecorationRole && column == Name)
        return swatchIcon(m_rows[row].colour, QGuiApplication::palette());
    if (role == Qt::ForegroundRole && column == Scale && !m_rows[row].usesScaler)
        return QGuiApplication::palette().color(QPalette::PlaceholderText);
    return {};
}

QVariant ReadoutTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::AlignVCenter | (section == Name ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole)
        return {};
    const QString names[] = {tr("Variant"), tr("Step"), tr("Time"), tr("Train time"), tr("Loss"),
        tr("Smoothed"), tr("Scale"), tr("Samples/s"), tr("MiB")};
    return section >= 0 && section < NumColumns ? names[section] : QString();
}

} // namespace mantissa::ui
