// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace mantissa {

/// Layers as plain values: parameters created and initialised in torch.nn's order and way from the
/// default generator, so that the same seed gives Python's weights to the bit.

/// y = x W^T + b through at::linear, which lets autocast cache the cast of W (a module that passes
/// W.t() does not).
struct Linear {
    Linear(std::int64_t inFeatures, std::int64_t outFeatures);
    at::Tensor operator()(const at::Tensor& input) const;

    at::Tensor weight; ///< out x in
    at::Tensor bias;
};

/// Square kernel, stride 1.
struct Conv2d {
    Conv2d(std::int64_t inChannels, std::int64_t outChannels, std::int64_t kernel,
        std::int64_t padding);
    at::Tensor operator()(const at::Tensor& input) const;

    at::Tensor weight; ///< out x in x kernel x kernel
    at::Tensor bias;
    std::int64_t padding;
};

} // namespace mantissa
