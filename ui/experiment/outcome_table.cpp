// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/outcome_table.h"

#include "core/base/human_text.h"
#include "ui/hardware/card_text.h"
#include "ui/theme/value_text.h"

#include <algorithm>

namespace mantissa::ui {

namespace {

/// Measured / predicted: above 1 the run was slower than was said.
double ratioOf(const PredictionOutcome& outcome)
{
    return outcome.measuredMs / outcome.predictedMs;
}

} // namespace

OutcomeTable::OutcomeTable(QObject* parent)
    : FigureTable({tr("Run"), tr("Predicted"), tr("Measured"), tr("Ratio"), tr("When")}, parent)
{
}

void OutcomeTable::set(std::vector<PredictionOutcome> outcomes)
{
    beginResetModel();
    m_outcomes = std::move(outcomes);
    endResetModel();
}

QString OutcomeTable::summary() const
{
    if (m_outcomes.empty())
        return {};
    std::vector<double> ratios;
    for (const auto& outcome : m_outcomes)
        ratios.push_back(ratioOf(outcome));
    std::ranges::sort(ratios);
    const auto within =
        std::ranges::count_if(ratios, [](double ratio) { return ratio >= 0.5 && ratio <= 2; });
    const auto middle = ratios.size() / 2;
    const double median =
        ratios.size() % 2 == 1 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
    return ratios.size() == 1
        ? tr("1 prediction here; its run took %1 of it.").arg(formatRatio(median))
        : tr("Of %1 predictions here, %2 within 2x; median %3 (measured / predicted).")
              .arg(ratios.size())
              .arg(within)
              .arg(formatRatio(median));
}

QString OutcomeTable::text(int row, int column) const
{
    const auto& outcome = m_outcomes[static_cast<std::size_t>(row)];
    switch (column) {
    case Name:
        return QStringLiteral("%1 %2")
            .arg(outcome.run)
            .arg(QString::fromStdString(outcome.variant));
    case Predicted:
        return QString::fromStdString(durationText(outcome.predictedMs));
    case Measured:
        return QString::fromStdString(durationText(outcome.measuredMs));
    case Ratio:
        return formatRatio(ratioOf(outcome));
    default:
        return checkTime(outcome.createdMs);
    }
}

QString OutcomeTable::tip(int row, int column) const
{
    if (column == Name)
        return tr("Run %1").arg(text(row, column));
    return text(row, column);
}

std::optional<SeriesColour> OutcomeTable::colour(int row) const
{
    return precisionColour(m_outcomes[static_cast<std::size_t>(row)].precision);
}

} // namespace mantissa::ui
