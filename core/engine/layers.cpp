// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/layers.h"

#include "core/engine/bias_gelu.h"

#include <ATen/ATen.h>
#include <cmath>

namespace mantissa {

namespace {

at::Tensor uniformParameter(at::IntArrayRef sizes, double bound)
{
    auto parameter = at::empty(sizes, at::kFloat);
    parameter.uniform_(-bound, bound);
    return parameter.set_requires_grad(true);
}

/// kaiming_uniform_(a = sqrt(5)), step by step as Python computes it in doubles.
double weightBound(std::int64_t inputs)
{
    const double a = std::sqrt(5.0);
    const double gain = std::sqrt(2.0 / (1.0 + a * a));
    const double deviation = gain / std::sqrt(static_cast<double>(inputs));
    return std::sqrt(3.0) * deviation;
}

double biasBound(std::int64_t inputs)
{
    return 1.0 / std::sqrt(static_cast<double>(inputs));
}

at::Tensor constantParameter(std::int64_t size, double value)
{
    return at::full({size}, value, at::kFloat).set_requires_grad(true);
}

/// kernel x kernel values of each of `channels`.
std::int64_t fanIn(std::int64_t channels, const ConvShape& shape)
{
    return channels * shape.kernel * shape.kernel;
}

} // namespace

// Each constructor draws the weight, then the bias, as torch.nn's do.
Linear::Linear(std::int64_t inFeatures, std::int64_t outFeatures, bool withBias)
    : weight(uniformParameter({outFeatures, inFeatures}, weightBound(inFeatures)))
{
    registerParameter("weight", weight);
    if (!withBias)
        return;
    bias = uniformParameter({outFeatures}, biasBound(inFeatures));
    registerParameter("bias", bias);
}

at::Tensor Linear::forward(const at::Tensor& input)
{
    return at::linear(input, weight, bias);
}

at::Tensor LinearGelu::forward(const at::Tensor& input)
{
    return biasGelu(at::linear(input, weight), bias);
}

Conv2d::Conv2d(std::int64_t inChannels, std::int64_t outChannels, const ConvShape& shape)
    : weight(uniformParameter({outChannels, inChannels, shape.kernel, shape.kernel},
        weightBound(fanIn(inChannels, shape))))
    , m_shape(shape)
{
    registerParameter("weight", weight);
    if (!shape.bias)
        return;
    bias = uniformParameter({outChannels}, biasBound(fanIn(inChannels, shape)));
    registerParameter("bias", bias);
}

at::Tensor Conv2d::forward(const at::Tensor& input)
{
    return at::conv2d(input, weight, bias, m_shape.stride, m_shape.padding, m_shape.dilation);
}

// torch.nn takes the second size of the weight for the fan-in, which is `outChannels` here.
ConvTranspose2d::ConvTranspose2d(
    std::int64_t inChannels, std::int64_t outChannels, const ConvShape& shape)
    : weight(uniformParameter({inChannels, outChannels, shape.kernel, shape.kernel},
        weightBound(fanIn(outChannels, shape))))
    , m_shape(shape)
{
    registerParameter("weight", weight);
    if (!shape.bias)
        return;
    bias = uniformParameter({outChannels}, biasBound(fanIn(outChannels, shape)));
    registerParameter("bias", bias);
}

at::Tensor ConvTranspose2d::forward(const at::Tensor& input)
{
    return at::conv_transpose2d(
        input, weight, bias, m_shape.stride, m_shape.padding, 0, 1, m_shape.dilation);
}

Embedding::Embedding(std::int64_t count, std::int64_t dim)
    : weight(at::empty({count, dim}, at::kFloat).normal_().set_requires_grad(true))
{
    registerParameter("weight", weight);
}

at::Tensor Embedding::forward(const at::Tensor& input)
{
    return at::embedding(weight, input);
}

BatchNorm2d::BatchNorm2d(std::int64_t channels)
    : weight(constantParameter(channels, 1))
    , bias(constantParameter(channels, 0))
    , runningMean(at::zeros({channels}))
    , runningVar(at::ones({channels}))
    , batchesTracked(at::zeros({}, at::kLong))
{
    registerParameter("weight", weight);
    registerParameter("bias", bias);
    registerBuffer("running_mean", runningMean);
    registerBuffer("running_var", runningVar);
    registerBuffer("num_batches_tracked", batchesTracked);
}

at::Tensor BatchNorm2d::forward(const at::Tensor& input)
{
    if (isTraining())
        batchesTracked.add_(1);
    return at::batch_norm(
        input, weight, bias, runningMean, runningVar, isTraining(), 0.1, 1e-5, true);
}

LayerNorm::LayerNorm(std::int64_t dim)
    : weight(constantParameter(dim, 1))
    , bias(constantParameter(dim, 0))
    , m_dim(dim)
{
    registerParameter("weight", weight);
    registerParameter("bias", bias);
}

at::Tensor LayerNorm::forward(const at::Tensor& input)
{
    return at::layer_norm(input, {m_dim}, weight, bias, 1e-5);
}

} // namespace mantissa
