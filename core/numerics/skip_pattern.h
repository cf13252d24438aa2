// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mantissa {

/// What kind of skipping a run shows. Pure, any thread.
enum class SkipPattern {
    None, ///< no step was skipped
    Calibration, ///< only at the start, while the scaler looks for a scale that fits
    Probing, ///< now and then, one skip after a growth: how dynamic scaling works
    Scattered, ///< also where the scale had not grown: unsteady gradients
    Persistent, ///< long rows, or no end: backing off does not help
};
std::string_view toString(SkipPattern pattern);

struct SkipReport {
    SkipPattern pattern = SkipPattern::None;
    std::int64_t steps = 0;
    std::int64_t skipped = 0;
    std::int64_t calibration = 0; ///< skips before the first 10 applied steps in a row
    std::int64_t probing = 0; ///< first skips after a growth
    std::int64_t scattered = 0; ///< the rest
    std::int64_t longestRow = 0; ///< skips in a row after the calibration
};

/// `foundInf` (0 or 1) and `scale` (used in that step) of every step from the first on. Rows of 5
/// or more after the calibration, 40 before its end, or a run that ends in 20 skips are persistent.
SkipReport classifySkips(std::span<const double> foundInf, std::span<const double> scale);

/// Clean steps until the scale is back at `before`, having fallen to `now`; 0 if it is not below.
std::int64_t recoverySteps(
    double now, double before, double growthFactor, std::int64_t growthInterval);

} // namespace mantissa
