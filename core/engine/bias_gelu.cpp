// SPDX-License-Identifier: GPL-3.0-or-later
// The operators mantissa::bias_gelu and mantissa::bias_gelu_backward.
#include "core/engine/bias_gelu.h"

#include "core/engine/autocast_rule.h"
#include "core/engine/kernels/bias_gelu_rows.h"

#include <ATen/TensorIterator.h>
#include <algorithm>
#include <array>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace mantissa {

namespace {

using at::Tensor;

constexpr auto kLowPolicy = AutocastPolicy::lower_precision_fp;

void check(const Tensor& input, const Tensor& bias)
{
    TORCH_CHECK(input.dim() >= 1 && bias.dim() == 1 && bias.size(0) == input.size(-1),
        "bias_gelu: the bias must have one number for each of the input's last dimension; input ",
        input.sizes(), ", bias ", bias.sizes());
}

Tensor callBackward(const Tensor& grad, const Tensor& input, const Tensor& bias)
{
    static const auto kOperator = c10::Dispatcher::singleton()
                                      .findSchemaOrThrow("mantissa::bias_gelu_backward", "")
                                      .typed<decltype(callBackward)>();
    return kOperator.call(grad, input, bias);
}

// Any device and type: ATen's operators one after the other.

Tensor composed(const Tensor& input, const Tensor& bias)
{
    check(input, bias);
    return at::gelu(input + bias);
}

Tensor composedBackward(const Tensor& grad, const Tensor& input, const Tensor& bias)
{
    return at::gelu_backward(grad, input + bias);
}

// CPU.

bool rowsFit(const Tensor& input, const Tensor& bias)
{
    return input.scalar_type() == bias.scalar_type() && biasGeluRows(input.scalar_type()).forward;
}

/// Calls `row(data, count)` for pieces of rows, on ATen's threads; data[0] is the output. Where the
/// last dimension is 1, each number is a row of its own.
template <typename Row> void eachRow(at::TensorIterator& iterator, const Row& row)
{
    constexpr std::size_t kMost = 4;
    using Pointers = std::array<char*, kMost>;
    const auto size = iterator.element_size(0);
    const auto count = static_cast<std::size_t>(iterator.ntensors());
    iterator.for_each(
        [&](char** first, const std::int64_t* strides, std::int64_t inner, std::int64_t outer) {
            const bool whole =
                std::all_of(strides, strides + count, [&](auto step) { return step == size; });
            Pointers data{};
            std::copy(first, first + count, data.begin());
            for (std::int64_t i = 0; i < outer; ++i) {
                auto place = data;
                for (std::int64_t j = 0; j < (whole ? 1 : inner); ++j) {
                    row(place.data(), whole ? inner : 1);
                    for (std::size_t k = 0; k < count; ++k)
                        place[k] += strides[k];
                }
                for (std::size_t k = 0; k < count; ++k)
                    data[k] += strides[count + k];
            }
        });
}

Tensor onCpu(const Tensor& input, const Tensor& bias)
{
    check(input, bias);
    if (!rowsFit(input, bias))
        return composed(input, bias);
    auto output = at::empty(input.sizes(), input.options());
    auto iterator = at::TensorIteratorConfig()
                        .add_output(output)
                        .add_owned_const_input(input.contiguous())
                        .add_owned_const_input(bias.contiguous().expand_as(input))
                        .build();
    const auto forward = biasGeluRows(input.scalar_type()).forward;
    eachRow(iterator, [forward](char* const* data, std::int64_t count) {
        forward(data[0], data[1], data[2], count);
    });
    return output;
}

Tensor backwardOnCpu(const Tensor& grad, const Tensor& input, const Tensor& bias)
{
    if (!rowsFit(input, bias) || grad.scalar_type() != input.scalar_type())
        return composedBackward(grad, input, bias);
    auto output = at::empty(input.sizes(), input.options());
    auto iterator = at::TensorIteratorConfig()
                        .add_output(output)
                        .add_owned_const_input(grad.contiguous())
                        .add_owned_const_input(input.contiguous())
                        .add_owned_const_input(bias.contiguous().expand_as(input))
                        .build();
    const auto backward = biasGeluRows(input.scalar_type()).backward;
    eachRow(iterator, [backward](char* const* data, std::int64_t count) {
        backward(data[0], data[1], data[2], data[3], count);
    });
    return output;
}

// Gradients.

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct BiasGelu : torch::autograd::Function<BiasGelu> {
    static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& bias)
    {
        const at::AutoDispatchBelowADInplaceOrView below;
        context->save_for_backward({input, bias});
        return biasGelu(input, bias);
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const auto saved = context->get_saved_variables();
        const auto& input = saved[0];
        const auto& bias = saved[1];
        // Under create_graph the gradient must be differentiable in its turn: ATen's is.
        const auto gradient = at::GradMode::is_enabled() ? composedBackward(grads[0], input, bias)
                                                         : callBackward(grads[0], input, bias);
        return {gradient, gradient.dim() > 1 ? gradient.flatten(0, -2).sum(0) : gradient};
    }
};

Tensor withGradient(const Tensor& input, const Tensor& bias)
{
    return BiasGelu::apply(input, bias);
}

} // namespace

Tensor biasGelu(const Tensor& input, const Tensor& bias)
{
    static const auto kOperator = c10::Dispatcher::singleton()
                                      .findSchemaOrThrow("mantissa::bias_gelu", "")
                                      .typed<decltype(biasGelu)>();
    return kOperator.call(input, bias);
}

// The registrations below are static objects of this file.
void registerBiasGelu()
{
}

TORCH_LIBRARY(mantissa, m)
{
    m.def("bias_gelu(Tensor input, Tensor bias) -> Tensor");
    m.def("bias_gelu_backward(Tensor grad, Tensor input, Tensor bias) -> Tensor");
}

TORCH_LIBRARY_IMPL(mantissa, CompositeExplicitAutograd, m)
{
    m.impl("bias_gelu", composed);
    m.impl("bias_gelu_backward", composedBackward);
}

TORCH_LIBRARY_IMPL(mantissa, CPU, m)
{
    m.impl("bias_gelu", onCpu);
    m.impl("bias_gelu_backward", backwardOnCpu);
}

TORCH_LIBRARY_IMPL(mantissa, Autograd, m)
{
    m.impl("bias_gelu", withGradient);
}

TORCH_LIBRARY_IMPL(mantissa, AutocastCPU, m)
{
    m.impl("bias_gelu", autocastRule<kLowPolicy, at::kCPU, biasGelu>());
}

TORCH_LIBRARY_IMPL(mantissa, AutocastCUDA, m)
{
    m.impl("bias_gelu", autocastRule<kLowPolicy, at::kCUDA, biasGelu>());
}

} // namespace mantissa
