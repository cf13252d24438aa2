// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/system_monitor.h"

#include "core/base/number_text.h"
#include "core/hardware/system_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

/// USER_HZ, the unit of /proc's times.
double ticksPerSecond()
{
    static const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    return ticks;
}

fs::path statFile(const fs::path& root, pid_t process)
{
    return root / "proc" / (process > 0 ? fmt::format("{}", process) : std::string("self"))
        / "stat";
}

/// The next number of a line of numbers, which is taken off it.
std::optional<double> takeNumber(std::string_view& line)
{
    const auto first = line.find_first_not_of(' ');
    if (first == std::string_view::npos)
        return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(line.data() + first, line.data() + line.size(), value);
    if (error != std::errc{})
        return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return static_cast<double>(value);
}

/// proc(5): "cpuN user nice system idle iowait irq softirq steal ..."; `line` begins behind the N.
/// Time stolen by the hypervisor is not ours to use: busy.
struct CoreTicks {
    double busy = 0;
    double total = 0;
};
std::optional<CoreTicks> coreTicks(std::string_view line)
{
    constexpr int kFields = 8;
    constexpr int kIdle = 3;
    constexpr int kIoWait = 4;
    CoreTicks ticks;
    for (int field = 0; field < kFields; ++field) {
        const auto value = takeNumber(line);
        if (!value)
            return std::nullopt;
        ticks.total += *value;
        if (field != kIdle && field != kIoWait)
            ticks.busy += *value;
    }
    return ticks;
}

/// utime + stime, fields 14 and 15 of /proc/PID/stat. The second is a name in brackets, in which
/// anything may stand.
std::optional<double> cpuSeconds(std::string_view stat)
{
    const auto bracket = stat.rfind(')');
    if (bracket == std::string_view::npos)
        return std::nullopt;
    stat.remove_prefix(bracket + 1);
    constexpr int kFieldsBefore = 12; // 3 (state) to 13 and the blank in front
    for (int i = 0; i < kFieldsBefore; ++i) {
        const auto blank = stat.find(' ');
        if (blank == std::string_view::npos)
            return std::nullopt;
        stat.remove_prefix(blank + 1);
    }
    const auto user = takeNumber(stat);
    const auto system = takeNumber(stat);
    if (!user || !system)
        return std::nullopt;
    return (*user + *system) / ticksPerSecond();
}

} // namespace

SystemMonitor::SystemMonitor(const fs::path& root, std::set<int> cores, pid_t self, fs::path nvml)
    : m_root(root)
    , m_cores(cores.empty() ? affinityCores() : std::move(cores))
    , m_stat(root / "proc/stat")
    , m_memory(root / "proc/meminfo")
    , m_cpuInfo(root / "proc/cpuinfo")
    , m_temperature(temperatureFile(root))
    , m_self(OpenFile(statFile(root, self)))
    , m_gpus(std::move(nvml))
{
    for (const auto& file : frequencyFiles(root, m_cores))
        m_frequencies.emplace_back(file);
    for (const auto& file : throttleFiles(root, m_cores))
        m_throttles.emplace_back(file);
    for (const auto& folder : raplFolders(root)) {
        const auto range = OpenFile(folder / "max_energy_range_uj").readNumber().value_or(0);
        m_packages.push_back({OpenFile(folder / "energy_uj"), range});
    }
}

void SystemMonitor::watch(const std::vector<pid_t>& processes)
{
    const auto forgotten = std::erase_if(m_processes, [&](const auto& entry) {
        return std::ranges::find(processes, entry.first) == processes.end();
    });
    m_processesChanged = m_processesChanged || forgotten > 0;
    for (const pid_t process : processes) {
        if (!m_processes.contains(process))
            m_processes.emplace(process, Process(OpenFile(statFile(m_root, process))));
    }
}

