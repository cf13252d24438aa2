// SPDX-License-Identifier: GPL-3.0-or-later
// The plug-in's one exported function, and its table.
#include "core/engine/cuda/device.h"
#include "core/engine/cuda/gather.h"
#include "core/engine/cuda/plugin_error.h"
#include "core/engine/cuda/telemetry.h"

namespace mantissa::cuda {

std::string& errorText()
{
    thread_local std::string text;
    return text;
}

int checked(cudaError_t status, const char* what)
{
    if (status == cudaSuccess) {
        return kCudaOk;
    }
    errorText() = std::string(what) + ": " + cudaGetErrorString(status) + " ("
        + cudaGetErrorName(status) + ")";
    cudaGetLastError();
    return kCudaFailed;
}

namespace {

const char* lastError()
{
    return errorText().c_str();
}

const char* builtWith()
{
    static const std::string text = "CUDA " + std::to_string(CUDART_VERSION / 1000) + "."
        + std::to_string(CUDART_VERSION % 1000 / 10) + ", " + gatherKind();
    return text.c_str();
}

} // namespace

} // namespace mantissa::cuda

extern "C" __attribute__((visibility("default"))) const mantissa::cuda::PluginApi*
mantissa_cuda_plugin()
{
    using namespace mantissa::cuda;
    static const PluginApi api = {kPluginVersion, builtWith(), &lastError, &deviceCount,
        &deviceFacts, &versions, &memory, &resetPeak, &telemetryCreate, &telemetryDestroy,
        &stepBegin, &stepEnd, &take};
    return &api;
}
