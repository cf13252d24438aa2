// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/scaler_setting.h"

#include "core/base/number_text.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace mantissa {

namespace {

constexpr double kMaxInterval = std::numeric_limits<std::int32_t>::max();

tl::unexpected<Error> notAllowed(std::string_view key, double value, std::string_view allowed)
{
    return fail(fmt::format("{} = {} is not allowed; allowed: {}", key, toText(value), allowed));
}

Result<double> changeInterval(ScalerConfig& config, double value)
{
    if (!(value >= 1 && value <= kMaxInterval) || value != std::floor(value))
        return notAllowed("growth_interval", value, "a whole number from 1 to 2147483647");
    const auto old = static_cast<double>(config.growthInterval);
    config.growthInterval = static_cast<std::int64_t>(value);
    return old;
}

Result<double> changeBound(
    ScalerConfig& config, std::optional<double> ScalerConfig::*bound, double value)
{
    const bool isFloor = bound == &ScalerConfig::minScale;
    const std::string_view key = isFloor ? "min_scale" : "max_scale";
    const double old = (config.*bound).value_or(std::nan(""));
    if (std::isnan(value)) {
        (config.*bound).reset();
        return old;
    }
    if (!(value > 0) || !std::isfinite(static_cast<float>(value)))
        return notAllowed(key, value, "above 0 and finite, or NaN to remove the bound");
    if (isFloor && value > config.maxScale.value_or(value))
        return notAllowed(key, value, fmt::format("at most max_scale {}", *config.maxScale));
    if (!isFloor && value < config.minScale.value_or(value))
        return notAllowed(key, value, fmt::format("at least min_scale {}", *config.minScale));
    config.*bound = value;
    return old;
}

} // namespace

Result<double> changeScalerSetting(ScalerConfig& config, std::string_view key, double value)
{
    if (key == "growth_interval")
        return changeInterval(config, value);
    if (key == "min_scale")
        return changeBound(config, &ScalerConfig::minScale, value);
    if (key == "max_scale")
        return changeBound(config, &ScalerConfig::maxScale, value);
    if (key == "growth_factor") {
        if (!(value > 1) || !std::isfinite(value))
            return notAllowed(key, value, "above 1 and finite");
        return std::exchange(config.growthFactor, value);
    }
    if (key == "backoff_factor") {
        if (!(value > 0 && value < 1))
            return notAllowed(key, value, "above 0, below 1");
        return std::exchange(config.backoffFactor, value);
    }
    return fail(fmt::format("{} is no live scaler setting; allowed: growth_factor, "
                            "backoff_factor, growth_interval, min_scale, max_scale, scale",
        key));
}

Result<float> checkedScale(const ScalerConfig& config, double value)
{
    const auto scale = static_cast<float>(value);
    if (!(scale > 0) || !std::isfinite(scale))
        return notAllowed("scale", value, "above 0 and finite as fp32");
    if (value < config.minScale.value_or(value))
        return notAllowed("scale", value, fmt::format("at least min_scale {}", *config.minScale));
    if (value > config.maxScale.value_or(value))
        return notAllowed("scale", value, fmt::format("at most max_scale {}", *config.maxScale));
    return scale;
}

} // namespace mantissa
