// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/core/ScalarType.h>
#include <cstdint>

namespace mantissa {

/// The inner loops of bias_gelu over one row of `count` contiguous numbers of one type, computed in
/// fp32 and rounded once. Any thread.
struct BiasGeluRows {
    /// output = gelu(input + bias), the exact form: z * (1 + erf(z / sqrt 2)) / 2.
    void (*forward)(void* output, const void* input, const void* bias, std::int64_t count);
    /// output = grad * gelu'(input + bias).
    void (*backward)(
        void* output, const void* grad, const void* input, const void* bias, std::int64_t count);
};

/// For fp32, bf16 and fp16; null pointers for other types. Compiled once per instruction set with
/// ATen's vector classes; this one takes what LibTorch itself takes on this CPU.
BiasGeluRows biasGeluRows(c10::ScalarType type);

} // namespace mantissa
