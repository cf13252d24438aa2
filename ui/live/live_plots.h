// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/run_trace.h"
#include "ui/plot/plot_group.h"
#include "ui/plot/series_plot.h"

#include <QWidget>
#include <array>
#include <memory>
#include <vector>

namespace mantissa::ui {

/// A variant as the Live page shows it.
struct LiveVariant {
    std::shared_ptr<RunTrace> trace;
    SeriesColour colour = SeriesColour::Reference;
    QString name;
};

/// The four linked plots: loss, loss scale, throughput, memory. GUI thread.
class LivePlots : public QWidget {
    Q_OBJECT
public:
    explicit LivePlots(QWidget* parent = nullptr);

    /// Starts anew with these variants; empty = axes only.
    void setVariants(std::vector<LiveVariant> variants);
    /// Takes over what is new in the traces.
    void refresh();

    PlotGroup& group() { return m_group; }
    SeriesPlot* loss() const { return m_loss; }
    SeriesPlot* scale() const { return m_scale; }
    SeriesPlot* rate() const { return m_rate; }
    SeriesPlot* memory() const { return m_memory; }
    std::array<SeriesPlot*, 4> plots() const { return {m_loss, m_scale, m_rate, m_memory}; }

    void setXAxisKind(XAxisKind kind);
    void setSmoothing(double weight);
    void setRawVisible(bool visible);
    void setLogLoss(bool log);
    void setMarksVisible(bool visible);
    void setVariantVisible(int variant, bool visible);

    /// The step of a variant at the cursor; nothing without one.
    std::optional<double> stepAtCursor(int variant) const;
    /// The smoothed loss at a step.
    std::optional<double> smoothedAt(int variant, double step) const;
    /// Puts the cursor on a step of a variant, whatever the x axis is, and scrolls to it.
    void showStep(int variant, double step);

private:
    struct Curves {
        int loss = -1, scale = -1, rate = -1, memory = -1;
        std::size_t marked = 0; ///< steps whose marks are set
        std::size_t edits = 0; ///< events looked at for edits
        std::size_t validations = 0; ///< looked at
        std::size_t disturbances = 0; ///< events looked at for throttling and foreign load
    };
    void setupPlots();
    void addCurves();
    void feed(int variant, SeriesPlot* plot, int curve, std::string_view series, double factor);
    void feedMarks(int variant);
    void feedValidations(int variant);
    void feedEdits(int variant);
    void feedDisturbances(int variant);
    double xOf(const RunTrace& trace, double step) const;
    void updateTitles();
    void countDisturbed();
    void chooseRateScale();

    PlotGroup m_group;
    SeriesPlot* m_loss;
    SeriesPlot* m_scale;
    SeriesPlot* m_rate;
    SeriesPlot* m_memory;
    std::vector<LiveVariant> m_variants;
    std::vector<Curves> m_curves;
    bool m_logLoss = true;
};

/// The class of a variant's format on its device and its factor, from the run's environment.
struct FormatClassInfo {
    QString word; ///< native, conversion, emulated, unsupported; empty = not probed
    double factor = 0; ///< time as a multiple of fp32's; 0 = unknown
};
FormatClassInfo formatClass(const RunTrace& trace);

} // namespace mantissa::ui
