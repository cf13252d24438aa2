// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

/// Where an axis has its numbers. Pure, any thread.
namespace mantissa {

enum class AxisScale { Linear, Log2, Log10 };

struct Tick {
    double value = 0;
    std::string label;
};

/// At most about `wanted` ticks with low <= value <= high: steps of 1, 2 or 5 times a power of ten;
/// on Log2 powers of two, labelled "2¹⁷"; on Log10 powers of ten, with 2 and 5 between where they
/// fit. A log axis needs 0 < low.
std::vector<Tick> axisTicks(double low, double high, int wanted, AxisScale scale);

/// The unit in which a time axis up to `seconds` is readable, and its seconds.
struct TimeUnit {
    const char* name; ///< "s", "min" or "h"
    double seconds;
};
TimeUnit timeUnitFor(double seconds);

} // namespace mantissa
