// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace mantissa {

/// One batch size that was tried.
struct FitTrial {
    std::int64_t batch = 0;
    std::optional<double> peakBytes; ///< none = it ran out of memory
};

struct BatchFit {
    std::int64_t batch = 0; ///< the largest found to fit, verified; 0 = not even one sample fits
    double peakBytes = 0; ///< at that batch
    bool limitedByData = false; ///< all samples in one batch fit
    std::vector<FitTrial> trials; ///< in order, the verification last
};

/// Peak bytes of some training steps at a batch size, nothing where memory ran out; an Error ends
/// the search. `verify` asks for three more steps.
using FitFunction = std::function<Result<std::optional<double>>(std::int64_t batch, bool verify)>;

/// The largest batch of at most `most` samples whose peak stays within `limitBytes`: two small
/// trials, a line through them, then correction until the answer is within 5 % of the first size
/// known not to fit; at most 12 trials. Pure but for `trial`; peaks may be any rising function.
[[nodiscard]] Result<BatchFit> fitBatch(
    double limitBytes, std::int64_t first, std::int64_t most, const FitFunction& trial);

} // namespace mantissa
