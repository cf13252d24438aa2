// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/watchers.h"

#include <optional>
#include <string>
#include <vector>

namespace mantissa {

/// What comparing two runs needs to know of each.
struct RunFigures {
    std::string variant;
    Precision precision = Precision::Fp32;
    std::int64_t stepsMeasured = 0; ///< behind the medians, warm-up left out
    double samplesPerSecond = 0; ///< median
    double stepMs = 0; ///< median
    double peakMemoryBytes = 0; ///< largest after the first step
    std::string formatClass; ///< native, conversion, emulated, unsupported; empty = not measured
};

/// What a 16-bit run gained over one in 32 bits, in percent of the latter; nothing where it was not
/// measured (fewer than kFewestMeasured steps in either).
struct Gains {
    std::optional<double> memory; ///< memory saved
    std::optional<double> speed; ///< more samples a second
};
inline constexpr std::int64_t kFewestMeasured = 20;
Gains gainsOf(const RunFigures& base, const RunFigures& run);

/// Alerts for gains below what [watch] calls usual. Pure, any thread.
std::vector<Alert> gainAlerts(
    const RunFigures& base, const RunFigures& run, const WatchConfig& limits);

} // namespace mantissa
