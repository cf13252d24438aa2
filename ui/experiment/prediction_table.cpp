// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/prediction_table.h"

#include "core/base/human_text.h"
#include "core/hardware/capability.h"

namespace mantissa::ui {

namespace {

QString figure(const ModelProbe& probe, int column)
{
    switch (column) {
    case PredictionTable::Step:
        return QString::fromStdString(durationText(probe.stepMs.median));
    case PredictionTable::Rate:
        return QString::fromStdString(
            groupedText(static_cast<std::int64_t>(probe.samplesPerSecond)));
    case PredictionTable::Factor:
        return probe.factor ? QString::fromStdString(speedText(*probe.factor)) : QString();
    case PredictionTable::Run:
        return QString::fromStdString(durationText(probe.runSeconds * 1000));
    case PredictionTable::Peak:
        return QString::fromStdString(bytesText(probe.peakMemoryBytes));
    default:
        return {};
    }
}

} // namespace

PredictionTable::PredictionTable(QObject* parent)
    : FigureTable({tr("Variant"), tr("Step"), tr("Against fp32"), tr("Whole run"), tr("Samples/s"),
                      tr("Peak memory")},
        parent)
{
}

void PredictionTable::set(std::vector<ModelProbe> probes)
{
    beginResetModel();
    m_probes = std::move(probes);
    m_colours = probeColours(m_probes);
    endResetModel();
}

bool PredictionTable::isSentence(int row) const
{
    return !m_probes[static_cast<std::size_t>(row)].reason.empty();
}

QString PredictionTable::text(int row, int column) const
{
    const auto& probe = m_probes[static_cast<std::size_t>(row)];
    if (column == Name)
        return QString::fromStdString(probe.variant);
    if (isSentence(row))
        return column == Step ? QString::fromStdString(probe.reason) : QString();
    return figure(probe, column);
}

QString PredictionTable::tip(int row, int column) const
{
    const auto& probe = m_probes[static_cast<std::size_t>(row)];
    if (isSentence(row) || column == Name)
        return text(row, column);
    return tr("%1: half of %2 steps took %3 to %4")
        .arg(QString::fromStdString(probe.variant))
        .arg(probe.steps)
        .arg(QString::fromStdString(durationText(probe.stepMs.lower)),
            QString::fromStdString(durationText(probe.stepMs.upper)));
}

std::optional<SeriesColour> PredictionTable::colour(int row) const
{
    return m_colours[static_cast<std::size_t>(row)];
}

std::vector<SeriesColour> probeColours(const std::vector<ModelProbe>& probes)
{
    std::vector<Precision> precisions;
    for (const auto& probe : probes)
        precisions.push_back(probe.precision);
    return variantColours(precisions);
}

} // namespace mantissa::ui
