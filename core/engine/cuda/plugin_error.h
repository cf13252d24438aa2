// SPDX-License-Identifier: GPL-3.0-or-later
// How failures leave the plug-in: a code, and the words for lastError().
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <string>

#include "core/engine/cuda/plugin_api.h"

namespace mantissa::cuda {

/// This thread's last failure, "" if none.
std::string& errorText();

/// kCudaOk, or kCudaFailed with "what: CUDA's words". Also clears CUDA's own last error, which
/// torch would otherwise report at its next, innocent call.
int checked(cudaError_t status, const char* what);

/// Runs body, which returns a code; no exception leaves the library.
template <typename Body> int guarded(Body&& body) noexcept
{
    try {
        return body();
    } catch (const std::exception& error) {
        errorText() = error.what();
        return kCudaFailed;
    }
}

} // namespace mantissa::cuda
