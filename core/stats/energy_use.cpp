// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/energy_use.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

namespace {

constexpr double kMostApartS = 1;
constexpr double kLeastS = 2;

bool anyWithin(std::span<const double> rising, double after, double upTo)
{
    const auto next = std::upper_bound(rising.begin(), rising.end(), after);
    return next != rising.end() && *next <= upTo;
}

/// Samples of the steps that ended in (after, upTo].
double samplesWithin(const EnergyInput& input, double after, double upTo)
{
    const auto steps =
        std::min({input.stepEndS.size(), input.samplesPerSecond.size(), input.stepMs.size()});
    const auto ends = input.stepEndS.first(steps);
    const auto first = std::upper_bound(ends.begin(), ends.end(), after) - ends.begin();
    double samples = 0;
    for (auto i = static_cast<std::size_t>(first); i < steps && ends[i] <= upTo; ++i) {
        const double ofStep = input.samplesPerSecond[i] * input.stepMs[i] / 1000;
        samples += std::isfinite(ofStep) ? ofStep : 0;
    }
    return samples;
}

} // namespace

std::optional<EnergyUse> energyUse(const EnergyInput& input)
{
    EnergyUse use;
    const auto readings = std::min(input.timeS.size(), input.joules.size());
    for (std::size_t i = 1; i < readings; ++i) {
        const double from = input.timeS[i - 1];
        const double to = input.timeS[i];
        const double joules = input.joules[i] - input.joules[i - 1];
        // A counter that fell began anew: the run was resumed.
        if (!(to > from && to - from <= kMostApartS && joules >= 0)
            || anyWithin(input.blockStartS, from, to))
            continue;
        use.joules += joules;
        use.seconds += to - from;
        use.samples += samplesWithin(input, from, to);
    }
    if (use.seconds < kLeastS || !(use.samples > 0))
        return std::nullopt;
    return use;
}

} // namespace mantissa
