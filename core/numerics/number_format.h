// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <string_view>

namespace mantissa {

/// The limits of a floating-point format, exact as doubles. Pure, any thread.
struct FormatInfo {
    std::string_view name; ///< as in experiment files: "fp32", "tf32", "fp16", "bf16"
    int storageBits; ///< in memory; tf32 is stored as fp32
    int exponentBits;
    int mantissaBits; ///< stored fraction bits, the hidden one not counted
    double maxFinite;
    double overflowFrom; ///< smallest magnitude that rounds (to nearest even) to infinity
    double minNormal;
    double minSubnormal;
    double epsilon; ///< distance from 1 to the next number
};

/// What `precision` computes its matrix products in.
const FormatInfo& formatInfo(Precision precision);

} // namespace mantissa
