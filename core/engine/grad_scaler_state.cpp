// SPDX-License-Identifier: GPL-3.0-or-later
// GradScaler's settings, its tensors and its state dict.
#include "core/engine/grad_scaler.h"
#include "core/engine/tensor_value.h"

#include <ATen/ATen.h>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr std::array kPytorchKeys{
    "scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker"};

using StateDict = std::map<std::string, double>;

double orNan(const std::optional<double>& bound)
{
    return bound.value_or(std::nan(""));
}

std::optional<double> boundOf(double value)
{
    return std::isnan(value) ? std::nullopt : std::optional(value);
}

/// `state[key]` into `field`, if it is there.
template <typename Field> void take(const StateDict& state, const char* key, Field& field)
{
    if (const auto found = state.find(key); found != state.end())
        field = static_cast<Field>(found->second);
}

void takeBound(const StateDict& state, const char* key, std::optional<double>& field)
{
    if (const auto found = state.find(key); found != state.end())
        field = boundOf(found->second);
}

/// What is wrong with the dict, in words; empty if nothing is.
std::string problemOf(const StateDict& state)
{
    if (state.empty())
        return "the state dict is empty: it was saved from a disabled scaler. Load it with "
               "scaler.enabled = false, or start from settings instead";
    for (const auto* key : kPytorchKeys) {
        if (!state.contains(key))
            return fmt::format("the state dict has no key {}", key);
    }
    const auto isWhole = [&](const char* key, double low) {
        const double value = state.at(key);
        return value >= low && value <= 2147483647.0 && value == std::floor(value);
    };
    if (!(state.at("scale") >= 0) || !std::isfinite(state.at("scale")))
        return fmt::format("the state dict's scale {} is not allowed; allowed: 0 or more, finite",
            state.at("scale"));
    for (const auto* key : {"growth_interval", "_growth_tracker"}) {
        if (!isWhole(key, 0))
            return fmt::format("the state dict's {} {} is not allowed; allowed: a whole number "
                               "from 0 to 2147483647",
                key, state.at(key));
    }
    if (!(state.at("growth_factor") > 1) || !(state.at("backoff_factor") < 1))
        return fmt::format("the state dict's factors {} and {} are not allowed; allowed: "
                           "growth_factor above 1, backoff_factor below 1",
            state.at("growth_factor"), state.at("backoff_factor"));
    if (state.contains("_policy")
        && !(isWhole("_policy", 0) && state.at("_policy") <= double(ScalerPolicy::Smooth)))
        return "the state dict's _policy is none of this version's";
    return {};
}

} // namespace

void GradScaler::createTensors(const at::Tensor& like)
{
    const auto options = like.options().requires_grad(false);
    m_scale = at::full({}, m_policy.state().scale, options.dtype(at::kFloat));
    m_tracker = at::full({}, m_policy.state().growthTracker, options.dtype(at::kInt));
    m_inverse = at::ones({}, options.dtype(at::kFloat));
    m_one = at::ones({}, options.dtype(at::kFloat));
}

void GradScaler::writeTensors()
{
    if (!m_scale.defined())
        return;
    m_scale.fill_(m_policy.state().scale);
    m_tracker.fill_(m_policy.state().growthTracker);
}

/// The policy's state from the tensors, where they are ahead of it.
void GradScaler::readTensors()
{
    if (m_scale.defined() && !readsFoundInf())
        m_policy.adopt(floatValue(m_scale), static_cast<std::int32_t>(growthTracker()));
}

double GradScaler::scaleValue() const
{
    if (!m_enabled)
        return 1.0;
    return m_scale.defined() ? floatValue(m_scale) : m_policy.state().scale;
}

std::int64_t GradScaler::growthTracker() const
{
    if (!m_enabled)
        return 0;
    if (!m_tracker.defined())
        return m_policy.state().growthTracker;
    return m_tracker.device().is_cpu() ? *m_tracker.const_data_ptr<int>() : m_tracker.item<int>();
}

tl::expected<std::vector<AppliedSetting>, SettingRefusal> GradScaler::set(
    std::span<const SettingChange> changes)
{
    if (changes.empty())
        return {};
    if (!m_enabled) {
        const auto& key = changes.front().key;
        return tl::unexpected(
            SettingRefusal{key, fmt::format("{} cannot be set: this run has no GradScaler", key)});
    }
    readTensors();
    auto applied = m_policy.set(changes);
    if (applied)
        writeTensors();
    return applied;
}

std::map<std::string, double> GradScaler::stateDict() const
{
    if (!m_enabled)
        return {};
    const auto& config = m_policy.config();
    const auto& state = m_policy.state();
    return {{"scale", scaleValue()}, {"growth_factor", config.growthFactor},
        {"backoff_factor", config.backoffFactor},
        {"growth_interval", static_cast<double>(config.growthInterval)},
        {"_growth_tracker", static_cast<double>(growthTracker())},
        {"_policy", static_cast<double>(config.policy)}, {"_min_scale", orNan(config.minScale)},
        {"_max_scale", orNan(config.maxScale)},
        {"_hysteresis", static_cast<double>(config.hysteresis)},
        {"_hysteresis_refill", static_cast<double>(config.hysteresisRefill)},
        {"_tolerance", config.tolerance},
        {"_hysteresis_tracker", static_cast<double>(state.hysteresis)},
        {"_iteration", static_cast<double>(state.iteration)},
        {"_last_overflow", static_cast<double>(state.lastOverflow)},
        {"_last_rescale", static_cast<double>(state.lastRescale)},
        {"_overflows", static_cast<double>(state.overflows)}, {"_log2_scale", state.log2Scale},
        {"_exhausted", state.exhausted ? 1.0 : 0.0}};
}

Result<void> GradScaler::loadStateDict(const std::map<std::string, double>& dict)
{
    if (!m_enabled)
        return {};
    if (auto problem = problemOf(dict); !problem.empty())
        return fail(std::move(problem));
    auto config = m_policy.config();
    take(dict, "growth_factor", config.growthFactor);
    take(dict, "backoff_factor", config.backoffFactor);
    take(dict, "growth_interval", config.growthInterval);
    take(dict, "_policy", config.policy);
    takeBound(dict, "_min_scale", config.minScale);
    takeBound(dict, "_max_scale", config.maxScale);
    take(dict, "_hysteresis", config.hysteresis);
    take(dict, "_hysteresis_refill", config.hysteresisRefill);
    take(dict, "_tolerance", config.tolerance);
    auto state = LossScalePolicy(config).state();
    take(dict, "scale", state.scale);
    state.log2Scale = std::log2(double{state.scale});
    take(dict, "_growth_tracker", state.growthTracker);
    take(dict, "_hysteresis_tracker", state.hysteresis);
    take(dict, "_iteration", state.iteration);
    take(dict, "_last_overflow", state.lastOverflow);
    take(dict, "_last_rescale", state.lastRescale);
    take(dict, "_overflows", state.overflows);
    take(dict, "_log2_scale", state.log2Scale);
    take(dict, "_exhausted", state.exhausted);
    m_policy.restore(config, state);
    writeTensors();
    return {};
}

} // namespace mantissa
