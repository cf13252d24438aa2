// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace at {
class Tensor;
}

namespace mantissa {

/// The 2-norm of all values of `gradients` as one fp32 number on their device, without a
/// synchronisation. `gradients` must not be empty.
at::Tensor globalNorm(const std::vector<at::Tensor>& gradients);

/// Scales `gradients` in place so that their norm is at most `maxNorm`, as
/// torch.nn.utils.clip_grad_norm_ does: times min(1, maxNorm / (norm + 1e-6)). `norm` is what
/// globalNorm() gave. No synchronisation. A non-finite norm makes non-finite gradients.
void clipByNorm(std::vector<at::Tensor>& gradients, const at::Tensor& norm, double maxNorm);

} // namespace mantissa
