// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mantissa {

/// One of the caches of the machine's first core.
struct CpuCache {
    std::string name; ///< "l1d" (data), "l1i" (instructions), "l2", "l3"
    std::int64_t bytes = 0;
    int cores = 0; ///< logical cores that share it; 0 = not told

    bool operator==(const CpuCache&) const = default;
};

/// Cores and the memory near them.
struct NumaNode {
    int id = 0;
    std::string cores; ///< as the kernel writes lists: "0-15,32-47"
    std::int64_t memoryBytes = 0;

    bool operator==(const NumaNode&) const = default;
};

/// The machine that a program runs on, as far as it bears on training speed and memory.
struct Machine {
    std::string cpuModel; ///< as the kernel names it; empty where it does not
    int onlineCores = 0; ///< logical cores of the machine
    int usableCores = 0; ///< what this process may use: affinity and cgroup limit, at least 1
    std::optional<double> cgroupCpuLimit; ///< cores; none = no limit
    std::vector<std::string> cpuFlags; ///< of cpuFlagNames(), those that CPU and system support
    std::vector<CpuCache> caches; ///< by level; empty where the kernel does not tell
    std::vector<NumaNode> numaNodes; ///< by id; empty where the kernel does not tell
    std::string governor; ///< of cpufreq; several differing ones with ", "; empty where unknown
    std::int64_t memoryBytes = 0; ///< physical memory
    std::optional<std::int64_t> memoryLimitBytes; ///< cgroup limit below it; none = no limit
    std::string kernel; ///< "Linux 6.1.0"
    std::string system; ///< "Debian GNU/Linux 12 (bookworm)"; empty where unknown

    bool operator==(const Machine&) const = default;
};

/// Reads /proc, /sys and CPUID. Any thread; never fails: what cannot be read stays empty. `root` is
/// where files are looked for; cores, memory, flags and the kernel's name come from system calls.
Machine readMachine(const std::filesystem::path& root = "/");

/// Bytes that programs may still take: the system's MemAvailable, or less where the cgroup's limit
/// is below it; 0 if unknown.
std::int64_t availableMemory();

/// {"cpu", "online_cores", "usable_cores", "cgroup_cpu_limit", "cpu_flags", "caches": {"l1d":
/// {"bytes", "cores"}, ...}, "numa_nodes": count, "numa": {"node0": {"cores", "memory_bytes"}, ...}
/// where there are several, "governor", "memory_bytes", "memory_limit_bytes", "kernel", "system"}.
/// Null: a limit that there is not, a number of nodes or a governor that is not told. Nothing in it
/// changes from minute to minute, so that runs of one machine have equal ones.
nlohmann::json toJson(const Machine& machine);

/// The flags that decide how fast a format is, by their /proc/cpuinfo names: "f16c", "fma",
/// "avx2", the avx512 family with "avx512_bf16" and "avx512_fp16", "amx_tile" ... Kernels do not
/// list "avx_ne_convert", and old ones not "amx_fp16".
const std::vector<std::string>& cpuFlagNames();

/// Those of cpuFlagNames() that CPUID reports and the operating system has switched on; empty on
/// other processors than x86-64.
std::vector<std::string> detectCpuFlags();

/// Caches of core 0; `root` as above.
std::vector<CpuCache> cpuCaches(const std::filesystem::path& root);
std::vector<NumaNode> numaNodes(const std::filesystem::path& root);

/// Limits of this process's cgroup and all above it (version 1 or 2), the lowest counts. `root` is
/// where /proc and /sys are looked for.
std::optional<double> cgroupCpuLimit(const std::filesystem::path& root);
std::optional<std::int64_t> cgroupMemoryLimit(const std::filesystem::path& root);

} // namespace mantissa
