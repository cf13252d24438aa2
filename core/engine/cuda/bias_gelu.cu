// SPDX-License-Identifier: GPL-3.0-or-later
// Plain CUDA, free of torch: compiles in seconds.
#include "core/engine/cuda/bias_gelu.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace mantissa::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr std::int64_t kMostBlocks = 65536;

__device__ float wide(float value)
{
    return value;
}
__device__ float wide(__half value)
{
    return __half2float(value);
}
__device__ float wide(__nv_bfloat16 value)
{
    return __bfloat162float(value);
}

__device__ void narrow(float& place, float value)
{
    place = value;
}
__device__ void narrow(__half& place, float value)
{
    place = __float2half_rn(value);
}
__device__ void narrow(__nv_bfloat16& place, float value)
{
    place = __float2bfloat16_rn(value);
}

/// The normal distribution.
__device__ float distribution(float z)
{
    return 0.5F * (1.0F + erff(z * 0.707106781186547524400844F));
}

template <typename T>
__global__ void forward(
    T* output, const T* input, const T* bias, std::int64_t count, std::int64_t columns)
{
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         i < count; i += step) {
        const float z = wide(input[i]) + wide(bias[i % columns]);
        narrow(output[i], z * distribution(z));
    }
}

template <typename T>
__global__ void backward(T* output, const T* grad, const T* input, const T* bias,
    std::int64_t count, std::int64_t columns)
{
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         i < count; i += step) {
        const float z = wide(input[i]) + wide(bias[i % columns]);
        const float density = 0.398942280401432677939946F * expf(-0.5F * z * z);
        narrow(output[i], wide(grad[i]) * (distribution(z) + z * density));
    }
}

unsigned blocksFor(std::int64_t count)
{
    const std::int64_t blocks = (count + kThreads - 1) / kThreads;
    return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

template <typename T>
void launch(const BiasGeluShape& shape, void* output, const void* grad, const void* input,
    const void* bias, cudaStream_t stream)
{
    const std::int64_t count = shape.rows * shape.columns;
    if (grad) {
        backward<<<blocksFor(count), kThreads, 0, stream>>>(static_cast<T*>(output),
            static_cast<const T*>(grad), static_cast<const T*>(input), static_cast<const T*>(bias),
            count, shape.columns);
    } else {
        forward<<<blocksFor(count), kThreads, 0, stream>>>(static_cast<T*>(output),
            static_cast<const T*>(input), static_cast<const T*>(bias), count, shape.columns);
    }
}

cudaError_t launchKind(const BiasGeluShape& shape, void* output, const void* grad,
    const void* input, const void* bias, cudaStream_t stream)
{
    if (shape.rows * shape.columns == 0) {
        return cudaSuccess;
    }
    switch (shape.kind) {
    case FloatKind::Float32:
        launch<float>(shape, output, grad, input, bias, stream);
        break;
    case FloatKind::Float16:
        launch<__half>(shape, output, grad, input, bias, stream);
        break;
    case FloatKind::BFloat16:
        launch<__nv_bfloat16>(shape, output, grad, input, bias, stream);
        break;
    }
    return cudaGetLastError();
}

} // namespace

cudaError_t biasGelu(const BiasGeluShape& shape, void* output, const void* input, const void* bias,
    cudaStream_t stream)
{
    return launchKind(shape, output, nullptr, input, bias, stream);
}

cudaError_t biasGeluBackward(const BiasGeluShape& shape, void* output, const void* grad,
    const void* input, const void* bias, cudaStream_t stream)
{
    return launchKind(shape, output, grad, input, bias, stream);
}

} // namespace mantissa::cuda
