// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/model_check.h"
#include "ui/experiment/figure_table.h"

namespace mantissa::ui {

/// What a few steps of each variant predict, a row a variant; one that cannot run says why in
/// place of its figures. GUI thread.
class PredictionTable : public FigureTable {
    Q_OBJECT
public:
    /// In a narrow panel the last ones are out of sight: the rate follows from the step, and the
    /// peak stands in the table of memory too.
    enum Column { Name, Step, Factor, Run, Rate, Peak, NUM_COLUMNS };

    explicit PredictionTable(QObject* parent = nullptr);

    void set(std::vector<ModelProbe> probes);
    const std::vector<ModelProbe>& probes() const { return m_probes; }
    bool isSentence(int row) const override;

protected:
    int rows() const override { return static_cast<int>(m_probes.size()); }
    QString text(int row, int column) const override;
    QString tip(int row, int column) const override;
    std::optional<SeriesColour> colour(int row) const override;

private:
    std::vector<ModelProbe> m_probes;
    std::vector<SeriesColour> m_colours;
};

/// The colours of probes in their order, as their variants have them.
std::vector<SeriesColour> probeColours(const std::vector<ModelProbe>& probes);

} // namespace mantissa::ui
