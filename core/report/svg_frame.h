// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/svg_chart.h"

#include <string>

namespace mantissa {

/// The plot area of a chart: from values to pixels, and what stands around it.
class SvgFrame {
public:
    static constexpr int kWidth = 620;
    static constexpr int kHeight = 300;

    explicit SvgFrame(const Chart& chart);

    double left() const { return 62; }
    double right() const { return kWidth - 96; }
    double top() const { return 34; }
    double bottom() const { return kHeight - 40; }

    /// Whether a value has a place on the axis: finite, and positive on a log axis.
    bool canShow(double y) const;
    double toX(double x) const;
    double toY(double y) const;

    /// Title, grid, axis numbers, frame; the words for an empty chart.
    std::string axes(const Chart& chart) const;
    /// Names at the right, beside the ends of their curves.
    std::string nameTags(const Chart& chart) const;

private:
    void fitX(const Chart& chart);
    void fitY(const Chart& chart);

    AxisScale m_scale;
    double m_lowX = 0, m_highX = 1;
    double m_lowY = 0, m_highY = 1;
    bool m_empty = true;
};

} // namespace mantissa
