// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numerics/loss_scale_policy.h"

namespace mantissa {

/// The state after a step, by the rule of config.policy; the caller keeps the scale within its
/// bounds. Pure. Sources of the rules: torch.amp.GradScaler (pytorch), Apex's
/// update_scale_hysteresis and Megatron's DynamicGradScaler (hysteresis), DeepSpeed's and
/// fairseq's DynamicLossScaler, the log2 ramp of guided-diffusion (smooth).
LossScaleState nextLossScale(
    const ScalerConfig& config, const LossScaleState& state, bool foundInf);

} // namespace mantissa
