// SPDX-License-Identifier: GPL-3.0-or-later
// What libmantissa_cuda.so offers, as plain C types: neither torch nor CUDA headers are needed to
// use it. The worker gets it through core/engine/cuda_plugin.h.
//
// Functions return kCudaOk or another code below; lastError() then says why, in words for a person.
// All of a thread's calls refer to torch's current stream of the device. Thread: any, but one
// telemetry object belongs to one thread, and lastError() to the thread that failed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mantissa::cuda {

/// Changes whenever anything in this file does; the loader refuses another.
inline constexpr std::uint32_t kPluginVersion = 2;
/// Name of the one exported function, of type EntryPoint.
inline constexpr const char* kEntryPointName = "mantissa_cuda_plugin";
/// Most values one step can carry.
inline constexpr std::size_t kMaxStepValues = 32;

inline constexpr int kCudaOk = 0;
inline constexpr int kCudaFailed =
    1; ///< a CUDA call failed; after a device fault the process must end
inline constexpr int kCudaPending = 2; ///< nothing has arrived yet: ask again later
inline constexpr int kCudaFull =
    3; ///< as many steps as there are slots are in flight: take one first

struct DeviceFacts {
    char name[256]; ///< e.g. "NVIDIA H200"
    int computeMajor; ///< compute capability, 9 of 9.0
    int computeMinor;
    int multiprocessors;
    std::uint64_t l2Bytes; ///< its L2 cache
    std::uint64_t totalBytes; ///< memory of the device
    std::uint64_t freeBytes; ///< not used by any process now
    char pciBusId[32]; ///< e.g. "0000:17:00.0"
};

/// The caching allocator's figures, in bytes; peaks are since resetPeak().
struct MemoryFigures {
    std::uint64_t allocated;
    std::uint64_t peakAllocated;
    std::uint64_t reserved;
    std::uint64_t peakReserved;
};

enum class ScalarKind : std::uint32_t { Float32, Float64, Int32, Int64 };

/// One number in device memory, read when the stream gets there.
struct DeviceScalar {
    const void* data;
    ScalarKind kind;
};

/// What came back of one step.
struct StepResult {
    std::int64_t step; ///< as given to stepBegin()
    double milliseconds; ///< device time between stepBegin() and stepEnd()
    std::uint32_t count; ///< numbers in values
    double values[kMaxStepValues]; ///< in the order given to stepEnd()
};

/// Steps in flight: each has a start event, an end event and a place in pinned memory.
struct Telemetry;

/// The table of functions. Order of calls for telemetry, on one thread:
///   t = telemetryCreate(0, 64)
///   loop: stepBegin(t, n); ...the step...; stepEnd(t, scalars, count); while (take(t, &r, 0) ==
///   kCudaOk) use r end:  while (take(t, &r, 1) == kCudaOk) use r; telemetryDestroy(t)
struct PluginApi {
    std::uint32_t version; ///< kPluginVersion
    const char*
        builtWith; ///< e.g. "CUDA 13.0, kernels" or, built without nvcc, "CUDA 13.0, no kernels"

    const char* (*lastError)(); ///< of this thread's last failed call; "" if none failed
    /// Devices that CUDA can use. 0 with kCudaOk or kCudaFailed: lastError() has the driver's
    /// reason.
    int (*deviceCount)(int* count);
    int (*deviceFacts)(int device, DeviceFacts* facts);
    /// Versions as CUDA writes them, 13000 for 13.0; the driver's is 0 where there is none.
    int (*versions)(int* driver, int* runtime);
    int (*memory)(int device, MemoryFigures* figures);
    int (*resetPeak)(int device);

    /// slots: steps in flight at most, 1 to 1024. Null on failure.
    Telemetry* (*telemetryCreate)(int device, std::uint32_t slots);
    void (*telemetryDestroy)(Telemetry* telemetry);
    int (*stepBegin)(Telemetry* telemetry, std::int64_t step);
    /// Marks the end of the begun step and sends the numbers on their way; does not wait.
    /// The scalars' memory may be reused by later work of the same stream.
    int (*stepEnd)(Telemetry* telemetry, const DeviceScalar* scalars, std::uint32_t count);
    /// The oldest ended step, once its numbers are here: kCudaOk, or kCudaPending if they are not
    /// (or if there is none). With wait not 0 waits for it; kCudaPending then means there is none.
    int (*take)(Telemetry* telemetry, StepResult* result, int wait);
};

using EntryPoint = const PluginApi* (*)();

} // namespace mantissa::cuda
