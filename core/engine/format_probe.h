// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/hardware/format_class.h"

#include <c10/core/Device.h>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mantissa {

struct FormatProbe {
    Precision precision = Precision::Fp32;
    FormatClass formatClass = FormatClass::Unsupported;
    double factor = 0; ///< time as a multiple of fp32's; 0 if unsupported
    double milliseconds = 0; ///< median of one operation
    bool hardwareFlag = false;
    std::string reason; ///< why unsupported
};

/// Times one small operation of the model's kind of work (a 256^3 matrix product, for cnn a 3 x 3
/// convolution) in every precision: at most about 0.2 s each, but one operation in any case.
std::vector<FormatProbe> probeFormats(ModelKind kind, c10::Device device);

/// {"work": "...", "fp16": {"class": "emulated", "factor": 65, "ms": 20, ...}, ...}
nlohmann::json toJson(const std::vector<FormatProbe>& probes, ModelKind kind);

} // namespace mantissa
