// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the CUDA plug-in, if there is one that this machine can load.
#pragma once

#include <filesystem>
#include <string>

#include "core/engine/cuda/plugin_api.h"

namespace mantissa {

/// The result of trying. Everything works on the CPU without the plug-in, so a failure is a message
/// (for `doctor` and the run's environment), not an error.
///
///   int main() {
///       const CudaPlugin cuda = openCudaPlugin(); // first: torch remembers the first answer to
///       "is CUDA there"
struct CudaPlugin {
    const cuda::PluginApi* api =
        nullptr; ///< valid until the process ends; null if it was not opened
    int deviceCount = 0; ///< devices that CUDA can use
    std::filesystem::path path; ///< what was tried
    /// For people: what there is, or why there is none in the loader's or the driver's own words.
    std::string message;

    /// True where the plug-in is open and there is a device.
    [[nodiscard]] bool usable() const { return api != nullptr && deviceCount > 0; }
};

/// Where the plug-in should lie: $MANTISSA_CUDA_PLUGIN, else beside the program, else in
/// ../lib/mantissa as installed.
[[nodiscard]] std::filesystem::path cudaPluginPath();

/// Opens the plug-in at path. Call once, on the main thread, as the worker's first statement. The
/// library stays open for the life of the process: CUDA's code cannot be unloaded safely.
[[nodiscard]] CudaPlugin openCudaPlugin(const std::filesystem::path& path = cudaPluginPath());

} // namespace mantissa
