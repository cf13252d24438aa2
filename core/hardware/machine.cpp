// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/machine.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace mantissa {

namespace {

/// The text after `key` and `separator` on the first line of `file` that begins with `key`.
std::string valueOf(const char* file, const std::string& key, char separator)
{
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const auto at = line.find(separator);
        if (!line.starts_with(key) || at == std::string::npos)
            continue;
        const auto first = line.find_first_not_of(" \t\"", at + 1);
        const auto last = line.find_last_not_of(" \t\"");
        return first == std::string::npos ? "" : line.substr(first, last - first + 1);
    }
    return {};
}

/// Cores in this process's affinity mask; 0 if it cannot be read.
int coresByAffinity()
{
    constexpr int kMostCores = 8192;
    cpu_set_t* mask = CPU_ALLOC(kMostCores);
    const auto size = CPU_ALLOC_SIZE(kMostCores);
    const int count = sched_getaffinity(0, size, mask) == 0 ? CPU_COUNT_S(size, mask) : 0;
    CPU_FREE(mask);
    return count;
}

int usableCores(int online, const std::optional<double>& limit)
{
    const int byAffinity = coresByAffinity();
    int cores = byAffinity > 0 ? byAffinity : online;
    if (limit)
        cores = std::min(cores, static_cast<int>(std::ceil(*limit)));
    return std::max(cores, 1);
}

std::string kernelName()
{
    utsname name{};
    if (uname(&name) != 0)
        return {};
    return std::string(name.sysname) + " " + name.release;
}

} // namespace

Machine readMachine()
{
    Machine machine;
    machine.cpuModel = valueOf("/proc/cpuinfo", "model name", ':');
    machine.onlineCores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    machine.cgroupCpuLimit = cgroupCpuLimit("/");
    machine.usableCores = usableCores(machine.onlineCores, machine.cgroupCpuLimit);
    machine.cpuFlags = detectCpuFlags();
    machine.memoryBytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES))
        * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
    machine.memoryLimitBytes = cgroupMemoryLimit("/");
    if (machine.memoryLimitBytes && *machine.memoryLimitBytes >= machine.memoryBytes)
        machine.memoryLimitBytes.reset();
    machine.kernel = kernelName();
    machine.system = valueOf("/etc/os-release", "PRETTY_NAME", '=');
    return machine;
}

std::int64_t availableMemory()
{
    // "MemAvailable:   12345 kB"
    std::istringstream words(valueOf("/proc/meminfo", "MemAvailable", ':'));
    std::int64_t kib = 0;
    words >> kib;
    const auto limit = cgroupMemoryLimit("/");
    return limit ? std::min(kib * 1024, *limit) : kib * 1024;
}

nlohmann::json toJson(const Machine& machine)
{
    nlohmann::json json{{"cpu", machine.cpuModel}, {"online_cores", machine.onlineCores},
        {"usable_cores", machine.usableCores}, {"cgroup_cpu_limit", nullptr},
        {"cpu_flags", machine.cpuFlags}, {"memory_bytes", machine.memoryBytes},
        {"memory_limit_bytes", nullptr}, {"kernel", machine.kernel}, {"system", machine.system}};
    if (machine.cgroupCpuLimit)
        json["cgroup_cpu_limit"] = *machine.cgroupCpuLimit;
    if (machine.memoryLimitBytes)
        json["memory_limit_bytes"] = *machine.memoryLimitBytes;
    return json;
}

} // namespace mantissa
