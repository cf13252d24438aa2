// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace mantissa {

/// gelu(input + bias), the exact form (erf), in one pass over memory instead of two: the end of the
/// first layer of a transformer's MLP. `bias` has the size of input's last dimension and, outside
/// autocast, its type. Computed in fp32 and rounded once.
///
/// Under autocast both are cast to the region's type, as at::linear would cast its bias. Gradients
/// of any order. On the CPU a kernel of our own; on CUDA the plug-in's, where it was built with
/// nvcc; else (and for other types) ATen's two operators.
///
/// Errors: c10::Error where the sizes do not fit.
at::Tensor biasGelu(const at::Tensor& input, const at::Tensor& bias);

/// For who only looks the operator up in LibTorch's dispatcher: calling it brings the registration
/// into the program.
void registerBiasGelu();

} // namespace mantissa
