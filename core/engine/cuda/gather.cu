// SPDX-License-Identifier: GPL-3.0-or-later
// Plain CUDA, free of torch: compiles in seconds.
#include "core/engine/cuda/gather.h"

namespace mantissa::cuda {

namespace {

// By value: a kernel's arguments are copied at the launch, so nothing has to outlive it.
struct Sources {
    const void* data[kMaxStepValues];
    bool wide[kMaxStepValues];
};

// One thread a number. The host's pinned memory is written directly; it is seen there once an event
// recorded after the kernel has arrived.
__global__ void gather(Sources sources, std::uint32_t count, unsigned char* pinned)
{
    const std::uint32_t i = threadIdx.x;
    if (i >= count) {
        return;
    }
    if (sources.wide[i]) {
        *reinterpret_cast<std::uint64_t*>(pinned + 8U * i) =
            *static_cast<const std::uint64_t*>(sources.data[i]);
    } else {
        *reinterpret_cast<std::uint32_t*>(pinned + 8U * i) =
            *static_cast<const std::uint32_t*>(sources.data[i]);
    }
}

} // namespace

cudaError_t gatherScalars(
    const DeviceScalar* scalars, std::uint32_t count, unsigned char* pinned, cudaStream_t stream)
{
    if (count == 0) {
        return cudaSuccess;
    }
    Sources sources{};
    for (std::uint32_t i = 0; i < count; ++i) {
        sources.data[i] = scalars[i].data;
        sources.wide[i] =
            scalars[i].kind == ScalarKind::Float64 || scalars[i].kind == ScalarKind::Int64;
    }
    gather<<<1, kMaxStepValues, 0, stream>>>(sources, count, pinned);
    return cudaGetLastError();
}

const char* gatherKind()
{
    return "kernels";
}

} // namespace mantissa::cuda
