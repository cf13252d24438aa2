// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mantissa {

class Optimizer;

/// What step() did with the optimizer.
enum class StepOutcome {
    Stepped, ///< no inf or NaN was found, or the scaler is disabled
    Skipped, ///< an inf or NaN was found
    FoundInfDecides, ///< the device decides, unread by the host: see GradScaler::foundInf()
};

/// torch.amp.GradScaler: scales the loss so that small gradients survive a narrow format, skips
/// steps whose gradients overflowed and adapts the scale, by ATen's own kernels. One thread.
///
///     auto loss = scaler.scale(model.forward(images))
///     loss->backward();
///     scaler.unscale(optimizer);    // only to look at or clip the gradients
///     scaler.step(optimizer);
///     scaler.update();              // once, after every optimizer's step
///
/// Each optimizer goes READY -> (UNSCALED) -> STEPPED and back at update(); a call out of order is
/// an Error in words. The scale and the tracker live on the device of the first scaled tensor.
/// Differences to PyTorch: an optional floor and ceiling; step() says what it did; a new growth
/// interval resets the tracker; the static policy never changes the scale.
class GradScaler {
public:
    /// Whether the host reads found_inf before a step, or hands it to the optimizer's kernel.
    enum class Decision {
        Auto, ///< Device on CUDA, Host elsewhere
        Host, ///< one read per step and optimizer
        Device, ///< none: the fused path
    };
    enum class Stage { Ready, Unscaled, Stepped };

    explicit GradScaler(
        const ScalerConfig& config, bool enabled = true, Decision decision = Decision::Auto);
    ~GradScaler();
    GradScaler(const GradScaler&) = delete;
    GradScaler& operator=(const GradScaler&) = delete;

    bool isEnabled() const { return m_enabled; }
    const ScalerConfig& config() const { return m_config; }

    /// `output` times the scale; the same tensor if disabled.
    at::Tensor scale(const at::Tensor& output);
    /// Divides the optimizer's gradients by the scale, in place, and records found_inf.
    [[nodiscard]] Result<void> unscale(Optimizer& optimizer);
    [[nodiscard]] Result<StepOutcome> step(Optimizer& optimizer);
    /// Ends the iteration: adapts the scale to what was found in all optimizers.
    [[nodiscard]] Result<void> update();
    /// Ends the iteration with a scale of the caller's; the tracker stays.
    [[nodiscard]] Result<void> update(double newScale);

    /// Changes a live setting (growth_factor, backoff_factor, growth_interval, min_scale,
    /// max_scale, scale), in force from the next update() on, "scale" from now on. Returns the old
    /// value. Call between update() and the next scale().
    [[nodiscard]] Result<double> set(const std::string& key, double value);

    /// One device read each; 1 and 0 if disabled.
    double scaleValue() const;
    std::int64_t growthTracker() const;

    /// 0-dim tensors on the device; undefined before the first scale().
    const at::Tensor& scaleTensor() const { return m_scale; }
    const at::Tensor& trackerTensor() const { return m_tracker; }
    /// The optimizer's found_inf of this iteration (fp32, 0 or 1); undefined if none was recorded.
    at::Tensor foundInf(const Optimizer& optimizer) const;
    Stage stage(const Optimizer& optimizer) const;

    /// PyTorch's keys: scale, growth_factor, backoff_factor, growth_interval, _growth_tracker.
    /// Empty if disabled. Take it after update().
    std::map<std::string, double> stateDict() const;
    [[nodiscard]] Result<void> loadStateDict(const std::map<std::string, double>& state);

private:
    struct OptimizerState {
        const Optimizer* optimizer = nullptr;
        Stage stage = Stage::Ready;
        bool recorded = false; ///< foundInf holds this iteration's answer
        at::Tensor foundInf;
    };

    void createTensors(const at::Tensor& like);
    OptimizerState& stateOf(const Optimizer& optimizer);
    const OptimizerState* findState(const Optimizer& optimizer) const;
    [[nodiscard]] Result<void> check(
        Optimizer& optimizer, OptimizerState& state, bool unscale, bool allowFp16);
    [[nodiscard]] Result<StepOutcome> stepOnHost(Optimizer& optimizer, OptimizerState& state);
    [[nodiscard]] Result<StepOutcome> stepOnDevice(Optimizer& optimizer, OptimizerState& state);
    at::Tensor combinedFoundInf() const;
    const at::Tensor& inverseScale();
    void bound();
    void endIteration();

    ScalerConfig m_config;
    bool m_enabled;
    Decision m_decision;
    double m_initScale; ///< until the tensors exist
    std::int32_t m_initTracker = 0;
    at::Tensor m_scale;
    at::Tensor m_tracker;
    at::Tensor m_inverse;
    std::vector<OptimizerState> m_states;
};

} // namespace mantissa
