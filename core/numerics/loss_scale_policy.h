// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/numerics/scaler_setting.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mantissa {

/// What a policy carries from step to step. Each policy uses some of it and leaves the rest alone.
struct LossScaleState {
    float scale = 1.0F;
    /// Applied steps on the way to the next growth; below growth_interval. 0 with static, smooth.
    std::int32_t growthTracker = 0;
    std::int32_t hysteresis =
        0; ///< overflows left until the scale backs off (hysteresis: may be < 0)
    std::int64_t iteration = 0; ///< deepspeed, fairseq: steps so far
    std::int64_t lastOverflow = -1; ///< deepspeed, fairseq: its iteration, -1 before the first
    std::int64_t lastRescale = -1; ///< fairseq: iteration of the last change of the scale
    std::int64_t overflows = 0; ///< fairseq: since the last change of the scale
    double log2Scale = 0; ///< smooth: log2 of the scale before it is rounded to fp32
    bool exhausted = false; ///< deepspeed, fairseq: the scale is at its floor and still too large

    bool operator==(const LossScaleState&) const = default;
};

/// A rule for the loss scale as a pure state machine: in goes whether a step overflowed, out comes
/// the scale of the next one. The same object drives training, replay and tuning. Arithmetic is
/// fp32 as in ATen's kernel (products formed in double, rounded once). A value; not shared by
/// threads. The rules are described in resources/docs/grad-scaler.md.
///
///     LossScalePolicy policy(config);
///     for (bool foundInf : trace) {
///         policy.update(foundInf);
///         use(policy.state().scale);
///     }
class LossScalePolicy {
public:
    /// The initial scale is moved into [floor, max_scale].
    explicit LossScalePolicy(const ScalerConfig& config);

    const ScalerConfig& config() const { return m_config; }
    const LossScaleState& state() const { return m_state; }

    /// The end of a step. Returns the new state.
    const LossScaleState& update(bool foundInf);

    /// The scale and tracker are somebody else's (a device's, a checkpoint's): go on from there.
    void adopt(float scale, std::int32_t growthTracker);
    /// The whole state, as saved.
    void restore(const ScalerConfig& config, const LossScaleState& state);

    /// Live changes, in force at the next update: all of them or, on a refusal, none. A new policy
    /// keeps the scale and starts its counters anew, a new growth_interval resets the tracker (else
    /// growth by equality might never come again), a new hysteresis is full.
    [[nodiscard]] tl::expected<std::vector<AppliedSetting>, SettingRefusal> set(
        std::span<const SettingChange> changes);

    /// Why training cannot go on, in words: the policy's floor is reached and gradients still
    /// overflow. Empty while it can.
    std::string exhaustion() const;

private:
    float bounded(float scale) const;
    void restartCounters();

    ScalerConfig m_config;
    LossScaleState m_state;
};

} // namespace mantissa
