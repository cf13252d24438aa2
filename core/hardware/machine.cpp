// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/machine.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <set>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

/// The text after `key` and `separator` on the first line of `file` that begins with `key`.
std::string valueOf(const fs::path& file, const std::string& key, char separator)
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

std::string governorOf(const fs::path& root)
{
    std::set<std::string> governors;
    const auto folder = root / "sys/devices/system/cpu/cpufreq";
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::string word;
        if (std::ifstream(at->path() / "scaling_governor") >> word)
            governors.insert(word);
    }
    return fmt::format("{}", fmt::join(governors, ", "));
}

nlohmann::json cachesJson(const std::vector<CpuCache>& caches)
{
    auto json = nlohmann::json::object();
    for (const auto& cache : caches)
        json[cache.name] = {{"bytes", cache.bytes}, {"cores", cache.cores}};
    return json;
}

nlohmann::json nodesJson(const std::vector<NumaNode>& nodes)
{
    auto json = nlohmann::json::object();
    for (const auto& node : nodes)
        json[fmt::format("node{}", node.id)] = {
            {"cores", node.cores}, {"memory_bytes", node.memoryBytes}};
    return json;
}

} // namespace

Machine readMachine(const fs::path& root)
{
    Machine machine;
    machine.cpuModel = valueOf(root / "proc/cpuinfo", "model name", ':');
    machine.onlineCores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    machine.cgroupCpuLimit = cgroupCpuLimit(root);
    machine.usableCores = usableCores(machine.onlineCores, machine.cgroupCpuLimit);
    machine.cpuFlags = detectCpuFlags();
    machine.caches = cpuCaches(root);
    machine.numaNodes = numaNodes(root);
    machine.governor = governorOf(root);
    machine.memoryBytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES))
        * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
    machine.memoryLimitBytes = cgroupMemoryLimit(root);
    if (machine.memoryLimitBytes && *machine.memoryLimitBytes >= machine.memoryBytes)
        machine.memoryLimitBytes.reset();
    machine.kernel = kernelName();
    machine.system = valueOf(root / "etc/os-release", "PRETTY_NAME", '=');
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
        {"cpu_flags", machine.cpuFlags}, {"caches", cachesJson(machine.caches)},
        {"numa_nodes", nullptr}, {"governor", nullptr}, {"memory_bytes", machine.memoryBytes},
        {"memory_limit_bytes", nullptr}, {"kernel", machine.kernel}, {"system", machine.system}};
    if (!machine.numaNodes.empty())
        json["numa_nodes"] = machine.numaNodes.size();
    if (machine.numaNodes.size() > 1)
        json["numa"] = nodesJson(machine.numaNodes);
    if (!machine.governor.empty())
        json["governor"] = machine.governor;
    if (machine.cgroupCpuLimit)
        json["cgroup_cpu_limit"] = *machine.cgroupCpuLimit;
    if (machine.memoryLimitBytes)
        json["memory_limit_bytes"] = *machine.memoryLimitBytes;
    return json;
}

} // namespace mantissa
