// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of mantissa::bias_gelu (core/engine/bias_gelu.h), free of torch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace mantissa::cuda {

enum class FloatKind { Float32, Float16, BFloat16 };

/// rows x columns contiguous numbers of one kind on the current device.
struct BiasGeluShape {
    FloatKind kind = FloatKind::Float32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// output = gelu(input + bias), computed in fp32. Enqueued on stream; does not wait.
cudaError_t biasGelu(const BiasGeluShape& shape, void* output, const void* input, const void* bias,
    cudaStream_t stream);

/// output = grad * gelu'(input + bias).
cudaError_t biasGeluBackward(const BiasGeluShape& shape, void* output, const void* grad,
    const void* input, const void* bias, cudaStream_t stream);

} // namespace mantissa::cuda
