// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/autocast_guard.h"

#include <ATen/core/Tensor.h>

namespace torch::autograd {
struct AutogradContext;
}

namespace mantissa {

/// torch.amp.custom_fwd for a torch::autograd::Function in C++. The first statement of forward():
///
///     static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight)
///     {
///         const CustomForward region(context, at::kCUDA, at::kFloat);
///         return kernelForFp32Only(region.cast(input), region.cast(weight));
///     }
///     static variable_list backward(AutogradContext* context, const variable_list& grads)
///     {
///         const CustomBackward region(context);
///         ...
///     }
///
/// With `castInputs`, in an autocast region of `device`: cast() turns floating tensors of that
/// device (doubles excepted) into that type and autocast is off until the end of forward().
/// Without it: forward runs in the region it is called in, and cast() does nothing. Outside a
/// region: inert. Remembers for CustomBackward which it was.
class CustomForward {
public:
    CustomForward(torch::autograd::AutogradContext* context, c10::DeviceType device,
        std::optional<c10::ScalarType> castInputs = std::nullopt);

    at::Tensor cast(const at::Tensor& input) const;

private:
    c10::DeviceType m_device;
    std::optional<c10::ScalarType> m_type; ///< of the casts; nothing = none
    std::optional<AutocastGuard> m_off;
};

/// torch.amp.custom_bwd: the first statement of backward(). Backward then runs in the autocast
/// state in which forward's operators ran (off after castInputs), on whatever thread.
class CustomBackward {
public:
    explicit CustomBackward(torch::autograd::AutogradContext* context);

private:
    std::optional<AutocastGuard> m_region;
};

} // namespace mantissa
