// SPDX-License-Identifier: GPL-3.0-or-later
// An NVML without a driver: answers what the JSON file named by FAKE_NVML_STATE holds at that
// moment (fake_nvml.h), a value or {"error": code}; what it lacks is not supported. FAKE_NVML_AGE
// comes from CMake: 0 = today's functions, 1 = an older driver's, 2 = one before nvmlInit_v2.
// Signatures as in docs.nvidia.com/deploy/nvml-api.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using Json = nlohmann::json;
using Device = void*;

enum Code { kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6, kTooSmall = 7 };

std::string stateFile()
{
    const char* file = std::getenv("FAKE_NVML_STATE");
    return file ? file : "";
}

Json state()
{
    std::ifstream stream(stateFile());
    return Json::parse(stream, nullptr, false);
}

void log(const char* what)
{
    std::ofstream(stateFile() + ".log", std::ios::app) << what << '\n';
}

/// What to answer: `use(value)`, or the error that is planted there.
template <typename Use> int answer(const Json& from, const char* key, Use use)
{
    const auto found = from.find(key);
    if (found == from.end())
        return kNotSupported;
    if (found->is_object() && found->contains("error"))
        return found->at("error").get<int>();
    return use(*found);
}

Json gpuOf(Device device)
{
    const auto number = reinterpret_cast<std::uintptr_t>(device);
    const auto all = state();
    return number >= 1 && number <= all["gpus"].size() ? all["gpus"][number - 1] : Json::object();
}

int text(const Json& from, const char* key, char* to, unsigned size)
{
    return answer(from, key, [&](const Json& value) {
        const auto words = value.get<std::string>();
        if (words.size() >= size)
            return int{kTooSmall};
        std::snprintf(to, size, "%s", words.c_str());
        return int{kSuccess};
    });
}

template <typename T> int number(const Json& from, const char* key, T* to)
{
    return answer(from, key, [&](const Json& value) {
        *to = value.get<T>();
        return int{kSuccess};
    });
}

/// Two numbers in a list.
template <typename T> int pair(const Json& from, const char* key, T* first, T* second)
{
    return answer(from, key, [&](const Json& value) {
        *first = value.at(0).get<T>();
        *second = value.at(1).get<T>();
        return int{kSuccess};
    });
}

const char* clockKey(const char* sm, const char* memory, int type)
{
    return type == 1 ? sm : type == 2 ? memory : "no such clock";
}

struct Memory {
    unsigned long long total, free, used;
};

} // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) int

#if FAKE_NVML_AGE < 2
FAKE nvmlInit_v2()
{
    log("init");
    const auto all = state();
    return all.contains("init") ? all["init"].get<int>() : int{kSuccess};
}
#endif
FAKE nvmlShutdown()
{
    log("shutdown");
    return kSuccess;
}
FAKE nvmlSystemGetDriverVersion(char* to, unsigned size)
{
    return text(state(), "driver", to, size);
}
#if FAKE_NVML_AGE == 0
FAKE nvmlSystemGetCudaDriverVersion_v2(int* to)
#else
FAKE nvmlSystemGetCudaDriverVersion(int* to)
#endif
{
    return number(state(), "cuda", to);
}
/// Stricter than NVML: only NVML's own way of writing an id.
FAKE nvmlDeviceGetHandleByPciBusId_v2(const char* id, Device* device)
{
    const auto all = state();
    for (std::size_t i = 0; i < all["gpus"].size(); ++i) {
        if (all["gpus"][i]["pci"] != id)
            continue;
        *device = reinterpret_cast<Device>(std::uintptr_t{i + 1});
        return all["gpus"][i].value("handle", int{kSuccess});
    }
    return kNotFound;
}
FAKE nvmlDeviceGetName(Device device, char* to, unsigned size)
{
    return text(gpuOf(device), "name", to, size);
}
FAKE nvmlDeviceGetUUID(Device device, char* to, unsigned size)
{
    return text(gpuOf(device), "uuid", to, size);
}
FAKE nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor)
{
    return pair(gpuOf(device), "compute", major, minor);
}
FAKE nvmlDeviceGetMemoryInfo(Device device, Memory* memory)
{
    return answer(gpuOf(device), "memory", [&](const Json& value) {
        memory->total = value.at(0).get<unsigned long long>();
        memory->used = value.at(1).get<unsigned long long>();
        memory->free = memory->total - memory->used;
        return int{kSuccess};
    });
}
FAKE nvmlDeviceGetMaxClockInfo(Device device, int type, unsigned* to)
{
    return number(gpuOf(device), clockKey("max_sm", "max_mem", type), to);
}
FAKE nvmlDeviceGetClockInfo(Device device, int type, unsigned* to)
{
    return number(gpuOf(device), clockKey("sm", "mem", type), to);
}
FAKE nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* to)
{
    return number(gpuOf(device), "power_limit_mw", to);
}
FAKE nvmlDeviceGetEccMode(Device device, int* now, int* later)
{
    return pair(gpuOf(device), "ecc", now, later);
}
#if FAKE_NVML_AGE == 0
FAKE nvmlDeviceGetMigMode(Device device, unsigned* now, unsigned* later)
{
    return pair(gpuOf(device), "mig", now, later);
}
#endif
FAKE nvmlDeviceGetPersistenceMode(Device device, int* to)
{
    return number(gpuOf(device), "persistence", to);
}
FAKE nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* to)
{
    return number(gpuOf(device), "link_gen", to);
}
FAKE nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* to)
{
    return number(gpuOf(device), "link_width", to);
}
FAKE nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* to)
{
    return number(gpuOf(device), "max_link_gen", to);
}
FAKE nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* to)
{
    return number(gpuOf(device), "max_link_width", to);
}
FAKE nvmlDeviceGetUtilizationRates(Device device, unsigned* gpuAndMemory)
{
    return pair(gpuOf(device), "utilisation", gpuAndMemory, gpuAndMemory + 1);
}
FAKE nvmlDeviceGetPowerUsage(Device device, unsigned* to)
{
    return number(gpuOf(device), "power_mw", to);
}
FAKE nvmlDeviceGetTemperature(Device device, int sensor, unsigned* to)
{
    return sensor == 0 ? number(gpuOf(device), "temperature", to) : int{kInvalidArgument};
}
#if FAKE_NVML_AGE == 0
FAKE nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* to)
#else
FAKE nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* to)
#endif
{
    return number(gpuOf(device), "reasons", to);
}
#if FAKE_NVML_AGE == 0
FAKE nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* to)
{
    return number(gpuOf(device), "energy_mj", to);
}
#endif
