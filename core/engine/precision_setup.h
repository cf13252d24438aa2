// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"
#include "core/engine/cuda_plugin.h"

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace mantissa {

/// The autocast type of a precision; nothing for fp32 and tf32.
std::optional<c10::ScalarType> autocastType(Precision precision);

/// The device a config names ("auto": CUDA where it is usable). An Error says why it is not there.
[[nodiscard]] Result<c10::Device> chooseDevice(const std::string& kind, const CudaPlugin& plugin);

/// Why `precision` cannot run on `device`; nothing if it can.
std::optional<std::string> refusal(Precision precision, c10::Device device);

/// Sets process-wide what a variant asks for: threads, both TF32 flags, reduced-precision
/// reductions, cuDNN benchmark, determinism. Call on the training thread before its first step.
void applyPrecision(const Variant& variant, c10::Device device);

/// What is in force, read back from LibTorch.
nlohmann::json precisionInForce(const Variant& variant, c10::Device device);

} // namespace mantissa
