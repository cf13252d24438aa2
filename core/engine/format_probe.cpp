// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/format_probe.h"

#include "core/config/config_io.h"
#include "core/engine/precision_setup.h"
#include "core/hardware/machine.h"

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRepetitions = 9;
constexpr std::chrono::milliseconds kBudget{120};

bool hardwareFlag(Precision precision, c10::Device device)
{
    // A GPU that CUDA 13 still supports has tensor cores; the measured ratio has the last word.
    return !device.is_cpu()
        || cpuComputesIn(*checkFormatFromString(toString(precision)), detectCpuFlags());
}

/// One operation on operands of a type, made ready once.
class Operation {
public:
    Operation(ModelKind kind, at::ScalarType type, at::Device device)
        : m_isConvolution(kind == ModelKind::Cnn)
    {
        const auto options = at::TensorOptions().device(device);
        if (m_isConvolution) {
            m_input = at::ones({8, 16, 28, 28}, options).to(type);
            m_weight = at::ones({32, 16, 3, 3}, options).to(type);
        } else {
            m_input = at::ones({256, 256}, options).to(type);
            m_weight = at::ones({256, 256}, options).to(type);
        }
    }

    void run() const
    {
        if (m_isConvolution)
            at::conv2d(m_input, m_weight);
        else
            at::linear(m_input, m_weight);
    }

private:
    bool m_isConvolution;
    at::Tensor m_input;
    at::Tensor m_weight;
};

void wait(at::Device device)
{
    if (!device.is_cpu())
        at::accelerator::synchronizeDevice(device.index());
}

double medianMilliseconds(const Operation& operation, at::Device device)
{
    const auto timeOnce = [&] {
        const auto start = Clock::now();
        operation.run();
        wait(device);
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    };
    const auto begin = Clock::now();
    const double first = timeOnce(); // also warms up
    std::vector<double> times;
    while (times.size() < kRepetitions && Clock::now() - begin < kBudget)
        times.push_back(timeOnce());
    if (times.empty())
        return first;
    std::nth_element(
        times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

FormatProbe probe(Precision precision, ModelKind kind, at::Device device, double fp32Milliseconds)
{
    FormatProbe result;
    result.precision = precision;
    result.hardwareFlag = hardwareFlag(precision, device);
    if (auto reason = refusal(precision, device)) {
        result.reason = std::move(*reason);
        return result;
    }
    const bool tf32 = precision == Precision::Tf32;
    at::globalContext().setAllowTF32CuBLAS(tf32);
    at::globalContext().setAllowTF32CuDNN(tf32);
    try {
        const Operation operation(kind, autocastType(precision).value_or(at::kFloat), device);
        result.milliseconds = medianMilliseconds(operation, device);
    } catch (const c10::Error& error) {
        result.reason = error.what_without_backtrace();
        return result;
    } catch (const std::exception& error) {
        result.reason = error.what();
        return result;
    }
    result.factor = precision == Precision::Fp32 ? 1.0 : result.milliseconds / fp32Milliseconds;
    result.formatClass = classifyFormat(result.factor, result.hardwareFlag);
    return result;
}

} // namespace

std::vector<FormatProbe> probeFormats(ModelKind kind, c10::Device device)
{
    const at::NoGradGuard noGrad;
    std::vector<FormatProbe> probes;
    double fp32Milliseconds = 1;
    for (const auto precision :
        {Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16}) {
        probes.push_back(probe(precision, kind, device, fp32Milliseconds));
        if (precision == Precision::Fp32)
            fp32Milliseconds = probes.back().milliseconds;
    }
    return probes;
}

nlohmann::json toJson(const std::vector<FormatProbe>& probes, ModelKind kind)
{
    nlohmann::json json{{"work",
        kind == ModelKind::Cnn ? "convolution 3x3, 16 to 32 channels, 8 images of 28x28"
                               : "matrix product 256x256x256"}};
    for (const auto& probe : probes) {
        auto& entry = json[std::string(toString(probe.precision))];
        entry = {{"class", toString(probe.formatClass)}, {"hardware_flag", probe.hardwareFlag}};
        if (probe.formatClass == FormatClass::Unsupported) {
            entry["reason"] = probe.reason;
            continue;
        }
        entry["factor"] = probe.factor;
        entry["ms"] = probe.milliseconds;
    }
    return json;
}

} // namespace mantissa
