// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/module.h"
#include "core/engine/non_finite.h"

#include <c10/core/ScalarType.h>
#include <functional>
#include <optional>
#include <vector>

namespace mantissa {

/// A step to be replayed.
struct Replay {
    Module* root = nullptr;
    std::int64_t microBatches = 1;
    double scale = 1; ///< of the step
    std::optional<c10::ScalarType> lowType; ///< autocast's; nothing = the step was in fp32
    /// Forward pass and loss of micro-batch `index`, as in the step (mean over the micro-batches),
    /// with autocast if `low`.
    std::function<at::Tensor(std::int64_t index, bool low)> loss;
};

/// Replays a step to name the first tensor that was not finite, then in fp32 at scale 1
/// (and, for a gradient, in the step's precision at scale 1) to tell why. Leaves behind everything
/// as it was: parameters, gradients, buffers, random generators, training mode. Throws what
/// LibTorch throws, with all of it restored too. One thread.
NonFiniteFinding locateNonFinite(const Replay& replay);

} // namespace mantissa
