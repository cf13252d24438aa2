// SPDX-License-Identifier: GPL-3.0-or-later
// The part of NVML's C interface that is used, declared here because nvml.h belongs to CUDA's tool
// kit: docs.nvidia.com/deploy/nvml-api. Structures that NVML fills have its layout.
#pragma once

#include "core/base/result.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <string>

namespace mantissa::nvml {

using Device = void*;
using Return = int; ///< nvmlReturn_t
inline constexpr Return kSuccess = 0;
inline constexpr int kClockSm = 1;
inline constexpr int kClockMemory = 2;
inline constexpr int kChip = 0; ///< the temperature sensor

struct Memory {
    unsigned long long total, free, used; ///< bytes
};
struct Utilisation {
    unsigned gpu, memory; ///< %
};

/// Why a call failed, for people (nvml.cpp).
std::string wordsOf(Return code);

/// A function of the library, or of an older one under another name; it may lack both.
template <typename... Args> class Function {
public:
    Function(void* library, const char* name, const char* olderName = nullptr)
        : m_name(name)
        , m_call(reinterpret_cast<Call>(::dlsym(library, name)))
    {
        if (!m_call && olderName)
            m_call = reinterpret_cast<Call>(::dlsym(library, olderName));
    }

    bool isThere() const { return m_call != nullptr; }
    const char* name() const { return m_name; }
    Result<void> operator()(Args... args) const
    {
        if (!m_call)
            return fail(fmt::format("the driver is too old: its NVML has no {}", m_name));
        const Return code = m_call(args...);
        return code == kSuccess ? Result<void>() : Result<void>(fail(wordsOf(code)));
    }

private:
    using Call = Return (*)(Args...);
    const char* m_name;
    Call m_call;
};

/// The open library and its functions, by their names without "nvmlDeviceGet".
struct Library {
    explicit Library(void* opened)
        : handle(opened)
    {
    }
    ~Library()
    {
        if (initialised)
            static_cast<void>(shutdown());
        ::dlclose(handle);
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    void* handle;
    bool initialised = false;
    Function<> init{handle, "nvmlInit_v2"};
    Function<> shutdown{handle, "nvmlShutdown"};
    Function<const char*, Device*> handleByPciBusId{handle, "nvmlDeviceGetHandleByPciBusId_v2"};

    Function<char*, unsigned> driverVersion{handle, "nvmlSystemGetDriverVersion"};
    Function<int*> cudaVersion{
        handle, "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"};
    Function<Device, char*, unsigned> name{handle, "nvmlDeviceGetName"};
    Function<Device, char*, unsigned> uuid{handle, "nvmlDeviceGetUUID"};
    Function<Device, int*, int*> computeCapability{handle, "nvmlDeviceGetCudaComputeCapability"};
    Function<Device, Memory*> memory{handle, "nvmlDeviceGetMemoryInfo"};
    Function<Device, int, unsigned*> maxClock{handle, "nvmlDeviceGetMaxClockInfo"};
    Function<Device, unsigned*> powerLimit{handle, "nvmlDeviceGetEnforcedPowerLimit"}; ///< mW
    Function<Device, int*, int*> eccMode{handle, "nvmlDeviceGetEccMode"};
    Function<Device, unsigned*, unsigned*> migMode{handle, "nvmlDeviceGetMigMode"};
    Function<Device, int*> persistenceMode{handle, "nvmlDeviceGetPersistenceMode"};
    Function<Device, unsigned*> pcieGeneration{handle, "nvmlDeviceGetCurrPcieLinkGeneration"};
    Function<Device, unsigned*> pcieWidth{handle, "nvmlDeviceGetCurrPcieLinkWidth"};
    Function<Device, unsigned*> pcieMaxGeneration{handle, "nvmlDeviceGetMaxPcieLinkGeneration"};
    Function<Device, unsigned*> pcieMaxWidth{handle, "nvmlDeviceGetMaxPcieLinkWidth"};

    Function<Device, Utilisation*> utilisation{handle, "nvmlDeviceGetUtilizationRates"};
    Function<Device, unsigned*> power{handle, "nvmlDeviceGetPowerUsage"}; ///< mW
    Function<Device, int, unsigned*> temperature{handle, "nvmlDeviceGetTemperature"};
    Function<Device, int, unsigned*> clock{handle, "nvmlDeviceGetClockInfo"};
    Function<Device, unsigned long long*> reasons{handle, "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons"};
    Function<Device, unsigned long long*> energy{
        handle, "nvmlDeviceGetTotalEnergyConsumption"}; ///< mJ
};

} // namespace mantissa::nvml
