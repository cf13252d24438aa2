// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/autocast_mode.h>

namespace mantissa {

/// What autocast shall do with an operator of one's own. Without a rule an operator runs in the
/// types of its arguments, whatever the region says: a kernel that demands one type for all then
/// throws as soon as one argument comes from a layer (low precision) and one is a parameter (fp32).
///
/// Three steps, in the file that defines the operator:
///
///     at::Tensor biasGelu(const at::Tensor& input, const at::Tensor& bias);  // calls the
///     dispatcher
///
///     TORCH_LIBRARY(mantissa, m) { m.def("bias_gelu(Tensor input, Tensor bias) -> Tensor"); }
///     TORCH_LIBRARY_IMPL(mantissa, AutocastCPU, m)
///     {
///         m.impl("bias_gelu",
///             autocastRule<AutocastPolicy::lower_precision_fp, at::kCPU, biasGelu>());
///     }
///     TORCH_LIBRARY_IMPL(mantissa, AutocastCUDA, m)
///     {
///         m.impl("bias_gelu",
///             autocastRule<AutocastPolicy::lower_precision_fp, at::kCUDA, biasGelu>());
///     }
///
/// The policies are ATen's own: lower_precision_fp (every floating argument of the region's device
/// is cast to the region's type; casts of parameters are cached), fp32, and promote (to the widest
/// type among the arguments). Doubles and other devices' tensors are never cast. Inside the
/// operator autocast is off; gradients come back in the arguments' own types.
using AutocastPolicy = at::autocast::CastPolicy;

/// The kernel to register for `function`, which must call the operator through the dispatcher.
template <AutocastPolicy policy, at::DeviceType device, auto function> constexpr auto autocastRule()
{
    using Signature = std::remove_pointer_t<decltype(function)>;
    return &at::autocast::WrapFunction<policy, device, Signature, Signature, function>::type::call;
}

} // namespace mantissa
