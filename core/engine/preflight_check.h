// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/batch_source.h"
#include "core/engine/module.h"
#include "core/numerics/preflight.h"

#include <functional>
#include <vector>

namespace mantissa {

/// What is about to be trained.
struct PreflightSubject {
    std::vector<NamedTensor> parameters; ///< the model's
    std::vector<at::Tensor> optimized; ///< what the optimizers hold
    Batch batch; ///< one or a few samples
    /// Forward pass and loss of `batch` as the step does it (autocast).
    std::function<at::Tensor(const Batch&)> loss;
    Precision precision = Precision::Fp32;
    bool usesScaler = false;
    double scale = 1;
    double clipNorm = 0;
};

/// What only the model itself can tell before its first step: types of parameters, input and loss;
/// which parameters the loss reaches and the optimizers hold; whether clipping can act. One forward
/// and backward pass of `batch`; gradients, buffers in evaluation mode and random generators are
/// left alone. Throws what LibTorch throws.
std::vector<PreflightFinding> preflight(const PreflightSubject& subject);

} // namespace mantissa
