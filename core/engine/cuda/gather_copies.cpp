// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/gather.h"

namespace mantissa::cuda {

cudaError_t gatherScalars(
    const DeviceScalar* scalars, std::uint32_t count, unsigned char* pinned, cudaStream_t stream)
{
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool wide =
            scalars[i].kind == ScalarKind::Float64 || scalars[i].kind == ScalarKind::Int64;
        const cudaError_t status = cudaMemcpyAsync(
            pinned + 8U * i, scalars[i].data, wide ? 8 : 4, cudaMemcpyDeviceToHost, stream);
        if (status != cudaSuccess) {
            return status;
        }
    }
    return cudaSuccess;
}

const char* gatherKind()
{
    return "no kernels";
}

} // namespace mantissa::cuda
