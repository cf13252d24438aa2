// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/layers.h"

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
double weightBound(std::int64_t fanIn)
{
    const double a = std::sqrt(5.0);
    const double gain = std::sqrt(2.0 / (1.0 + a * a));
    const double deviation = gain / std::sqrt(static_cast<double>(fanIn));
    return std::sqrt(3.0) * deviation;
}

double biasBound(std::int64_t fanIn)
{
    return 1.0 / std::sqrt(static_cast<double>(fanIn));
}

} // namespace

// Members are initialised in the order of their declaration: weight, then bias, as in Python.
Linear::Linear(std::int64_t inFeatures, std::int64_t outFeatures)
    : weight(uniformParameter({outFeatures, inFeatures}, weightBound(inFeatures)))
    , bias(uniformParameter({outFeatures}, biasBound(inFeatures)))
{
}

at::Tensor Linear::operator()(const at::Tensor& input) const
{
    return at::linear(input, weight, bias);
}

Conv2d::Conv2d(
    std::int64_t inChannels, std::int64_t outChannels, std::int64_t kernel, std::int64_t padding_)
    : weight(uniformParameter(
        {outChannels, inChannels, kernel, kernel}, weightBound(inChannels * kernel * kernel)))
    , bias(uniformParameter({outChannels}, biasBound(inChannels * kernel * kernel)))
    , padding(padding_)
{
}

at::Tensor Conv2d::operator()(const at::Tensor& input) const
{
    return at::conv2d(input, weight, bias, 1, padding);
}

} // namespace mantissa
