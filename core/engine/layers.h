// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/module.h"

namespace mantissa {

/// Layers with the names, defaults and initialisation of torch.nn's.

/// y = x W^T + b through at::linear, which lets autocast cache the cast of W (a module that passes
/// W.t() does not).
class Linear : public Module {
public:
    Linear(std::int64_t inFeatures, std::int64_t outFeatures, bool withBias = true);

    at::Tensor weight; ///< out x in
    at::Tensor bias; ///< undefined without

protected:
    at::Tensor forward(const at::Tensor& input) override;
};

/// gelu(x W^T + b), bias and gelu in one pass over the product.
class LinearGelu : public Linear {
public:
    using Linear::Linear;

protected:
    at::Tensor forward(const at::Tensor& input) override;
};

/// A square kernel.
struct ConvShape {
    std::int64_t kernel = 3;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t dilation = 1;
    bool bias = true;
};

class Conv2d : public Module {
public:
    Conv2d(std::int64_t inChannels, std::int64_t outChannels, const ConvShape& shape);

    at::Tensor weight; ///< out x in x kernel x kernel
    at::Tensor bias; ///< undefined without

protected:
    at::Tensor forward(const at::Tensor& input) override;

private:
    ConvShape m_shape;
};

class ConvTranspose2d : public Module {
public:
    ConvTranspose2d(std::int64_t inChannels, std::int64_t outChannels, const ConvShape& shape);

    at::Tensor weight; ///< in x out x kernel x kernel
    at::Tensor bias; ///< undefined without

protected:
    at::Tensor forward(const at::Tensor& input) override;

private:
    ConvShape m_shape;
};

/// Rows of a table by int64 numbers.
class Embedding : public Module {
public:
    Embedding(std::int64_t count, std::int64_t dim);

    at::Tensor weight; ///< count x dim

protected:
    at::Tensor forward(const at::Tensor& input) override;
};

/// In training: by the batch's statistics, whose running mean (momentum 0.1) is kept in buffers;
/// else by the running ones. eps 1e-5.
class BatchNorm2d : public Module {
public:
    explicit BatchNorm2d(std::int64_t channels);

    at::Tensor weight;
    at::Tensor bias;
    at::Tensor runningMean;
    at::Tensor runningVar;
    at::Tensor batchesTracked; ///< int64

protected:
    at::Tensor forward(const at::Tensor& input) override;
};

/// Over the last dimension. eps 1e-5.
class LayerNorm : public Module {
public:
    explicit LayerNorm(std::int64_t dim);

    at::Tensor weight;
    at::Tensor bias;

protected:
    at::Tensor forward(const at::Tensor& input) override;

private:
    std::int64_t m_dim;
};

} // namespace mantissa
