// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled once per instruction set: CPU_CAPABILITY names it, as in ATen's own kernels, and keeps
// the copies of one function apart.
#include "core/engine/kernels/bias_gelu_rows.h"

#include <ATen/cpu/vec/functional.h>
#include <ATen/native/cpu/Gelu.h>
#include <algorithm>

namespace mantissa::kernels::CPU_CAPABILITY {

BiasGeluRows biasGeluRows(c10::ScalarType type);

namespace {

using at::vec::Vectorized;
using Floats = Vectorized<float>;

/// `function` of fp32 vectors on vectors of T: T's vectors hold twice as many numbers.
template <typename T, typename Function, typename... Vectors>
Vectorized<T> inFloat(const Function& function, const Vectors&... vectors)
{
    if constexpr (std::is_same_v<T, float>) {
        return function(vectors...);
    } else {
        return at::vec::convert_from_float<T>(
            function(std::get<0>(at::vec::convert_to_float<T>(vectors))...),
            function(std::get<1>(at::vec::convert_to_float<T>(vectors))...));
    }
}

Floats geluOf(const Floats& input, const Floats& bias)
{
    return at::native::vectorized_gelu(input + bias);
}

/// grad * (Phi(z) + z phi(z)), Phi and phi the normal distribution and its density.
Floats geluGradient(const Floats& grad, const Floats& input, const Floats& bias)
{
    constexpr float kDensityAtZero = 0.398942280401432677939946F; // 1 / sqrt(2 pi)
    const Floats half(0.5F);
    const auto z = input + bias;
    const auto distribution =
        half * (Floats(1.0F) + (z * Floats(0.707106781186547524400844F)).erf());
    const auto density = (z * z * Floats(-0.5F)).exp() * Floats(kDensityAtZero);
    return grad * (distribution + z * density);
}

template <typename T, typename Function, typename... Rows>
void eachVector(T* output, std::int64_t count, const Function& function, const Rows*... rows)
{
    constexpr std::int64_t kSize = Vectorized<T>::size();
    std::int64_t i = 0;
    for (; i + kSize <= count; i += kSize)
        inFloat<T>(function, Vectorized<T>::loadu(rows + i)...).store(output + i);
    // int16_t is what every capability's loadu takes.
    const auto rest = static_cast<std::int16_t>(count - i);
    if (rest > 0)
        inFloat<T>(function, Vectorized<T>::loadu(rows + i, rest)...).store(output + i, rest);
}

template <typename T>
void forward(void* output, const void* input, const void* bias, std::int64_t count)
{
    eachVector(static_cast<T*>(output), count, geluOf, static_cast<const T*>(input),
        static_cast<const T*>(bias));
}

template <typename T>
void backward(
    void* output, const void* grad, const void* input, const void* bias, std::int64_t count)
{
    eachVector(static_cast<T*>(output), count, geluGradient, static_cast<const T*>(grad),
        static_cast<const T*>(input), static_cast<const T*>(bias));
}

} // namespace

BiasGeluRows biasGeluRows(c10::ScalarType type)
{
    switch (type) {
    case c10::ScalarType::Float:
        return {forward<float>, backward<float>};
    case c10::ScalarType::BFloat16:
        return {forward<c10::BFloat16>, backward<c10::BFloat16>};
    case c10::ScalarType::Half:
        return {forward<c10::Half>, backward<c10::Half>};
    default:
        return {nullptr, nullptr};
    }
}

} // namespace mantissa::kernels::CPU_CAPABILITY
