// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda_plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

namespace mantissa {

namespace {

std::string lastLoaderError()
{
    const char* text = dlerror();
    return text == nullptr ? "unknown loader error" : text;
}

std::string lastDeviceError(const cuda::PluginApi& api)
{
    const std::string text = api.lastError();
    return text.empty() ? "no device was found" : text;
}

/// Fills in what the opened library says about itself and the devices.
void askPlugin(CudaPlugin& plugin, void* library)
{
    const auto entry = reinterpret_cast<cuda::EntryPoint>(dlsym(library, cuda::kEntryPointName));
    if (entry == nullptr) {
        plugin.message = fmt::format(
            "{} is not a plug-in of Mantissa: {}", plugin.path.string(), lastLoaderError());
        return;
    }
    const cuda::PluginApi* api = entry();
    if (api->version != cuda::kPluginVersion) {
        plugin.message = fmt::format(
            "{} has interface version {}, this program needs {}: build both from one source",
            plugin.path.string(), api->version, cuda::kPluginVersion);
        return;
    }
    plugin.api = api;
    if (api->deviceCount(&plugin.deviceCount) != cuda::kCudaOk || plugin.deviceCount == 0) {
        plugin.deviceCount = 0;
        plugin.message = fmt::format("the CUDA plug-in is loaded ({}) but CUDA has no device: {}",
            api->builtWith, lastDeviceError(*api));
        return;
    }
    plugin.message = fmt::format(
        "the CUDA plug-in is loaded ({}), {} device(s)", api->builtWith, plugin.deviceCount);
}

} // namespace

std::filesystem::path cudaPluginPath()
{
    constexpr const char* kName = "libmantissa_cuda.so";
    if (const char* path = std::getenv("MANTISSA_CUDA_PLUGIN"); path != nullptr && *path != '\0') {
        return path;
    }
    std::error_code ignored;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    const auto beside = folder / kName;
    return std::filesystem::exists(beside, ignored)
        ? beside
        : folder.parent_path() / "lib" / "mantissa" / kName;
}

CudaPlugin openCudaPlugin(const std::filesystem::path& path)
{
    CudaPlugin plugin;
    plugin.path = path;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        plugin.message = fmt::format(
            "the CUDA plug-in is not there ({}): it is built where CUDA headers are found",
            path.string());
        return plugin;
    }
    // Global, so that torch's own libraries find the CUDA symbols too.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        plugin.message = fmt::format("the CUDA plug-in cannot be loaded: {}", lastLoaderError());
        return plugin;
    }
    askPlugin(plugin, library);
    return plugin;
}

} // namespace mantissa
