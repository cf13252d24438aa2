// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/engine/cuda_plugin.h"

#include <nlohmann/json.hpp>
#include <string>

namespace mantissa {

/// One mixed-precision step of a network that is small enough to be checked by hand: seed 7,
/// Linear(4, 8) - ReLU - Linear(8, 1), 16 random samples, mean squared error, SGD with rate 0.05.
/// bf16 without a scaler on the CPU, fp16 with the scaler on CUDA. On the CPU its loss is Python's
/// to every digit that is printed: 0.648133.
struct SmokeResult {
    std::string torchVersion;
    std::string deviceType; ///< "cpu" or "cuda"
    bool autocastAvailable = false;
    std::string ampType; ///< types as Python writes them: "bfloat16", "float16", "float32"
    bool scalerEnabled = false;
    std::string predictionType;
    std::string lossType;
    std::string gradientType; ///< of the first layer's weight
    bool weightChanged = false; ///< the first layer's weight, by the step
    double lossValue = 0; ///< before the step, unscaled
    bool stepComplete = false; ///< applied, not skipped

    /// Keys as `mantissa-cli smoke` prints them.
    nlohmann::ordered_json toJson() const;
};

/// `deviceKind` as in device.kind: "auto", "cpu", "cuda:0". Makes the process deterministic for it
/// (one thread, deterministic algorithms, no oneDNN) and leaves it so: for a process of its own.
/// An Error says why the device is not there or what threw.
[[nodiscard]] Result<SmokeResult> runSmoke(const std::string& deviceKind, const CudaPlugin& plugin);

} // namespace mantissa
