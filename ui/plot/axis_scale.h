// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

/// The arithmetic of axes: nice ranges, ticks and their texts. Pure functions.
namespace mantissa::ui {

enum class YScale { Linear, Log10, Log2 };
enum class XAxisKind { Step, RelativeTime, WallTime };

struct AxisRange {
    double lower = 0;
    double upper = 1;

    bool operator==(const AxisRange&) const = default;
    double span() const { return upper - lower; }
};

/// 1, 2, 2.5 or 5 times a power of ten, so that about `wanted` steps fill `span` (> 0).
double niceStep(double span, int wanted);
/// The first multiple of a nice step at or after `last`, as the end of an axis from 0.
double niceEnd(double last, int wanted = 8);
/// A step for times in seconds: 1, 2, 5, 10, 15, 30 s and min, 1, 2, 3, 6, 12 h and so on.
double niceTimeStep(double span, int wanted);

std::vector<double> linearTicks(const AxisRange& range, double step);
/// 1-2-5 per decade where they fit, decades only else; nice linear steps inside less than a factor
/// of 4. `range` must be positive.
std::vector<double> log10Ticks(const AxisRange& range, int wanted);
/// Powers of two, every second, fourth ... one where they are too many.
std::vector<double> log2Ticks(const AxisRange& range, int wanted);
/// Places between ticks for the minor grid: 1..9 of each decade for Log10, none else.
std::vector<double> minorTicks(const AxisRange& range, YScale scale);

/// `lowest`..`highest` widened by fractions of the axis' length, in the scale's own measure. A
/// range of one value or none gets a sensible length.
AxisRange paddedRange(
    double lowest, double highest, YScale scale, double bottomFraction, double topFraction);

/// Decimals that the multiples of a step need: 0.25 needs 2.
int decimalsOfStep(double step);

/// The text of a place on the x axis; `step` is the distance of the ticks (0 for a cursor).
QString xLabel(double x, XAxisKind kind, double step);

/// Moves positions (ascending wishes) apart to at least `distance` inside [from, to], each as near
/// to its wish as the others allow. The order is kept.
std::vector<double> spreadApart(
    const std::vector<double>& wishes, double distance, double from, double to);

} // namespace mantissa::ui
