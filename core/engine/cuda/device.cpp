// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda/device.h"

#include "core/engine/cuda/plugin_error.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdio>

namespace mantissa::cuda {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

std::uint64_t bytes(std::int64_t value)
{
    return static_cast<std::uint64_t>(value);
}

} // namespace

int deviceCount(int* count)
{
    *count = 0;
    return checked(cudaGetDeviceCount(count), "counting devices");
}

int deviceFacts(int device, DeviceFacts* facts)
{
    return guarded([&] {
        cudaDeviceProp properties{};
        if (const int code =
                checked(cudaGetDeviceProperties(&properties, device), "device properties")) {
            return code;
        }
        *facts = {};
        std::snprintf(facts->name, sizeof(facts->name), "%s", properties.name);
        facts->computeMajor = properties.major;
        facts->computeMinor = properties.minor;
        facts->multiprocessors = properties.multiProcessorCount;
        facts->l2Bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
        const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
        std::size_t free = 0;
        std::size_t total = 0;
        if (const int code = checked(cudaMemGetInfo(&free, &total), "device memory")) {
            return code;
        }
        facts->freeBytes = free;
        facts->totalBytes = total;
        return checked(
            cudaDeviceGetPCIBusId(facts->pciBusId, sizeof(facts->pciBusId), device), "PCI bus id");
    });
}

int versions(int* driver, int* runtime)
{
    *driver = 0;
    *runtime = 0;
    if (const int code = checked(cudaDriverGetVersion(driver), "driver version")) {
        return code;
    }
    return checked(cudaRuntimeGetVersion(runtime), "runtime version");
}

int memory(int device, MemoryFigures* figures)
{
    return guarded([&] {
        at::globalContext().lazyInitDevice(
            c10::DeviceType::CUDA); // the allocator knows no device before
        const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
        const auto& allocated = stats.allocated_bytes[0]; // 0: both pools together
        const auto& reserved = stats.reserved_bytes[0];
        *figures = {bytes(allocated.current), bytes(allocated.peak), bytes(reserved.current),
            bytes(reserved.peak)};
        return kCudaOk;
    });
}

int resetPeak(int device)
{
    return guarded([&] {
        at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
        allocator::resetPeakStats(static_cast<c10::DeviceIndex>(device));
        return kCudaOk;
    });
}

} // namespace mantissa::cuda
