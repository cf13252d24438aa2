// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/cuda_plugin.h"
#include "core/engine/model_probe.h"
#include "core/engine/trainer.h"

/// Questions about a model. The variant's JSON (as in the command `start`) is the first line of
/// stdin.
namespace mantissa {

/// A few steps, see probeModel(). With `memoryBytes` over 0 the process limits itself first, see
/// limitMemory().
[[nodiscard]] Result<nlohmann::json> askProbe(
    const ModelProbeOptions& options, double memoryBytes, const CudaPlugin& plugin);

[[nodiscard]] Result<nlohmann::json> askProfile(
    const Trainer::ProfileOptions& options, const CudaPlugin& plugin);

} // namespace mantissa
