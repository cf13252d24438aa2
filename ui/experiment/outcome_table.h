// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/capability_store.h"
#include "ui/experiment/figure_table.h"

namespace mantissa::ui {

/// Predicted step times beside what the runs then had, newest first. GUI thread.
class OutcomeTable : public FigureTable {
    Q_OBJECT
public:
    enum Column { Name, Predicted, Measured, Ratio, When, NUM_COLUMNS };

    explicit OutcomeTable(QObject* parent = nullptr);

    void set(std::vector<PredictionOutcome> outcomes);
    /// "Of 6 predictions here, 6 within 2x; median 1.05x."; empty without any.
    QString summary() const;

protected:
    int rows() const override { return static_cast<int>(m_outcomes.size()); }
    QString text(int row, int column) const override;
    QString tip(int row, int column) const override;
    std::optional<SeriesColour> colour(int row) const override;

private:
    std::vector<PredictionOutcome> m_outcomes;
};

} // namespace mantissa::ui
