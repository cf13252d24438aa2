// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/fit_table.h"

#include "core/base/human_text.h"

namespace mantissa::ui {

FitTable::FitTable(QObject* parent)
    : FigureTable(
        {tr("Variant"), tr("Largest batch"), tr("Peak memory"), tr("Against fp32"), tr("Trials")},
        parent)
{
}

void FitTable::set(std::vector<VariantFit> fits)
{
    beginResetModel();
    m_fits = std::move(fits);
    std::vector<Precision> precisions;
    for (const auto& one : m_fits)
        precisions.push_back(one.precision);
    m_colours = variantColours(precisions);
    endResetModel();
}

std::int64_t FitTable::batch(int row) const
{
    const auto& fit = m_fits[static_cast<std::size_t>(row)].fit;
    return fit ? fit->batch : 0;
}

int FitTable::smallest() const
{
    int found = -1;
    for (int row = 0; row < rows(); ++row) {
        if (batch(row) > 0 && (found < 0 || batch(row) < batch(found)))
            found = row;
    }
    return found;
}

QString FitTable::text(int row, int column) const
{
    const auto& one = m_fits[static_cast<std::size_t>(row)];
    if (column == Name)
        return QString::fromStdString(one.variant);
    if (batch(row) == 0)
        return column == Batch ? QString::fromStdString(noteText(one)) : QString();
    switch (column) {
    case Batch:
        return QString::fromStdString(groupedText(one.fit->batch));
    case Peak:
        return QString::fromStdString(bytesText(one.fit->peakBytes));
    case Gain:
        return QString::fromStdString(gainText(one));
    default:
        return QString::number(one.fit->trials.size());
    }
}

QString FitTable::tip(int row, int column) const
{
    const auto note = QString::fromStdString(noteText(m_fits[static_cast<std::size_t>(row)]));
    return note.isEmpty() || column == Name ? text(row, column) : note;
}

std::optional<SeriesColour> FitTable::colour(int row) const
{
    return m_colours[static_cast<std::size_t>(row)];
}

} // namespace mantissa::ui
