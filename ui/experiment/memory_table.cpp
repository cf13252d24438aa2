// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/memory_table.h"

#include "ui/theme/value_text.h"

namespace mantissa::ui {

namespace {

double bytesOf(const MemoryRoles& roles, int row)
{
    switch (row) {
    case MemoryTable::Weights:
        return roles.weights;
    case MemoryTable::Gradients:
        return roles.gradients;
    case MemoryTable::Optimizer:
        return roles.optimizer;
    case MemoryTable::CastCache:
        return roles.castCache;
    case MemoryTable::Activations:
        return roles.activations;
    case MemoryTable::Workspace:
        return roles.workspace;
    default:
        return roles.sum();
    }
}

QString roleName(int row)
{
    const QString names[] = {MemoryTable::tr("weights"), MemoryTable::tr("gradients"),
        MemoryTable::tr("optimizer state"), MemoryTable::tr("cast cache"),
        MemoryTable::tr("activations"), MemoryTable::tr("workspace"),
        MemoryTable::tr("to the peak"), MemoryTable::tr("peak")};
    return names[row];
}

} // namespace

MemoryTable::MemoryTable(QObject* parent)
    : FigureTable({tr("Role")}, parent)
{
}

void MemoryTable::set(const std::vector<ModelProbe>& probes)
{
    beginResetModel();
    m_probes.clear();
    QStringList titles{tr("Role")};
    for (const auto& probe : probes) {
        if (!probe.reason.empty())
            continue;
        m_probes.push_back(probe);
        titles << QString::fromStdString(probe.variant);
    }
    setTitles(titles);
    endResetModel();
}

QString MemoryTable::text(int row, int column) const
{
    if (column == 0)
        return roleName(row);
    const auto& probe = m_probes[static_cast<std::size_t>(column) - 1];
    if (row == Peak)
        return formatMiBNumber(probe.peakMemoryBytes);
    if (row == Rest)
        return formatMiBNumber(probe.peakMemoryBytes - probe.measured.sum());
    return formatMiBNumber(bytesOf(probe.measured, row));
}

QString MemoryTable::tip(int row, int column) const
{
    if (column == 0)
        return row == Rest ? tr("Of the measured peak no role accounts for this much; below zero: "
                                "the roles had their peaks at different times")
                           : text(row, column);
    const auto& probe = m_probes[static_cast<std::size_t>(column) - 1];
    const auto name = QString::fromStdString(probe.variant);
    if (row == Rest)
        return tr("%1: the roles sum up to %2").arg(name, formatMiB(probe.measured.sum()));
    return tr("%1: from the model's sizes alone %2")
        .arg(name, formatMiB(bytesOf(probe.predicted, row)));
}

} // namespace mantissa::ui
