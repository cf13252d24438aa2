// SPDX-License-Identifier: GPL-3.0-or-later
// GradScaler's settings and its state dict.
#include "core/engine/grad_scaler.h"
#include "core/engine/tensor_value.h"
#include "core/numerics/scaler_setting.h"

#include <ATen/ATen.h>
#include <array>
#include <fmt/format.h>

namespace mantissa {

double GradScaler::scaleValue() const
{
    if (!m_enabled)
        return 1.0;
    return m_scale.defined() ? floatValue(m_scale) : m_initScale;
}

std::int64_t GradScaler::growthTracker() const
{
    if (!m_enabled)
        return 0;
    if (!m_tracker.defined())
        return m_initTracker;
    return m_tracker.device().is_cpu() ? *m_tracker.const_data_ptr<int>() : m_tracker.item<int>();
}

Result<double> GradScaler::set(const std::string& key, double value)
{
    if (!m_enabled)
        return fail(fmt::format("{} cannot be set: this run has no GradScaler", key));
    if (key == "scale") {
        const auto scale = checkedScale(m_config, value);
        if (!scale)
            return tl::unexpected(scale.error());
        const double old = scaleValue();
        m_initScale = *scale;
        if (m_scale.defined())
            m_scale.fill_(*scale);
        return old;
    }
    auto old = changeScalerSetting(m_config, key, value);
    if (old && key == "growth_interval") {
        m_initTracker = 0;
        if (m_tracker.defined())
            m_tracker.zero_();
    }
    return old;
}

std::map<std::string, double> GradScaler::stateDict() const
{
    if (!m_enabled)
        return {};
    return {{"scale", scaleValue()}, {"growth_factor", m_config.growthFactor},
        {"backoff_factor", m_config.backoffFactor},
        {"growth_interval", static_cast<double>(m_config.growthInterval)},
        {"_growth_tracker", static_cast<double>(growthTracker())}};
}

Result<void> GradScaler::loadStateDict(const std::map<std::string, double>& state)
{
    if (!m_enabled)
        return {};
    if (state.empty())
        return fail("the state dict is empty: it was saved from a disabled scaler");
    constexpr std::array kKeys{
        "scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker"};
    for (const auto* key : kKeys) {
        if (!state.contains(key))
            return fail(fmt::format("the state dict has no key {}", key));
    }
    m_config.growthFactor = state.at("growth_factor");
    m_config.backoffFactor = state.at("backoff_factor");
    m_config.growthInterval = static_cast<std::int64_t>(state.at("growth_interval"));
    m_initScale = state.at("scale");
    m_initTracker = static_cast<std::int32_t>(state.at("_growth_tracker"));
    if (m_scale.defined()) {
        m_scale.fill_(m_initScale);
        m_tracker.fill_(m_initTracker);
    }
    return {};
}

} // namespace mantissa
