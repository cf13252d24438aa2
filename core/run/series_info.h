// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/run_event.h"

#include <span>
#include <string_view>

namespace mantissa {

/// A series of a run as CLI.md defines it. `label` is for tables and plots.
struct SeriesInfo {
    std::string_view name; ///< e.g. "step_ms"
    std::string_view unit; ///< e.g. "ms", "samples/s", "bytes", "s"; empty for pure numbers
    Axis axis;
    std::string_view label;
    std::string_view description;
};

namespace series {
inline constexpr std::string_view kLoss = "loss";
inline constexpr std::string_view kMetric = "metric";
inline constexpr std::string_view kMetricLoss = "validation_loss";
inline constexpr std::string_view kValidationNonFinite = "validation_non_finite";
inline constexpr std::string_view kScale = "scale";
inline constexpr std::string_view kGrowthTracker = "growth_tracker";
inline constexpr std::string_view kFoundInf = "found_inf";
inline constexpr std::string_view kGradNorm = "grad_norm";
inline constexpr std::string_view kLr = "lr";
inline constexpr std::string_view kStepMs = "step_ms";
inline constexpr std::string_view kDataWaitMs = "data_wait_ms";
inline constexpr std::string_view kSamplesPerSecond = "samples_per_second";
inline constexpr std::string_view kTimeS = "time_s";
inline constexpr std::string_view kMemoryBytes = "memory_bytes";
inline constexpr std::string_view kPeakMemoryBytes = "peak_memory_bytes";
inline constexpr std::string_view kReservedBytes = "reserved_bytes";
// On the axis time.
inline constexpr std::string_view kRssBytes = "rss_bytes";
inline constexpr std::string_view kProcessCpuPercent = "process_cpu_percent";
inline constexpr std::string_view kHostCpuPercent = "host_cpu_percent";
inline constexpr std::string_view kForeignCpuPercent = "foreign_cpu_percent";
inline constexpr std::string_view kCpuMhz = "cpu_mhz";
inline constexpr std::string_view kAvailableMemoryBytes = "available_memory_bytes";
inline constexpr std::string_view kCpuTemperatureC = "cpu_temperature_c";
inline constexpr std::string_view kPackageEnergyJ = "package_energy_j";
inline constexpr std::string_view kGpuUtilisationPercent = "gpu_utilisation_percent";
inline constexpr std::string_view kGpuMemoryBytes = "gpu_memory_bytes";
inline constexpr std::string_view kGpuPowerW = "gpu_power_w";
inline constexpr std::string_view kGpuTemperatureC = "gpu_temperature_c";
inline constexpr std::string_view kGpuSmMhz = "gpu_sm_mhz";
inline constexpr std::string_view kGpuMemoryMhz = "gpu_memory_mhz";
inline constexpr std::string_view kGpuEnergyJ = "gpu_energy_j";
} // namespace series

/// All series this program writes.
std::span<const SeriesInfo> allSeries();
/// The entry of `name`, or one with an empty unit for a series of a foreign worker.
SeriesInfo seriesInfo(std::string_view name);

} // namespace mantissa
