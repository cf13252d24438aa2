// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/capability_probe.h"

#include "core/base/unix_time.h"
#include "core/engine/check_timer.h"
#include "core/engine/precision_setup.h"
#include "core/engine/trainer.h"
#include "core/engine/work_probe.h"
#include "core/hardware/gpu_table.h"
#include "core/hardware/machine.h"
#include "core/hardware/nvml.h"
#include "core/hardware/system_monitor.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::vector<CheckDevice> devicesOf(const CudaPlugin& plugin)
{
    const auto machine = readMachine();
    std::vector<CheckDevice> devices{{"cpu", machine.cpuModel.empty() ? "CPU" : machine.cpuModel}};
    for (int i = 0; i < plugin.deviceCount; ++i) {
        cuda::DeviceFacts facts{};
        if (plugin.api->deviceFacts(i, &facts) == cuda::kCudaOk)
            devices.push_back({fmt::format("cuda:{}", i), facts.name});
    }
    return devices;
}

/// Variables that change what LibTorch makes of the CPU, where they are set.
nlohmann::json environmentOf()
{
    auto json = nlohmann::json::object();
    for (const auto* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY",
             "OMP_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES"}) {
        if (const char* value = std::getenv(name))
            json[name] = value;
    }
    return json;
}

std::optional<cuda::DeviceFacts> gpuOf(at::Device device, const CudaPlugin& plugin)
{
    cuda::DeviceFacts facts{};
    if (device.is_cpu() || plugin.api->deviceFacts(device.index(), &facts) != cuda::kCudaOk)
        return std::nullopt;
    return facts;
}

nlohmann::json factsOf(const CudaPlugin& plugin, const std::optional<cuda::DeviceFacts>& gpu)
{
    auto facts = engineEnvironment(plugin);
    facts["environment"] = environmentOf();
    facts["machine"]["available_memory_bytes"] = availableMemory();
    if (!gpu)
        return facts;
    facts["gpu"] = {{"name", gpu->name}, {"compute_major", gpu->computeMajor},
        {"compute_minor", gpu->computeMinor}, {"multiprocessors", gpu->multiprocessors},
        {"l2_bytes", gpu->l2Bytes}, {"total_bytes", gpu->totalBytes}, {"pci_bus_id", gpu->pciBusId},
        {"tensor_cores", gpuModel(gpu->computeMajor, gpu->computeMinor, gpu->name).tensorCores}};
    int driver = 0;
    int runtime = 0;
    if (plugin.api->versions(&driver, &runtime) == cuda::kCudaOk)
        facts["gpu"]["cuda"] = fmt::format("{}.{}", runtime / 1000, runtime % 1000 / 10);
    const auto& hooks = at::detail::getCUDAHooks();
    if (hooks.hasCuDNN()) // 91002 is 9.10.2
        facts["gpu"]["cudnn"] = fmt::format("{}.{}.{}", hooks.versionCuDNN() / 10000,
            hooks.versionCuDNN() % 10000 / 100, hooks.versionCuDNN() % 100);
    addNvmlFacts(facts, gpu->pciBusId);
    return facts;
}

std::function<bool(CheckFormat)> hardwareRule(const std::optional<cuda::DeviceFacts>& gpu)
{
    if (!gpu)
        return
            [flags = detectCpuFlags()](CheckFormat format) { return cpuComputesIn(format, flags); };
    return [model = gpuModel(gpu->computeMajor, gpu->computeMinor, gpu->name)](
               CheckFormat format) { return gpuComputesIn(format, model); };
}

/// The highest rate of a format over matrix products, or of fp32 over what moves memory.
double highestRate(const CapabilityCard& card, CheckFormat format, bool bandwidth)
{
    double highest = 0;
    for (const auto& cell : card.cells) {
        if (cell.format != format || isBandwidth(cell.work) != bandwidth)
            continue;
        // Small sizes of a stream lie in the cache: only the largest tells of memory.
        for (const auto& point : cell.points) {
            if (!bandwidth || &point == &cell.points.back())
                highest = std::max(highest, point.rate());
        }
    }
    return highest;
}

void addTheory(CapabilityCard& card)
{
    const auto peaks = card.device.id == "cpu" ? std::nullopt : publishedPeaks(card.device.name);
    const std::string source(peaks ? peaks->source
            : card.device.id == "cpu"
            ? std::string_view("no table has CPUs: their clocks and vector units vary")
            : std::string_view("the table does not have this GPU"));
    for (const auto format : kCheckFormats) {
        const double rate = highestRate(card, format, false);
        if (rate > 0)
            card.theory.push_back(
                {format, false, rate, peaks ? peaks->of(format) : std::nullopt, source});
    }
    const double bandwidth = highestRate(card, CheckFormat::Fp32, true);
    if (bandwidth > 0)
        card.theory.push_back({CheckFormat::Fp32, true, bandwidth,
            peaks ? std::optional(peaks->bandwidth) : std::nullopt, source});
}

} // namespace

Result<CapabilityCard> probeCapability(const ProbeOptions& options, const CudaPlugin& plugin,
    const std::function<void(const CheckCell& cell, int done, int total)>& measured)
{
    const auto begin = Clock::now();
    SystemMonitor monitor;
    monitor.sample(0);
    const auto device = chooseDevice(options.device, plugin);
    if (!device)
        return tl::unexpected(device.error());
    applyPrecision(Variant{}, *device);
    auto timer = CheckTimer::create(*device, plugin);
    if (!timer)
        return tl::unexpected(timer.error());
    const auto gpu = gpuOf(*device, plugin);
    CapabilityCard card;
    card.devices = devicesOf(plugin);
    card.device = device->is_cpu() ? card.devices.front()
                                   : CheckDevice{device->str(), gpu ? gpu->name : "CUDA device"};
    card.quick = options.quick;
    card.threads = at::get_num_threads();
    card.facts = factsOf(plugin, gpu);
    card.measuredMs = unixMs();
    card.clock = (*timer)->test();
    const at::NoGradGuard noGrad;
    const double seconds = options.seconds > 0 ? options.seconds : options.quick ? 2.0 : 12.0;
    const double budgetMs = seconds * 1000.0 / static_cast<double>(kCheckWorks.size());
    const int total = static_cast<int>(kCheckWorks.size() * kCheckFormats.size());
    const auto computesIn = hardwareRule(gpu);
    for (const auto work : kCheckWorks) {
        for (auto& cell : probeWork(work, *device, **timer, budgetMs, computesIn)) {
            card.cells.push_back(std::move(cell));
            measured(card.cells.back(), static_cast<int>(card.cells.size()), total);
        }
    }
    addTheory(card);
    card.seconds = millisecondsSince(begin) / 1000.0;
    if (const auto percent = monitor.sample(card.seconds).foreignCpuPercent)
        card.facts["foreign_load"] = *percent / 100;
    return card;
}

} // namespace mantissa
