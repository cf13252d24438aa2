// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/loss_scale_policy.h"

#include "core/base/number_text.h"
#include "core/config/words.h"
#include "core/numerics/loss_scale_rules.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

LossScalePolicy::LossScalePolicy(const ScalerConfig& config)
    : m_config(config)
{
    m_state.scale = bounded(static_cast<float>(config.initScale));
    restartCounters();
}

const LossScaleState& LossScalePolicy::update(bool foundInf)
{
    m_state = nextLossScale(m_config, m_state, foundInf);
    const float scale = bounded(m_state.scale);
    if (scale != m_state.scale)
        adopt(scale, m_state.growthTracker);
    return m_state;
}

void LossScalePolicy::adopt(float scale, std::int32_t growthTracker)
{
    if (scale != m_state.scale)
        m_state.log2Scale = std::log2(double{scale});
    m_state.scale = scale;
    m_state.growthTracker = growthTracker;
}

void LossScalePolicy::restore(const ScalerConfig& config, const LossScaleState& state)
{
    m_config = config;
    m_state = state;
}

tl::expected<std::vector<AppliedSetting>, SettingRefusal> LossScalePolicy::set(
    std::span<const SettingChange> changes)
{
    auto config = m_config;
    float scale = m_state.scale;
    auto applied = changeScalerSettings(config, scale, changes);
    if (!applied)
        return applied;
    const bool policyChanged = config.policy != m_config.policy;
    const bool intervalChanged = config.growthInterval != m_config.growthInterval;
    const bool hysteresisChanged = config.hysteresis != m_config.hysteresis;
    m_config = config;
    adopt(scale, m_state.growthTracker);
    if (policyChanged)
        restartCounters();
    if (hysteresisChanged)
        m_state.hysteresis = static_cast<std::int32_t>(config.hysteresis);
    if (intervalChanged) {
        m_state.growthTracker = 0;
        m_state.lastOverflow = m_state.iteration - 1;
    }
    m_state.exhausted = false;
    return applied;
}

std::string LossScalePolicy::exhaustion() const
{
    if (!m_state.exhausted)
        return {};
    return fmt::format(
        "the loss scale cannot fall below {} (scaler.min_scale, policy {}) and gradients are still "
        "inf or NaN: they are so without the scale's doing. Look at the loss and the learning "
        "rate; clip gradients (train.clip_norm), or use bf16. A lower scaler.min_scale lets the "
        "scale fall further",
        toText(m_config.floor().value_or(0)), word(m_config.policy));
}

float LossScalePolicy::bounded(float scale) const
{
    if (const auto floor = m_config.floor())
        scale = std::max(scale, static_cast<float>(*floor));
    if (m_config.maxScale)
        scale = std::min(scale, static_cast<float>(*m_config.maxScale));
    return scale;
}

void LossScalePolicy::restartCounters()
{
    const float scale = m_state.scale;
    m_state = {};
    m_state.scale = scale;
    m_state.hysteresis = static_cast<std::int32_t>(m_config.hysteresis);
    m_state.log2Scale = std::log2(double{scale});
}

} // namespace mantissa
