// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace mantissa {

/// Everything known about one step; names, units and meaning as the series of CLI.md.
struct StepRecord {
    std::int64_t step = 0; ///< 1-based
    double loss = 0;
    double lr = 0;
    double gradNorm = 0;
    double scale = 1; ///< used in this step
    double newScale = 1; ///< after its update
    double growthTracker = 0; ///< after its update
    double foundInf = 0; ///< 0 or 1
    double stepMs = 0;
    double dataWaitMs = 0;
    double samplesPerSecond = 0;
    double timeS = 0;
    double memoryBytes = 0;
    double peakMemoryBytes = 0;
    double reservedBytes = 0; ///< CUDA only
};

} // namespace mantissa
