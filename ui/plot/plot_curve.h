// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/curve.h"
#include "ui/theme/colours.h"

#include <QString>
#include <optional>
#include <span>

namespace mantissa::ui {

enum class CurveShape { Line, Steps };

/// What a curve is and how it looks.
struct CurveSpec {
    QString name; ///< name tag, e.g. the variant
    SeriesColour colour = SeriesColour::Reference;
    CurveShape shape = CurveShape::Line;
    bool smoothable = false; ///< follows the plot's smoothing, with the raw values faint behind it
    Qt::PenStyle pen = Qt::SolidLine;
    bool tagged = true; ///< its name stands at its end
    double gap =
        0; ///< where x jumps by more nothing was measured: no line there; 0 = always a line
};

/// The full data of one curve, raw and smoothed, each ready to be decimated. GUI thread.
class PlotCurve {
public:
    explicit PlotCurve(CurveSpec spec);

    const CurveSpec& spec() const { return m_spec; }
    void setColour(SeriesColour colour) { m_spec.colour = colour; }

    /// Adds points; x must not decrease.
    void append(std::span<const double> x, std::span<const double> y);
    void clear();
    /// Weight as in Smoother; recomputes the smoothed curve from the full data on a change.
    void setSmoothing(double weight);

    bool isSmoothed() const { return m_spec.smoothable && m_weight > 0; }
    const CurvePyramid& raw() const { return m_raw; }
    /// What the curve's line shows: the smoothed values where smoothing is on, else the raw ones.
    const CurvePyramid& shown() const { return isSmoothed() ? m_smoothed : m_raw; }

    std::size_t size() const { return m_raw.size(); }
    /// The point nearest to x; of several at one place the last. Nothing for an empty curve.
    std::optional<std::size_t> nearest(double x) const;

    bool visible = true;
    std::optional<double> limit; ///< a dashed line, e.g. the peak

private:
    CurveSpec m_spec;
    double m_weight = 0;
    Smoother m_smoother{0};
    CurvePyramid m_raw;
    CurvePyramid m_smoothed;
};

/// `curve` with a NaN wherever x jumps by more than `gap`. A point that is left alone between two
/// becomes a line of the length `dot`, so that it is seen.
Curve brokenAtGaps(const Curve& curve, double gap, double dot);

} // namespace mantissa::ui
