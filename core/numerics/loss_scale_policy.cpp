// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/loss_scale_policy.h"

#include "core/numerics/scaler_setting.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

LossScalePolicy::LossScalePolicy(const ScalerConfig& config)
    : m_config(config)
{
    m_state.scale = bounded(static_cast<float>(config.initScale));
}

LossScalePolicy::~LossScalePolicy() = default;

const LossScaleState& LossScalePolicy::update(bool foundInf)
{
    m_state = next(m_state, foundInf);
    m_state.scale = bounded(m_state.scale);
    return m_state;
}

Result<double> LossScalePolicy::set(std::string_view key, double value)
{
    if (key == "scale") {
        const auto scale = checkedScale(m_config, value);
        if (!scale)
            return tl::unexpected(scale.error());
        return std::exchange(m_state.scale, *scale);
    }
    auto old = changeScalerSetting(m_config, key, value);
    if (old && key == "growth_interval")
        m_state.growthTracker = 0;
    return old;
}

float LossScalePolicy::bounded(float scale) const
{
    if (m_config.minScale)
        scale = std::max(scale, static_cast<float>(*m_config.minScale));
    if (m_config.maxScale)
        scale = std::min(scale, static_cast<float>(*m_config.maxScale));
    return scale;
}

LossScaleState StaticLossScale::next(const LossScaleState& state, bool) const
{
    return state;
}

LossScaleState PytorchLossScale::next(const LossScaleState& state, bool foundInf) const
{
    const double scale = state.scale;
    if (foundInf)
        return {static_cast<float>(scale * config().backoffFactor), 0};
    const std::int32_t clean = state.growthTracker + 1;
    if (clean != config().growthInterval)
        return {state.scale, clean};
    const auto grown = static_cast<float>(scale * config().growthFactor);
    return {std::isfinite(grown) ? grown : state.scale, 0};
}

std::unique_ptr<LossScalePolicy> makeLossScalePolicy(const ScalerConfig& config)
{
    if (config.policy == ScalerPolicy::Static)
        return std::make_unique<StaticLossScale>(config);
    return std::make_unique<PytorchLossScale>(config);
}

} // namespace mantissa
