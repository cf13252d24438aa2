// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/model_check.h"
#include "ui/experiment/figure_table.h"

namespace mantissa::ui {

/// Peak memory by what it is for, in MiB: a row a role, a column a variant that could run. The
/// tooltip has what the model's sizes alone predict. GUI thread.
class MemoryTable : public FigureTable {
    Q_OBJECT
public:
    enum Row {
        Weights,
        Gradients,
        Optimizer,
        CastCache,
        Activations,
        Workspace,
        Rest,
        Peak,
        NUM_ROWS
    };

    explicit MemoryTable(QObject* parent = nullptr);

    void set(const std::vector<ModelProbe>& probes);

protected:
    int rows() const override { return m_probes.empty() ? 0 : int(NUM_ROWS); }
    QString text(int row, int column) const override;
    QString tip(int row, int column) const override;

private:
    std::vector<ModelProbe> m_probes;
};

} // namespace mantissa::ui
