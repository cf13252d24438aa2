// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"
#include "ui/hardware/card_text.h"
#include "ui/hardware/chart_widget.h"

#include <vector>

namespace mantissa::ui {

/// Rates of matrix work by format: a bar is the median, its whisker the quartiles, on a
/// logarithmic axis. Emulated formats are hatched, the reference is grey. GUI thread.
class RateChart : public ChartWidget {
    Q_OBJECT
public:
    explicit RateChart(QWidget* parent = nullptr);

    void set(const CapabilityCard& card);
    QString csv() const override;

    struct Bar {
        CheckWork work;
        CheckFormat format;
        FormatClass formatClass;
        double median = 0, low = 0, high = 0; ///< FLOP/s
        QString shape;
        QString tip;
    };
    /// By work, then format.
    const std::vector<Bar>& bars() const { return m_bars; }
    /// Where a bar stands at a size of the chart.
    QRectF barRect(std::size_t bar, const QSizeF& size) const;

protected:
    void draw(QPainter& painter, const QSizeF& size) const override;
    QString tipAt(const QPointF& place) const override;

private:
    QRectF frame(const QSizeF& size) const;
    LogAxis axis(const QRectF& frame) const;
    void drawLegend(QPainter& painter, const QRectF& place) const;
    void drawBar(QPainter& painter, std::size_t bar, const QSizeF& size) const;
    void drawNumbers(QPainter& painter, const QSizeF& size) const;
    void drawWork(QPainter& painter, const QRectF& frame, CheckWork work) const;

    std::vector<Bar> m_bars;
    std::vector<CheckFormat> m_formats; ///< that have a bar, in order
    std::vector<CheckWork> m_works;
    FlopUnit m_unit = flopUnit(0);
};

} // namespace mantissa::ui
