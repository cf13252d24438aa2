// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/experiment_fit.h"
#include "ui/experiment/figure_table.h"

namespace mantissa::ui {

/// The largest batch of each variant within equal memory. GUI thread.
class FitTable : public FigureTable {
    Q_OBJECT
public:
    enum Column { Name, Batch, Peak, Gain, Trials, NUM_COLUMNS };

    explicit FitTable(QObject* parent = nullptr);

    void set(std::vector<VariantFit> fits);
    const std::vector<VariantFit>& fits() const { return m_fits; }
    /// What fits into the row's variant; 0 = nothing, or it could not be tried.
    std::int64_t batch(int row) const;
    /// The row whose batch fits every variant; -1 if there is none.
    int smallest() const;
    bool isSentence(int row) const override { return batch(row) == 0; }

protected:
    int rows() const override { return static_cast<int>(m_fits.size()); }
    QString text(int row, int column) const override;
    QString tip(int row, int column) const override;
    std::optional<SeriesColour> colour(int row) const override;

private:
    std::vector<VariantFit> m_fits;
    std::vector<SeriesColour> m_colours;
};

} // namespace mantissa::ui
