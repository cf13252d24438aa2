// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA's part of the operators that core/engine/bias_gelu.cpp defines: registered while the plug-in
// is opened, for as long as the process lives.
#include "core/engine/cuda/bias_gelu.h"

#include <ATen/ops/add.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

namespace mantissa::cuda {

namespace {

using at::Tensor;

std::optional<FloatKind> kindOf(at::ScalarType type)
{
    switch (type) {
    case at::kFloat:
        return FloatKind::Float32;
    case at::kHalf:
        return FloatKind::Float16;
    case at::kBFloat16:
        return FloatKind::BFloat16;
    default:
        return std::nullopt;
    }
}

/// What the kernels can take; nothing where ATen's operators must do.
std::optional<BiasGeluShape> shapeOf(const Tensor& input, const Tensor& bias)
{
    TORCH_CHECK(input.dim() >= 1 && bias.dim() == 1 && bias.size(0) == input.size(-1),
        "bias_gelu: the bias must have one number for each of the input's last dimension; input ",
        input.sizes(), ", bias ", bias.sizes());
    const auto kind = kindOf(input.scalar_type());
    if (!kind || bias.scalar_type() != input.scalar_type() || bias.device() != input.device())
        return std::nullopt;
    const auto columns = input.size(-1);
    return BiasGeluShape{*kind, columns == 0 ? 0 : input.numel() / columns, columns};
}

Tensor forward(const Tensor& input, const Tensor& bias)
{
    const auto shape = shapeOf(input, bias);
    if (!shape)
        return at::gelu(at::add(input, bias));
    const c10::cuda::CUDAGuard device(input.device());
    const auto x = input.contiguous();
    const auto b = bias.contiguous();
    auto output = at::empty_like(x);
    C10_CUDA_CHECK(biasGelu(*shape, output.data_ptr(), x.const_data_ptr(), b.const_data_ptr(),
        c10::cuda::getCurrentCUDAStream().stream()));
    return output;
}

Tensor backward(const Tensor& grad, const Tensor& input, const Tensor& bias)
{
    const auto shape = shapeOf(input, bias);
    if (!shape || grad.scalar_type() != input.scalar_type())
        return at::gelu_backward(grad, at::add(input, bias));
    const c10::cuda::CUDAGuard device(input.device());
    const auto g = grad.contiguous();
    const auto x = input.contiguous();
    const auto b = bias.contiguous();
    auto output = at::empty_like(x);
    C10_CUDA_CHECK(biasGeluBackward(*shape, output.data_ptr(), g.const_data_ptr(),
        x.const_data_ptr(), b.const_data_ptr(), c10::cuda::getCurrentCUDAStream().stream()));
    return output;
}

} // namespace

TORCH_LIBRARY_IMPL(mantissa, CUDA, m)
{
    m.impl("bias_gelu", forward);
    m.impl("bias_gelu_backward", backward);
}

} // namespace mantissa::cuda
