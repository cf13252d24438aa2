// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/numerics/loss_scale_policy.h"

#include <ATen/core/Tensor.h>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace mantissa {

class Optimizer;
struct NamedTensor;

/// What step() did with the optimizer.
enum class StepOutcome {
    Stepped, ///< no inf or NaN was found, or the scaler is disabled
    Skipped, ///< an inf or NaN was found
    FoundInfDecides, ///< the device decides, unread by the host: see GradScaler::foundInf()
};

/// torch.amp.GradScaler: scales the loss so that small gradients survive a narrow format, skips
/// steps whose gradients overflowed and adapts the scale. One thread. The manual's page is
/// resources/docs/grad-scaler.md.
///
///     auto loss = scaler.scale(model.forward(images));
///     loss.backward();
///     scaler.unscale(optimizer);    // only to look at or clip the gradients
///     scaler.step(optimizer);
///     scaler.update();              // once, after every optimizer's step
///
/// Each optimizer goes READY -> (UNSCALED) -> STEPPED and back at update(); a call out of order is
/// an Error in words. Whether to step is each optimizer's own matter, the scale is everybody's.
/// Scale and tracker live on the device of the first scaled tensor; policies static and pytorch run
/// there by ATen's own kernels, the others read found_inf once in update().
/// Differences to PyTorch: policies, floor and ceiling; step() says what it did; a new growth
/// interval resets the tracker; an optimizer without gradients is an error on the fused path too,
/// and so is a scale that has fallen so far that its reciprocal is infinite (on the CPU).
class GradScaler {
public:
    /// Whether the host reads found_inf before a step, or hands it to the optimizer's kernel.
    enum class Decision {
        Auto, ///< Device on CUDA, Host elsewhere
        Host, ///< one read per step, optimizer and device
        Device, ///< none: the fused path; the optimizer's parameters lie on one device
    };
    enum class Stage { Ready, Unscaled, Stepped };

    explicit GradScaler(
        const ScalerConfig& config, bool enabled = true, Decision decision = Decision::Auto);
    ~GradScaler();
    GradScaler(const GradScaler&) = delete;
    GradScaler& operator=(const GradScaler&) = delete;

    bool isEnabled() const { return m_enabled; }
    const ScalerConfig& config() const { return m_policy.config(); }
    /// Whether update() reads found_inf from the device: every policy but static and pytorch.
    bool readsFoundInf() const;
    /// Messages call parameters by these names instead of numbers.
    void nameParameters(const std::vector<NamedTensor>& parameters);

    /// `output` times the scale, on its own device; the same tensor if disabled.
    at::Tensor scale(const at::Tensor& output);
    std::vector<at::Tensor> scale(const std::vector<at::Tensor>& outputs);
    /// Divides the optimizer's gradients by the scale, in place, and records found_inf. Sparse
    /// gradients too; half-precision sparse ones are coalesced first.
    [[nodiscard]] Result<void> unscale(Optimizer& optimizer);
    [[nodiscard]] Result<StepOutcome> step(Optimizer& optimizer);
    /// A closure would compute the loss anew after the gradients were checked: not possible.
    template <typename Closure> Result<StepOutcome> step(Optimizer&, Closure&&) = delete;
    /// Ends the iteration: adapts the scale to what was found in all optimizers.
    [[nodiscard]] Result<void> update();
    /// Ends the iteration with a scale of the caller's; the tracker stays.
    [[nodiscard]] Result<void> update(double newScale);
    /// The same; one fp32 number without requires_grad, on any device.
    [[nodiscard]] Result<void> update(const at::Tensor& newScale);

    /// Changes live settings, all or none: in force from the next update() on, "scale" from now on.
    /// Call between update() and the next scale().
    [[nodiscard]] tl::expected<std::vector<AppliedSetting>, SettingRefusal> set(
        std::span<const SettingChange> changes);
    /// Why training cannot go on after the last update(); empty if it can.
    std::string exhaustion() const { return m_policy.exhaustion(); }

    /// One device read each; 1 and 0 if disabled.
    double scaleValue() const;
    std::int64_t growthTracker() const;

    /// 0-dim tensors on the device; undefined before the first scale().
    const at::Tensor& scaleTensor() const { return m_scale; }
    const at::Tensor& trackerTensor() const { return m_tracker; }
    /// The optimizer's found_inf of this iteration (fp32, 0 or 1); undefined if none was recorded.
    at::Tensor foundInf(const Optimizer& optimizer) const;
    Stage stage(const Optimizer& optimizer) const;

    /// PyTorch's five keys (scale, growth_factor, backoff_factor, growth_interval,
    /// _growth_tracker), then ours: the policy's settings and counters. Empty if disabled. Take it
    /// after update(). PyTorch's load_state_dict() takes it as it is.
    std::map<std::string, double> stateDict() const;
    /// At any time, before the first scale() or after. A dict of PyTorch's five keys will do: the
    /// rest then stays as configured, counters begin anew. Unchanged on an Error.
    [[nodiscard]] Result<void> loadStateDict(const std::map<std::string, double>& state);

private:
    struct FoundInf {
        at::Device device;
        at::Tensor value;
    };
    struct OptimizerState {
        const Optimizer* optimizer = nullptr;
        Stage stage = Stage::Ready;
        std::vector<FoundInf> found; ///< one a device; kept from iteration to iteration
        bool recorded = false; ///< `found` holds this iteration's answer
    };
    enum class Check { Unscale, LookOnly, LookAgain };

    void createTensors(const at::Tensor& like);
    void writeTensors();
    void readTensors();
    OptimizerState& stateOf(const Optimizer& optimizer);
    const OptimizerState* findState(const Optimizer& optimizer) const;
    [[nodiscard]] Result<void> check(Optimizer& optimizer, OptimizerState& state, Check purpose);
    [[nodiscard]] Result<std::vector<at::Tensor>> gradientsOf(Optimizer& optimizer, Check purpose);
    [[nodiscard]] Result<void> checkScale(Check purpose) const;
    void checkOnDevice(const std::vector<at::Tensor>& gradients, OptimizerState& state,
        at::Device device, Check purpose);
    at::Tensor factorFor(at::Device device, Check purpose);
    [[nodiscard]] Result<StepOutcome> stepOnHost(Optimizer& optimizer, OptimizerState& state);
    [[nodiscard]] Result<StepOutcome> stepOnDevice(Optimizer& optimizer, OptimizerState& state);
    [[nodiscard]] Result<void> checkBeforeStep(
        Optimizer& optimizer, OptimizerState& state, Check first);
    std::vector<at::Tensor> allFoundInfs() const;
    void bound();
    void endIteration();
    std::string nameOf(const at::Tensor& parameter, std::size_t index) const;
    std::string whyNoGradient(const Optimizer& optimizer) const;
    std::string fp16Message(const Optimizer& optimizer) const;

    LossScalePolicy
        m_policy; ///< its state is in force until the tensors exist and where it decides
    bool m_enabled;
    Decision m_decision;
    at::Tensor m_scale;
    at::Tensor m_tracker;
    at::Tensor m_inverse;
    at::Tensor m_one;
    std::vector<OptimizerState> m_states;
    std::map<const void*, std::string> m_names; ///< by TensorImpl
};

/// found_infs of several devices as one on `device`, 0 or 1: the fused kernels skip at exactly 1
/// only, so that a sum of 2 would be taken for a clean step.
at::Tensor combineFoundInf(const std::vector<at::Tensor>& found, at::Device device);

} // namespace mantissa
