// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/precision_setup.h"

#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/hardware/machine.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace mantissa {

std::optional<c10::ScalarType> autocastType(Precision precision)
{
    switch (precision) {
    case Precision::Fp16:
        return at::kHalf;
    case Precision::Bf16:
        return at::kBFloat16;
    case Precision::Fp32:
    case Precision::Tf32:
        break;
    }
    return std::nullopt;
}

Result<c10::Device> chooseDevice(const std::string& kind, const CudaPlugin& plugin)
{
    if (kind == "cpu")
        return c10::Device(at::kCPU);
    const bool usable = plugin.usable() && at::hasCUDA();
    if (kind == "auto")
        return usable ? c10::Device(at::kCUDA, 0) : c10::Device(at::kCPU);
    if (!usable)
        return fail(fmt::format("device.kind = \"{}\" is not there: {}", kind, plugin.message));
    const auto colon = kind.find(':');
    const auto index = colon == std::string::npos ? std::optional<std::int64_t>(0)
                                                  : parseInt(kind.substr(colon + 1));
    if (!kind.starts_with("cuda") || !index || *index < 0 || *index >= plugin.deviceCount)
        return fail(fmt::format("device.kind = \"{}\" is not there; allowed: auto, cpu, cuda:0 to "
                                "cuda:{}",
            kind, plugin.deviceCount - 1));
    return c10::Device(at::kCUDA, static_cast<c10::DeviceIndex>(*index));
}

std::optional<std::string> refusal(Precision precision, c10::Device device)
{
    if (precision == Precision::Tf32 && device.is_cpu())
        return "tf32 is a mode of NVIDIA GPUs' tensor cores: a CPU has no such format. Use fp32, "
               "bf16 or fp16 on the CPU.";
    return std::nullopt;
}

void applyPrecision(const Variant& variant, c10::Device device)
{
    const auto& settings = variant.settings.device;
    auto& context = at::globalContext();
    at::set_num_threads(
        settings.threads > 0 ? static_cast<int>(settings.threads) : readMachine().usableCores);
    const bool tf32 = variant.precision == Precision::Tf32;
    context.setAllowTF32CuBLAS(tf32);
    context.setAllowTF32CuDNN(tf32);
    // PyTorch's defaults, set here so that the record below is the whole truth.
    context.setAllowFP16ReductionCuBLAS(true);
    context.setAllowBF16ReductionCuBLAS(true);
    context.setBenchmarkCuDNN(settings.cudnnBenchmark);
    context.setDeterministicCuDNN(settings.deterministic);
    if (settings.deterministic && device.is_cuda())
        setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
    context.setDeterministicAlgorithms(settings.deterministic, false);
}

namespace {

/// What may make two runs with the same settings differ, in words; empty on a CPU.
nlohmann::json notDeterministic(const DeviceConfig& settings, c10::Device device)
{
    auto reasons = nlohmann::json::array();
    if (device.is_cpu())
        return reasons;
    if (!settings.deterministic)
        reasons.push_back("device.deterministic is false: kernels may add in another order each "
                          "time");
    if (settings.cudnnBenchmark)
        reasons.push_back("device.cudnn_benchmark is true: cuDNN may choose another algorithm each "
                          "time");
    const char* workspace = std::getenv("CUBLAS_WORKSPACE_CONFIG");
    const std::string_view config = workspace ? workspace : "";
    if (settings.deterministic && config != ":4096:8" && config != ":16:8")
        reasons.push_back(fmt::format("CUBLAS_WORKSPACE_CONFIG is \"{}\": cuBLAS is deterministic "
                                      "with :4096:8 or :16:8 only",
            config));
    return reasons;
}

} // namespace

nlohmann::json precisionInForce(const Variant& variant, c10::Device device)
{
    constexpr auto kReduced = at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK;
    const auto& context = at::globalContext();
    const auto type = autocastType(variant.precision);
    return {{"precision", toString(variant.precision)}, {"device", device.str()},
        {"autocast",
            {{"enabled", type.has_value()},
                {"dtype", type ? nlohmann::json(c10::toString(*type)) : nlohmann::json()},
                {"cache", variant.settings.autocast.cache},
                {"keep_fp32", variant.settings.model.keepFp32}}},
        {"threads", at::get_num_threads()}, {"tf32_matmul", context.allowTF32CuBLAS()},
        {"tf32_cudnn", context.allowTF32CuDNN()},
        {"fp16_reduced_reduction", context.allowFP16ReductionCuBLAS() == kReduced},
        {"bf16_reduced_reduction", context.allowBF16ReductionCuBLAS() == kReduced},
        {"deterministic", context.deterministicAlgorithms()},
        {"not_deterministic", notDeterministic(variant.settings.device, device)},
        {"cudnn_benchmark", context.benchmarkCuDNN()},
        {"channels_last", variant.settings.device.channelsLast}};
}

} // namespace mantissa
