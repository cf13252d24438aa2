// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace mantissa {

/// What an energy counter tells of one run among several that take turns on a machine. Seconds are
/// since the run's start. Series of one axis may be of different length (a cut-off run).
struct EnergyInput {
    std::span<const double> timeS; ///< of the counter's readings, rising
    std::span<const double> joules; ///< the counter
    std::span<const double> blockStartS; ///< where the run's turns begin, rising
    std::span<const double> stepEndS; ///< series time_s
    std::span<const double> samplesPerSecond; ///< of the same steps
    std::span<const double> stepMs; ///< of the same steps
};

struct EnergyUse {
    double joules = 0;
    double seconds = 0; ///< over which they were counted
    double samples = 0; ///< trained in those seconds
    double watts() const { return joules / seconds; }
    double joulesPerSample() const { return joules / samples; }
};

/// Energy of everything that the counter covers (a processor, a board) while this run had its turn,
/// validation included. Only the time between two readings of the same turn counts, at most 1 s
/// apart: what others took meanwhile is not this run's. Nothing under 2 s in all, or without
/// samples.
std::optional<EnergyUse> energyUse(const EnergyInput& input);

} // namespace mantissa
