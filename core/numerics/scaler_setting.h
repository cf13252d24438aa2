// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"

#include <string_view>

namespace mantissa {

/// Changes one live scaler setting after checking it: growth_factor (> 1), backoff_factor (> 0,
/// < 1), growth_interval (1 to 2,147,483,647), min_scale and max_scale (> 0; NaN removes the
/// bound; min <= max). Returns the old value (NaN = no bound); an Error names key, value and what
/// is allowed, and `config` is unchanged. Pure, any thread.
[[nodiscard]] Result<double> changeScalerSetting(
    ScalerConfig& config, std::string_view key, double value);

/// Checks a new scale: above 0 and finite as fp32, within the bounds of `config`.
[[nodiscard]] Result<float> checkedScale(const ScalerConfig& config, double value);

} // namespace mantissa
