// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"

namespace mantissa {

/// What differs between two cards of the same or another machine.
struct CapabilityChange {
    std::string what; ///< "Matrix product, bf16" or a fact, e.g. "driver"
    std::string before;
    std::string after;
    /// after / before of the times where both are measured at one shape; none for facts.
    std::optional<double> timeRatio;
};

/// Facts that differ (driver, LibTorch, kernel, CPU ...), classes that differ, and times whose
/// quartile ranges do not overlap and whose medians differ by over 5 %: less is noise.
std::vector<CapabilityChange> compareCards(
    const CapabilityCard& before, const CapabilityCard& after);

} // namespace mantissa
