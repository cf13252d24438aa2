// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace mantissa {

/// What a policy carries from step to step.
struct LossScaleState {
    float scale = 1.0F;
    std::int32_t growthTracker = 0; ///< consecutive steps without an overflow; < growth interval

    bool operator==(const LossScaleState&) const = default;
};

/// A rule for the loss scale as a pure state machine: in goes whether a step overflowed, out comes
/// the scale of the next one. The same object drives training tests, replay and tuning. Arithmetic
/// is fp32 as in ATen's kernel (products formed in double, rounded once). Not shared by threads.
///
///     auto policy = makeLossScalePolicy(config);
///     for (bool foundInf : trace) {
///         policy->update(foundInf);
///         use(policy->state().scale);
///     }
class LossScalePolicy {
public:
    /// The initial scale is moved into [min_scale, max_scale].
    explicit LossScalePolicy(const ScalerConfig& config);
    virtual ~LossScalePolicy();

    const ScalerConfig& config() const { return m_config; }
    const LossScaleState& state() const { return m_state; }

    /// The end of a step. Returns the new state.
    const LossScaleState& update(bool foundInf);

    /// A live change (see changeScalerSetting(), and "scale"): in force at the next update. A new
    /// growth_interval resets the tracker, else growth by equality might never come again.
    /// Returns the old value.
    [[nodiscard]] Result<double> set(std::string_view key, double value);

protected:
    virtual LossScaleState next(const LossScaleState& state, bool foundInf) const = 0;

private:
    float bounded(float scale) const;

    ScalerConfig m_config;
    LossScaleState m_state;
};

/// Keeps the initial scale for ever.
class StaticLossScale : public LossScalePolicy {
public:
    using LossScalePolicy::LossScalePolicy;

protected:
    LossScaleState next(const LossScaleState& state, bool foundInf) const override;
};

/// torch.amp.GradScaler's rule: x backoff_factor at an overflow, x growth_factor after
/// growth_interval clean steps in a row (by equality). Growth to a non-finite scale is dropped.
class PytorchLossScale : public LossScalePolicy {
public:
    using LossScalePolicy::LossScalePolicy;

protected:
    LossScaleState next(const LossScaleState& state, bool foundInf) const override;
};

std::unique_ptr<LossScalePolicy> makeLossScalePolicy(const ScalerConfig& config);

} // namespace mantissa
