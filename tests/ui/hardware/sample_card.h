// SPDX-License-Identifier: GPL-3.0-or-later
// A CPU's card with figures made up for tests.
#pragma once

#include "core/hardware/capability.h"
#include "core/hardware/machine.h"
#include "core/hardware/model_check.h"
#include "core/storage/host_identity.h"

#include <nlohmann/json.hpp>

namespace mantissa::ui::samples {

/// A cell whose largest size takes `ms` at `rate` FLOP/s or B/s.
inline CheckCell cell(CheckWork work, CheckFormat format, double rate, double ms, double fp32Ms)
{
    CheckCell made;
    made.work = work;
    made.format = format;
    const std::string shapes[] = {"256 × 256 × 256", "1,024 × 1,024 × 1,024"};
    for (int i = 0; i < 2; ++i) {
        const double time = i == 0 ? ms / 60 : ms;
        CheckPoint point;
        point.shape = shapes[i];
        point.amount = rate * time / 1000;
        point.ms = {time * 0.97, time, time * 1.04};
        point.repeats = 20;
        if (fp32Ms > 0)
            point.ratio = ms / fp32Ms;
        made.points.push_back(point);
    }
    made.hardwareFlag = format != CheckFormat::Fp16;
    made.formatClass =
        fp32Ms > 0 ? classifyFormat(ms / fp32Ms, made.hardwareFlag) : FormatClass::Native;
    return made;
}

inline CheckCell unsupported(CheckWork work, CheckFormat format, const std::string& reason)
{
    CheckCell made;
    made.work = work;
    made.format = format;
    made.reason = reason;
    return made;
}

/// fp64 and fp32 native, bf16 2.2x faster in matrix work, fp16 200x slower, no tf32.
inline CapabilityCard cpuCard(std::int64_t measuredMs = 1'700'000'000'000)
{
    CapabilityCard card;
    card.device = {"cpu", "Test CPU 9000"};
    card.devices = {card.device};
    card.measuredMs = measuredMs;
    card.seconds = 11.8;
    card.threads = 2;
    Machine machine;
    machine.cpuModel = "Test CPU 9000";
    machine.onlineCores = 4;
    machine.usableCores = 2;
    machine.cgroupCpuLimit = 2.0;
    machine.cpuFlags = {
        "f16c", "fma", "avx2", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512_bf16"};
    machine.memoryBytes = std::int64_t(16) << 30;
    machine.kernel = "Linux 6.1.0";
    card.facts = {{"machine", toJson(machine)}, {"torch_version", "2.11.0"},
        {"cuda_plugin", "libcuda.so.1: cannot open shared object file"}};
    card.clock = {10.0, 10.04};
    for (int i = 0; i < 7; ++i) {
        const auto work = static_cast<CheckWork>(i);
        const double rate = isBandwidth(work) ? 24.4e9 : 203e9;
        card.cells.push_back(cell(work, CheckFormat::Fp64, rate / 2, 21.3, 10.6));
        card.cells.back().formatClass = FormatClass::Native;
        card.cells.push_back(cell(work, CheckFormat::Fp32, rate, 10.6, 10.6));
        card.cells.back().maxError = 2.1e-6;
        card.cells.push_back(
            unsupported(work, CheckFormat::Tf32, "TF32 is a format of CUDA devices"));
        card.cells.push_back(cell(work, CheckFormat::Bf16, rate * 2.16, 4.9, 10.6));
        card.cells.back().maxError = 3.9e-3;
        card.cells.push_back(cell(work, CheckFormat::Fp16, rate / 200, 2136, 10.6));
        card.cells.back().maxError = 4.9e-4;
    }
    card.theory = {{CheckFormat::Fp32, false, 203e9, 224e9, "clock x cores x 32"},
        {CheckFormat::Bf16, false, 438e9, 400e9, "clock x cores x 64"},
        {CheckFormat::Fp32, true, 24.4e9, {}, {}}};
    return card;
}

/// A step of 62 GFLOP/s at 10 FLOP a byte in fp32, and one in fp16 that could not run.
inline ModelCheck modelCheck()
{
    ModelCheck check;
    check.experiment = "fashion-mnist-cnn";
    check.device = "cpu";
    check.measuredMs = 1'700'000'000'000;
    ModelProbe fp32;
    fp32.precision = Precision::Fp32;
    fp32.stepMs = {9, 10, 11};
    fp32.steps = 5;
    fp32.flops = 62e9 * 0.010;
    fp32.bytes = fp32.flops / 4;
    ModelProbe fp16;
    fp16.precision = Precision::Fp16;
    fp16.reason = "conv2d: not implemented";
    check.probes = {fp32, fp16};
    return check;
}

} // namespace mantissa::ui::samples
