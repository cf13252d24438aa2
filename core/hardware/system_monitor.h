// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/gpu_monitor.h"
#include "core/hardware/open_file.h"

#include <chrono>
#include <map>
#include <set>
#include <sys/types.h>
#include <vector>

namespace mantissa {

/// The share of the usable cores that other programs may take before figures are doubtful, in a
/// check as in a run: the threads that share a step's work wait for the last of them, so that a
/// tenth of the cores gone costs more than a tenth of the speed.
inline constexpr double kForeignLoadLimit = 0.1;

/// What the machine did since the sample before. What cannot be read is absent, never 0. Percent
/// are of all usable cores together: 100 = every core that this program may run on is busy.
struct SystemReading {
    std::map<pid_t, double> processCpuPercent; ///< of each watched process that lives
    std::optional<double> hostCpuPercent; ///< everything that runs on the usable cores
    /// Host less the watched processes and this program; a tick of 10 ms is the resolution. Absent
    /// where a watched process began or ended, whose share is not known.
    std::optional<double> foreignCpuPercent;
    std::optional<double> cpuMhz; ///< mean of at most 8 usable cores
    std::optional<double> availableMemoryBytes; ///< MemAvailable, of the whole machine
    std::optional<double> cpuTemperatureC;
    std::optional<double> packageEnergyJ; ///< RAPL, since the first sample; all packages
    /// Times that a processor held its clock back because of heat, since the sample before.
    std::optional<double> thermalThrottles;
    /// Of the watched GPUs that NVML knows, by PCI bus id; energyJ since that GPU's first sample.
    std::map<std::string, GpuReading> gpus;
};

/// Reads the load of the machine from /proc and /sys. The files stay open between samples, so that
/// one costs some tens of microseconds. One thread at a time.
class SystemMonitor {
public:
    /// `root` is where /proc and /sys are looked for. `cores` are the numbers of the usable cores;
    /// empty = those of this process's affinity mask. `self` is this program, whose load is not
    /// foreign. `nvml` is the library for GPUs.
    explicit SystemMonitor(const std::filesystem::path& root = "/", std::set<int> cores = {},
        pid_t self = 0, std::filesystem::path nvml = nvmlLibrary());

    /// The processes to watch from now on; what is no longer named is forgotten.
    void watch(const std::vector<pid_t>& processes);
    /// The GPUs to read from now on, by PCI bus id; without any, NVML is not opened.
    void watchGpus(const std::vector<std::string>& pciBusIds) { m_gpus.watch(pciBusIds); }

    /// `seconds` is a steady clock's time. The first sample has no percent: they need two.
    SystemReading sample(double seconds);

private:
    struct Process {
        explicit Process(OpenFile opened)
            : stat(std::move(opened))
        {
        }
        OpenFile stat;
        std::optional<double> cpuSeconds; ///< at the sample before
        double foundAt = 0;
    };
    struct Package {
        OpenFile energy;
        double range = 0; ///< uJ at which the counter begins again at 0
        std::optional<double> last = {}; ///< uJ
    };

    void sampleHost(SystemReading& reading);
    std::optional<double> sampleProcess(Process& process, double elapsed) const;
    void sampleProcesses(SystemReading& reading, double elapsed);
    std::optional<double> sampleMhz() const;
    std::optional<double> sampleEnergy();
    std::optional<double> sampleThrottles();

    std::filesystem::path m_root;
    std::set<int> m_cores;
    OpenFile m_stat;
    OpenFile m_memory;
    OpenFile m_cpuInfo; ///< where no core tells its frequency in /sys
    OpenFile m_temperature;
    std::vector<OpenFile> m_frequencies;
    std::vector<OpenFile> m_throttles;
    std::vector<Package> m_packages;
    Process m_self;
    std::map<pid_t, Process> m_processes;
    bool m_processesChanged = false; ///< one was forgotten since the sample before

    struct Ticks {
        double busy = 0;
        double total = 0;
    };
    std::optional<Ticks> m_ticks; ///< at the sample before
    std::optional<double> m_seconds; ///< of the sample before
    std::optional<double> m_throttleCount;
    double m_energyJ = 0;
    GpuMonitor m_gpus;
};

} // namespace mantissa
