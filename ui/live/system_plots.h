// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/live_plots.h"

#include <QScrollArea>
#include <vector>

class QHBoxLayout;
class QLabel;

namespace mantissa::ui {

/// What the system monitor saw while the variants trained: a row of plots over the seconds since
/// each run's start, linked with each other. A plot is there only once a run has data for it.
/// GUI thread.
class SystemPlots : public QScrollArea {
    Q_OBJECT
public:
    explicit SystemPlots(QWidget* parent = nullptr);

    /// Starts anew with these variants.
    void setVariants(std::vector<LiveVariant> variants);
    /// Takes over what is new in the traces.
    void refresh();
    void setVariantVisible(int variant, bool visible);

    PlotGroup& group() { return m_group; }
    /// Those that are shown, from left to right.
    std::vector<SeriesPlot*> plots() const;
    /// The newest figures of a run (index in the plan) in a line, e.g. "3.48 GHz, other programs
    /// 2 %, 13.9 GiB free"; of any run that has some if this one has none.
    QString summary(int run) const;
    QSize sizeHint() const override;

private:
    struct Entry {
        SeriesPlot* plot = nullptr; ///< none before the first data
        std::vector<int> curves; ///< of every variant, the plot's curves one after the other
    };
    void showPlot(std::size_t entry);
    void addCurves(std::size_t entry);
    bool hasData(std::size_t entry) const;
    bool feed(std::size_t entry); ///< false: nothing was new

    PlotGroup m_group;
    QHBoxLayout* m_row;
    QLabel* m_empty;
    std::vector<LiveVariant> m_variants;
    std::vector<bool> m_visible; ///< by variant
    std::vector<Entry> m_entries; ///< one a plot that may be
};

} // namespace mantissa::ui
