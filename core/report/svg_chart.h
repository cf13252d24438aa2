// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/axis_ticks.h"
#include "core/run/curve.h"

#include <string>
#include <vector>

/// Line charts as inline SVG. Pure, any thread.
namespace mantissa {

/// One curve with its marks. Colours are CSS classes that the page defines ("k-fp32").
struct ChartSeries {
    std::string name; ///< as given by a person: escaped when drawn
    std::string colour;
    Curve line; ///< decimated; NaN breaks the line
    Curve raw; ///< drawn faint behind the line; may be empty
    bool steps = false; ///< a staircase instead of straight lines
    std::vector<double> limits; ///< dashed horizontal lines
    std::vector<double> skipped; ///< x of skipped steps: a rail of crosses at the bottom
    std::vector<double> disturbed; ///< x where throttling or foreign load began: squares at the top
    std::vector<double> nonFinite; ///< x of non-finite values: a rail of crossed circles at the top
    Curve grew; ///< triangles up, above the point
    Curve backedOff; ///< hollow triangles down, below the point
};

struct Chart {
    std::string title;
    std::string unit; ///< after the title, muted
    std::string xLabel;
    double reachX = 0; ///< the x axis goes at least so far
    AxisScale scale = AxisScale::Linear;
    bool fromZero = false;
    std::string note; ///< a sentence under the chart; may be empty
    std::string whyEmpty; ///< said in the plot where no series has a point
    std::vector<ChartSeries> series;
};

/// A complete <svg> element. `id` must be unique within the page (letters and digits).
std::string renderSvg(const Chart& chart, const std::string& id);

} // namespace mantissa
