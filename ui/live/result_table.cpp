// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/result_table.h"

#include "ui/theme/value_text.h"

#include <QGuiApplication>
#include <QPalette>

namespace mantissa::ui {

namespace {

QString missing()
{
    return QObject::tr("not measured");
}

std::optional<double> medianMs(const RunSummary& summary)
{
    return summary.stepMs ? std::optional(summary.stepMs->median) : std::nullopt;
}

/// The baseline's figure as text, another's as a ratio to it.
QString relative(const std::optional<double>& mine, const std::optional<double>& baseline,
    bool isBaseline, QString (*text)(double))
{
    if (!mine)
        return missing();
    if (isBaseline || !baseline || *baseline == 0)
        return text(*mine);
    return formatRatio(*mine / *baseline);
}

QString accuracy(
    const std::optional<double>& mine, const std::optional<double>& baseline, bool isBaseline)
{
    if (!mine)
        return QObject::tr("not yet");
    return isBaseline || !baseline ? formatPercent(*mine) : formatPoints(*mine - *baseline);
}

QString rowName(int row)
{
    switch (row) {
    case ResultTable::StepTime:
        return QObject::tr("Step time, median");
    case ResultTable::SamplesPerSecond:
        return QObject::tr("Samples/s");
    case ResultTable::PeakMemory:
        return QObject::tr("Peak memory");
    case ResultTable::Validation:
        return QObject::tr("Validation");
    case ResultTable::FinalLoss:
        return QObject::tr("Last loss");
    case ResultTable::Skipped:
        return QObject::tr("Skipped steps");
    default:
        return {};
    }
}

} // namespace

ResultTable::ResultTable(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void ResultTable::set(std::vector<VariantResult> results)
{
    if (results.size() != m_results.size()) {
        beginResetModel();
        m_results = std::move(results);
        endResetModel();
        return;
    }
    m_results = std::move(results);
    if (!m_results.empty())
        Q_EMIT dataChanged(index(0, 0), index(NumRows - 1, columnCount() - 1));
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int ResultTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_results.empty() ? 0 : static_cast<int>(NumRows);
}

int ResultTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_results.size()) + 1;
}

QString ResultTable::cell(int row, std::size_t variant) const
{
    const VariantResult& mine = m_results[variant];
    const RunSummary& base = m_results.front().summary;
    const bool isBaseline = variant == 0;
    switch (row) {
    case StepTime:
        return relative(medianMs(mine.summary), medianMs(base), isBaseline, formatMs);
    case SamplesPerSecond:
        return relative(
            mine.summary.samplesPerSecond, base.samplesPerSecond, isBaseline, formatRate);
    case PeakMemory:
        return relative(mine.summary.peakMemoryBytes, base.peakMemoryBytes, isBaseline, formatMiB);
    case Validation:
        return accuracy(mine.summary.finalMetric, base.finalMetric, isBaseline);
    case FinalLoss:
        return mine.summary.finalLoss ? formatLoss(*mine.summary.finalLoss) : missing();
    case Skipped:
        return formatCount(static_cast<double>(mine.skipped));
    default:
        return {};
    }
}

QVariant ResultTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const int column = index.column();
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    return column == 0 ? rowName(index.row())
                       : cell(index.row(), static_cast<std::size_t>(column - 1));
}

QVariant ResultTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::AlignVCenter | (section == 0 ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole || section == 0)
        return {};
    const auto variant = static_cast<std::size_t>(section - 1);
    return variant < m_results.size() ? m_results[variant].name : QString();
}

} // namespace mantissa::ui
