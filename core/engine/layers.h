// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/module.h"

namespace mantissa {

/// Layers with the names, defaults and initialisation of torch.nn's.

/// y = x W^T + b through at::linear, which lets autocast cache the cast of W (a module that passes
/// W.t() does not).
class Linear : public Module {
public:
    Linear(std::int64_t inFeatures, std::int64_t outFeatures);

    at::Tensor weight; ///< out x in
    at::Tensor bias;

protected:
    at::Tensor forward(const at::Tensor& input) override;
};

/// Square kernel, stride 1.
class Conv2d : public Module {
public:
    Conv2d(std::int64_t inChannels, std::int64_t outChannels, std::int64_t kernel,
        std::int64_t padding);

    at::Tensor weight; ///< out x in x kernel x kernel
    at::Tensor bias;

protected:
    at::Tensor forward(const at::Tensor& input) override;

private:
    std::int64_t m_padding;
};

} // namespace mantissa
