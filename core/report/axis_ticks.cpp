// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/axis_ticks.h"

#include "core/base/human_text.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

namespace {

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
double niceStep(double least)
{
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-9))
            return factor * power;
    }
    return 10 * power;
}

std::vector<Tick> linearTicks(double low, double high, int wanted)
{
    std::vector<Tick> ticks;
    const double step = niceStep((high - low) / std::max(wanted - 1, 1));
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    const double slack = step * 1e-6;
    for (double index = std::ceil((low - slack) / step); index * step <= high + slack; ++index) {
        const double value = index == 0 ? 0 : index * step;
        const bool plain = decimals <= 6 && std::abs(value) < 1e9;
        ticks.push_back({value, plain ? fixedText(value, decimals) : significantText(value, 3)});
    }
    return ticks;
}

std::vector<Tick> log2Ticks(double low, double high, int wanted)
{
    std::vector<Tick> ticks;
    const int first = static_cast<int>(std::ceil(std::log2(low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log2(high) + 1e-9));
    const int step = std::max(1, (last - first + wanted - 1) / std::max(wanted, 1));
    for (int exponent = first; exponent <= last; exponent += step)
        ticks.push_back({std::ldexp(1, exponent), powerOfTwoText(exponent)});
    return ticks;
}

std::vector<Tick> log10Ticks(double low, double high, int wanted)
{
    std::vector<Tick> ticks;
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    const int decades = last - first;
    const int step = std::max(1, decades / std::max(wanted, 1));
    const bool between = decades * 3 <= wanted + 3;
    for (int exponent = first; exponent <= last; exponent += step) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10, exponent);
            if (factor > 1 && !between)
                break;
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
                ticks.push_back({value, significantText(value, 1)});
        }
    }
    // Less than two would not say how far apart things are.
    return ticks.size() < 2 ? linearTicks(low, high, wanted) : ticks;
}

} // namespace

std::vector<Tick> axisTicks(double low, double high, int wanted, AxisScale scale)
{
    if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
        return {};
    if (scale == AxisScale::Log2)
        return log2Ticks(low, high, wanted);
    if (scale == AxisScale::Log10)
        return log10Ticks(low, high, wanted);
    return linearTicks(low, high, wanted);
}

TimeUnit timeUnitFor(double seconds)
{
    if (seconds < 180)
        return {"s", 1};
    return seconds < 3 * 3600 ? TimeUnit{"min", 60} : TimeUnit{"h", 3600};
}

} // namespace mantissa
