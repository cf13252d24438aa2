// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/series_info.h"

#include <algorithm>
#include <array>

namespace mantissa {

namespace {

constexpr std::array<SeriesInfo, 31> kSeries{{
    {series::kLoss, "", Axis::Step, "Loss", "Mean over the step's micro-batches, unscaled"},
    {series::kMetric, "", Axis::Step, "Validation accuracy",
        "Share of the validation samples classified correctly, at the steps where it was measured"},
    {series::kMetricLoss, "", Axis::Step, "Validation loss",
        "Mean loss over the validation samples, at the steps where it was measured"},
    {series::kValidationNonFinite, "", Axis::Step, "Non-finite validation rows",
        "Validation samples with an output that is NaN or infinite: each counts as wrong"},
    {series::kScale, "", Axis::Step, "Loss scale", "Scale factor used in this step"},
    {series::kGrowthTracker, "", Axis::Step, "Growth tracker",
        "Consecutive applied steps since the scale last changed"},
    {series::kFoundInf, "", Axis::Step, "found_inf",
        "1 where a gradient was infinite or NaN and the step was skipped, else 0"},
    {series::kGradNorm, "", Axis::Step, "Gradient norm",
        "2-norm of all gradients, unscaled, before clipping"},
    {series::kLr, "", Axis::Step, "Learning rate", "Learning rate used in this step"},
    {series::kStepMs, "ms", Axis::Step, "Step time",
        "From zero_grad to the end of update, without data wait, validation and pauses"},
    {series::kDataWaitMs, "ms", Axis::Step, "Data wait", "Time the step waited for its data"},
    {series::kSamplesPerSecond, "samples/s", Axis::Step, "Throughput",
        "Samples of the step divided by its step time"},
    {series::kTimeS, "s", Axis::Step, "Time", "Seconds since the run's start, pauses included"},
    {series::kMemoryBytes, "bytes", Axis::Step, "Memory",
        "Bytes held by the allocator at the step's end"},
    {series::kPeakMemoryBytes, "bytes", Axis::Step, "Peak memory",
        "Most bytes held by the allocator within the step"},
    {series::kReservedBytes, "bytes", Axis::Step, "Reserved memory",
        "Bytes the CUDA allocator keeps reserved at the step's end"},
    {series::kRssBytes, "bytes", Axis::Time, "Resident memory",
        "Resident set of the worker process"},
    {series::kProcessCpuPercent, "%", Axis::Time, "Worker's CPU",
        "Share of all usable cores that the worker took"},
    {series::kHostCpuPercent, "%", Axis::Time, "Host CPU",
        "Share of all usable cores that was busy, whoever made it so"},
    {series::kForeignCpuPercent, "%", Axis::Time, "Foreign CPU",
        "Share of all usable cores that other programs took"},
    {series::kCpuMhz, "MHz", Axis::Time, "CPU frequency", "Mean of at most 8 usable cores"},
    {series::kAvailableMemoryBytes, "bytes", Axis::Time, "Available memory",
        "Memory of the machine that programs can have without swapping"},
    {series::kCpuTemperatureC, "\u00b0C", Axis::Time, "CPU temperature", "By its sensor (hwmon)"},
    {series::kPackageEnergyJ, "J", Axis::Time, "CPU energy",
        "Energy of all processor packages since the comparison's start (RAPL)"},
    {series::kGpuUtilisationPercent, "%", Axis::Time, "GPU utilisation",
        "Share of the time in which a kernel ran (NVML)"},
    {series::kGpuMemoryBytes, "bytes", Axis::Time, "GPU memory",
        "Memory of the GPU in use, by all programs (NVML)"},
    {series::kGpuPowerW, "W", Axis::Time, "GPU power", "Power draw of the board (NVML)"},
    {series::kGpuTemperatureC, "\u00b0C", Axis::Time, "GPU temperature", "Of the chip (NVML)"},
    {series::kGpuSmMhz, "MHz", Axis::Time, "GPU clock", "Clock of the multiprocessors (NVML)"},
    {series::kGpuMemoryMhz, "MHz", Axis::Time, "GPU memory clock", "Clock of the memory (NVML)"},
    {series::kGpuEnergyJ, "J", Axis::Time, "GPU energy",
        "Energy of the board since the comparison's start (NVML)"},
}};

} // namespace

std::span<const SeriesInfo> allSeries()
{
    return kSeries;
}

SeriesInfo seriesInfo(std::string_view name)
{
    const auto* found = std::find_if(
        kSeries.begin(), kSeries.end(), [name](const auto& info) { return info.name == name; });
    if (found != kSeries.end())
        return *found;
    return {name, "", Axis::Step, name, ""};
}

} // namespace mantissa
