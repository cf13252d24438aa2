// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/clip.h"

#include <ATen/ATen.h>

namespace mantissa {

at::Tensor globalNorm(const std::vector<at::Tensor>& gradients)
{
    const at::NoGradGuard noGrad;
    return at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2);
}

void clipByNorm(std::vector<at::Tensor>& gradients, const at::Tensor& norm, double maxNorm)
{
    const at::NoGradGuard noGrad;
    const auto factor = at::clamp_max(at::reciprocal(norm + 1e-6).mul_(maxNorm), 1.0);
    at::_foreach_mul_(gradients, factor);
}

} // namespace mantissa
