// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/loss_scale_rules.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

namespace {

float backedOff(const ScalerConfig& config, float scale)
{
    return static_cast<float>(double{scale} * config.backoffFactor);
}

/// Growth to a non-finite scale is dropped, as ATen's kernel does.
float grown(const ScalerConfig& config, float scale)
{
    const auto candidate = static_cast<float>(double{scale} * config.growthFactor);
    return std::isfinite(candidate) ? candidate : scale;
}

std::int32_t fullHysteresis(const ScalerConfig& config)
{
    return static_cast<std::int32_t>(config.hysteresis);
}

LossScaleState pytorch(const ScalerConfig& config, LossScaleState state, bool foundInf)
{
    if (foundInf) {
        state.scale = backedOff(config, state.scale);
        state.growthTracker = 0;
    } else if (++state.growthTracker == config.growthInterval) {
        state.scale = grown(config, state.scale);
        state.growthTracker = 0;
    }
    return state;
}

LossScaleState hysteresis(const ScalerConfig& config, LossScaleState state, bool foundInf)
{
    if (foundInf) {
        state.growthTracker = 0;
        if (--state.hysteresis <= 0)
            state.scale = backedOff(config, state.scale);
        return state;
    }
    const bool grows = state.growthTracker + 1 == config.growthInterval;
    if (grows || config.hysteresisRefill == HysteresisRefill::Step)
        state.hysteresis = fullHysteresis(config);
    return pytorch(config, state, false);
}

LossScaleState deepspeedOverflow(const ScalerConfig& config, LossScaleState state)
{
    if (state.hysteresis > 1) {
        --state.hysteresis;
    } else if (config.floor() && state.scale <= static_cast<float>(*config.floor())) {
        state.exhausted = true;
    } else {
        state.scale = backedOff(config, state.scale);
    }
    state.lastOverflow = state.iteration++;
    state.growthTracker = 0;
    return state;
}

/// Growth needs one applied step more than the interval: the one right after an overflow is not
/// counted.
LossScaleState deepspeed(const ScalerConfig& config, LossScaleState state, bool foundInf)
{
    if (foundInf)
        return deepspeedOverflow(config, state);
    const auto stable = state.iteration++ - state.lastOverflow - 1;
    state.growthTracker = static_cast<std::int32_t>(stable % config.growthInterval);
    const bool grows = stable > 0 && state.growthTracker == 0;
    if (grows || config.hysteresisRefill == HysteresisRefill::Step)
        state.hysteresis = fullHysteresis(config);
    if (grows)
        state.scale = grown(config, state.scale);
    return state;
}

LossScaleState fairseqOverflow(const ScalerConfig& config, LossScaleState state)
{
    const auto since = static_cast<double>(state.iteration - state.lastRescale);
    state.lastOverflow = state.iteration;
    state.growthTracker = 0;
    ++state.overflows;
    if (static_cast<double>(state.overflows) / since >= config.tolerance) {
        const float lower = backedOff(config, state.scale);
        if (config.floor() && lower <= static_cast<float>(*config.floor()))
            state.exhausted = true; // the scale stays at what it was
        else
            state.scale = lower;
        state.lastRescale = state.iteration;
        state.overflows = 0;
    }
    ++state.iteration;
    return state;
}

LossScaleState fairseq(const ScalerConfig& config, LossScaleState state, bool foundInf)
{
    if (foundInf)
        return fairseqOverflow(config, state);
    const auto clean = state.iteration - state.lastOverflow;
    state.growthTracker = static_cast<std::int32_t>(clean % config.growthInterval);
    if (state.growthTracker == 0) {
        state.scale = grown(config, state.scale);
        state.lastRescale = state.iteration;
    }
    ++state.iteration;
    return state;
}

/// A straight line in log2: up by growth_factor in growth_interval steps, down at once.
LossScaleState smooth(const ScalerConfig& config, LossScaleState state, bool foundInf)
{
    const double change = foundInf
        ? std::log2(config.backoffFactor)
        : std::log2(config.growthFactor) / static_cast<double>(config.growthInterval);
    const auto scale = static_cast<float>(std::exp2(state.log2Scale + change));
    if (std::isfinite(scale)) {
        state.log2Scale += change;
        state.scale = scale;
    }
    return state;
}

} // namespace

LossScaleState nextLossScale(const ScalerConfig& config, const LossScaleState& state, bool foundInf)
{
    switch (config.policy) {
    case ScalerPolicy::Static:
        return state;
    case ScalerPolicy::Pytorch:
        return pytorch(config, state, foundInf);
    case ScalerPolicy::Hysteresis:
        return hysteresis(config, state, foundInf);
    case ScalerPolicy::Deepspeed:
        return deepspeed(config, state, foundInf);
    case ScalerPolicy::Fairseq:
        return fairseq(config, state, foundInf);
    case ScalerPolicy::Smooth:
        return smooth(config, state, foundInf);
    }
    return state;
}

} // namespace mantissa
