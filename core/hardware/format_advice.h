// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"

namespace mantissa {

/// A recommendation with its reason.
struct Advice {
    enum class Sign { Good, Warn, Info };
    Sign sign = Sign::Info;
    std::string headline; ///< "Use bf16."
    std::string reason; ///< "Native here (avx512_bf16): matrix product 2.2x faster than fp32 ..."
    bool againstRule = false; ///< the measurement contradicts what the hardware's class promises

    bool operator==(const Advice&) const = default;
};

/// What to train in on this device, by its rule (compute capability 8.0 and up: bf16 without a
/// scaler; 7.0 and 7.5 with tensor cores: fp16 with GradScaler; older, and CPUs: what is measured)
/// corrected by the measured factors of the card. First the choice, then what to avoid, then the
/// baseline and anything odd about the measurement (clock, table).
std::vector<Advice> adviceFor(const CapabilityCard& card);

} // namespace mantissa