SystemReading SystemMonitor::sample(double seconds)
{
    SystemReading reading;
    const double elapsed = m_seconds ? seconds - *m_seconds : 0;
    m_seconds = seconds;
    sampleHost(reading);
    sampleProcesses(reading, elapsed);
    reading.cpuMhz = sampleMhz();
    if (const auto text = m_memory.read()) {
        if (const auto kib = numberAfter(*text, "MemAvailable:"))
            reading.availableMemoryBytes = *kib * 1024;
    }
    if (const auto milli = m_temperature.readNumber())
        reading.cpuTemperatureC = *milli / 1000;
    reading.packageEnergyJ = sampleEnergy();
    reading.thermalThrottles = sampleThrottles();
    reading.gpus = m_gpus.sample();
    return reading;
}

void SystemMonitor::sampleHost(SystemReading& reading)
{
    const auto text = m_stat.read();
    if (!text)
        return;
    std::optional<Ticks> now;
    for (std::string_view rest = *text; rest.starts_with("cpu");) {
        const auto end = std::min(rest.find('\n'), rest.size() - 1);
        auto line = rest.substr(3, end - 3);
        rest.remove_prefix(end + 1);
        if (line.starts_with(' '))
            continue; // the sum of all cores
        const auto core = takeNumber(line);
        const auto ticks = coreTicks(line);
        if (!core || !ticks || !m_cores.contains(static_cast<int>(*core)))
            continue;
        if (!now)
            now.emplace();
        now->busy += ticks->busy;
        now->total += ticks->total;
    }
    if (now && m_ticks && now->total > m_ticks->total)
        reading.hostCpuPercent = std::clamp(
            100 * (now->busy - m_ticks->busy) / (now->total - m_ticks->total), 0.0, 100.0);
    m_ticks = now;
}

std::optional<double> SystemMonitor::sampleProcess(Process& process, double elapsed) const
{
    const auto text = process.stat.read();
    const auto now = text ? cpuSeconds(*text) : std::nullopt;
    const auto before = std::exchange(process.cpuSeconds, now);
    if (!now || !before || !(elapsed > 0))
        return std::nullopt;
    return 100 * std::max(*now - *before, 0.0) / (elapsed * static_cast<double>(m_cores.size()));
}

void SystemMonitor::sampleProcesses(SystemReading& reading, double elapsed)
{
    double ours = sampleProcess(m_self, elapsed).value_or(0);
    // What a process took between the sample before and its end, or before it was found, nobody
    // can tell any more: it would pass for other programs' load.
    bool allTold = !std::exchange(m_processesChanged, false);
    for (auto& [pid, process] : m_processes) {
        const bool known = process.cpuSeconds.has_value();
        if (const auto percent = sampleProcess(process, elapsed)) {
            reading.processCpuPercent[pid] = *percent;
            ours += *percent;
        } else if (known || process.cpuSeconds) {
            allTold = false;
        }
    }
    if (reading.hostCpuPercent && allTold)
        reading.foreignCpuPercent = std::max(*reading.hostCpuPercent - ours, 0.0);
}

std::optional<double> SystemMonitor::sampleMhz() const
{
    double sum = 0;
    int count = 0;
    for (const auto& file : m_frequencies) {
        if (const auto kHz = file.readNumber()) {
            sum += *kHz / 1000;
            ++count;
        }
    }
    if (count > 0)
        return sum / count;
    // Only where /sys has none: the kernel writes no more of this file than is asked for.
    const auto text = m_frequencies.empty() ? m_cpuInfo.read() : std::nullopt;
    return text ? numberAfter(*text, "cpu MHz\t\t") : std::nullopt;
}

std::optional<double> SystemMonitor::sampleEnergy()
{
    bool any = false;
    for (auto& package : m_packages) {
        const auto now = package.energy.readNumber();
        if (!now)
            continue;
        any = true;
        if (package.last) {
            const double wrapped = *now < *package.last ? package.range : 0;
            m_energyJ += (*now - *package.last + wrapped) / 1e6;
        }
        package.last = now;
    }
    return any ? std::optional(m_energyJ) : std::nullopt;
}

std::optional<double> SystemMonitor::sampleThrottles()
{
    std::optional<double> now;
    for (const auto& file : m_throttles) {
        if (const auto count = file.readNumber())
            now = now.value_or(0) + *count;
    }
    const auto before = std::exchange(m_throttleCount, now);
    return now && before ? std::optional(std::max(*now - *before, 0.0)) : std::nullopt;
}

} // namespace mantissa
