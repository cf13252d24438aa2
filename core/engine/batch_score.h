// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <cstdint>

namespace mantissa {

/// What a batch adds to a validation. The tensors are single numbers on the device.
struct BatchScore {
    at::Tensor sum; ///< right answers, or squared errors; fp64
    std::int64_t answers = 0; ///< over so many targets
    at::Tensor nonFiniteRows; ///< rows with an output that is not finite
    std::int64_t rows = 0; ///< of so many
};

} // namespace mantissa
