// SPDX-License-Identifier: GPL-3.0-or-later
// A plug-in without CUDA, for the loader's tests. FAKE_VERSION and FAKE_DEVICES come from CMake;
// -1 devices: counting them fails with the driver's words.
#include "core/engine/cuda/plugin_api.h"

namespace {

using namespace mantissa::cuda;

const char* lastError()
{
    return FAKE_DEVICES < 0 ? "counting devices: no driver on this machine" : "";
}

int deviceCount(int* count)
{
    *count = FAKE_DEVICES < 0 ? 7 : FAKE_DEVICES; // what is written on failure must not be believed
    return FAKE_DEVICES < 0 ? kCudaFailed : kCudaOk;
}

} // namespace

extern "C" const mantissa::cuda::PluginApi* mantissa_cuda_plugin()
{
    static const PluginApi api = [] {
        PluginApi table{};
        table.version = FAKE_VERSION;
        table.builtWith = "CUDA 99.1, a fake";
        table.lastError = &lastError;
        table.deviceCount = &deviceCount;
        return table;
    }();
    return &api;
}
