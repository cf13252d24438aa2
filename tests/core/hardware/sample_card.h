// SPDX-License-Identifier: GPL-3.0-or-later
// Cards of machines that are not here.
#pragma once

#include "core/hardware/capability.h"

namespace mantissa::test {

/// A cell with one point of `ratio` times fp32's 10 ms; unsupported for a ratio of 0.
inline CheckCell cell(CheckWork work, CheckFormat format, double ratio)
{
    CheckCell cell;
    cell.work = work;
    cell.format = format;
    if (ratio <= 0) {
        cell.reason = "matmul: not implemented";
        return cell;
    }
    const double ms = 10 * ratio;
    CheckPoint point{"512 × 512 × 512", 2.0 * 512 * 512 * 512, {ms * 0.99, ms, ms * 1.01}, 20, {}};
    point.ratio = ratio;
    cell.points.push_back(point);
    cell.formatClass = classifyFormat(ratio, true);
    cell.maxError = 1e-3;
    return cell;
}

/// Matrix work of a device with the given factors of time to fp32.
inline CapabilityCard card(double tf32, double bf16, double fp16)
{
    CapabilityCard card;
    card.device = {"cpu", "A CPU"};
    card.devices = {card.device};
    card.measuredMs = 1'700'000'000'000;
    card.seconds = 11.5;
    card.threads = 2;
    card.facts = {{"machine", {{"cpu_flags", nlohmann::json::array()}, {"kernel", "Linux 6.1.0"}}}};
    card.clock = {5.0, 5.01};
    for (const auto work : {CheckWork::MatMul, CheckWork::LinearStep}) {
        card.cells.push_back(cell(work, CheckFormat::Fp32, 1));
        card.cells.push_back(cell(work, CheckFormat::Tf32, tf32));
        card.cells.push_back(cell(work, CheckFormat::Bf16, bf16));
        card.cells.push_back(cell(work, CheckFormat::Fp16, fp16));
    }
    card.theory.push_back({CheckFormat::Fp32, false, 2e11, {}, "no table of CPUs"});
    return card;
}

inline CapabilityCard gpuCard(
    const char* name, int major, int minor, double tf32, double bf16, double fp16)
{
    auto gpu = card(tf32, bf16, fp16);
    gpu.device = {"cuda:0", name};
    gpu.facts["gpu"] = {{"name", name}, {"compute_major", major}, {"compute_minor", minor}};
    return gpu;
}

} // namespace mantissa::test
