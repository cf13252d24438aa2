// SPDX-License-Identifier: GPL-3.0-or-later
// Brings numbers that lie scattered in device memory to one place in pinned host memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/engine/cuda/plugin_api.h"

namespace mantissa::cuda {

/// Enqueues the transfer of count (at most kMaxStepValues) numbers on stream: number i arrives, in
/// its own kind, at pinned + 8 * i. pinned is from cudaHostAlloc. Does not wait. gather.cu does it
/// with one kernel; gather_copies.cpp, built where there is no nvcc, with a copy each.
cudaError_t gatherScalars(
    const DeviceScalar* scalars, std::uint32_t count, unsigned char* pinned, cudaStream_t stream);

/// For PluginApi::builtWith: "kernels" or "no kernels".
const char* gatherKind();

} // namespace mantissa::cuda
