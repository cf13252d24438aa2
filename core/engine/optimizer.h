// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/engine/module.h"

#include <ATen/core/Tensor.h>
#include <memory>
#include <optional>
#include <vector>

namespace mantissa {

/// What a step is told by a GradScaler. Both are one fp32 number on the parameters' device.
struct StepControl {
    std::optional<at::Tensor> gradScale; ///< the kernel divides the gradients by it, in place
    std::optional<at::Tensor> foundInf; ///< exactly 1 = leave parameters and state alone
};

/// An optimizer on ATen's fused kernels, for dense parameters of one device. Not shared by
/// threads. Parameters without a gradient are left alone.
class Optimizer {
public:
    explicit Optimizer(std::vector<at::Tensor> parameters);
    virtual ~Optimizer();
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;

    const std::vector<at::Tensor>& parameters() const { return m_parameters; }
    /// Whether step() obeys StepControl on the device; else the host must read found_inf first.
    virtual bool obeysStepControl() const { return true; }
    /// The gradients that exist, in the parameters' order (handles, not copies).
    std::vector<at::Tensor> gradients() const;
    /// Drops the gradients.
    void zeroGrad();

    /// In force from the next step on.
    void setLearningRate(double rate);
    /// The same as a fp32 number on the device, so that the host need not know it.
    void setLearningRate(const at::Tensor& rate);

    /// One update. A step that `control` makes the kernel skip does not count as a step of the
    /// optimizer either.
    void step(const StepControl& control = {});

    /// Everything a step depends on besides parameters, gradients and settings, as handles under
    /// names of its own ("exp_avg.3"). A checkpoint writes them; to restore one, call
    /// beforeRestore(), copy into them, call afterRestore().
    virtual std::vector<NamedTensor> state() const = 0;
    virtual void beforeRestore() { }
    virtual void afterRestore() { }

protected:
    /// `indices`: which parameters have a gradient; `gradients` belong to them, in order.
    virtual void update(const std::vector<std::size_t>& indices,
        const std::vector<at::Tensor>& gradients, const StepControl& control) = 0;

    std::vector<at::Tensor> pick(
        const std::vector<at::Tensor>& all, const std::vector<std::size_t>& indices) const;
    /// Appends `tensors` as "NAME.0", "NAME.1", ...
    static void addState(std::vector<NamedTensor>& state, const std::string& name,
        const std::vector<at::Tensor>& tensors);

    double m_rate = 0;
    std::optional<at::Tensor> m_deviceRate;

private:
    std::vector<at::Tensor> m_parameters;
};

/// SGD with momentum and Nesterov momentum as torch.optim.SGD(fused=True).
class Sgd : public Optimizer {
public:
    Sgd(std::vector<at::Tensor> parameters, const TrainConfig& config);
    ~Sgd() override;
    const std::vector<at::Tensor>& momentumBuffers() const { return m_momentumBuffers; }
    std::vector<NamedTensor> state() const override;

protected:
    void update(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients,
        const StepControl& control) override;

private:
    double m_momentum;
    double m_weightDecay;
    bool m_nesterov;
    std::vector<at::Tensor> m_momentumBuffers; ///< empty without momentum
};

/// Adam (L2 weight decay) and AdamW (decoupled) as torch.optim's with fused=True, without amsgrad.
class AdamW : public Optimizer {
public:
    AdamW(std::vector<at::Tensor> parameters, const TrainConfig& config);
    ~AdamW() override;
    const std::vector<at::Tensor>& expAvgs() const { return m_expAvgs; }
    const std::vector<at::Tensor>& expAvgSqs() const { return m_expAvgSqs; }
    /// Steps taken, per parameter (fp32 numbers; several parameters may share one tensor).
    const std::vector<at::Tensor>& stateSteps() const { return m_stateSteps; }
    std::vector<NamedTensor> state() const override;
    void beforeRestore() override;
    void afterRestore() override;

protected:
    void update(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients,
        const StepControl& control) override;

private:
    std::vector<at::Tensor> countersOf(const std::vector<std::size_t>& indices);
    void unshareSteps();

    double m_beta1;
    double m_beta2;
    double m_eps;
    double m_weightDecay;
    bool m_decoupled;
    bool m_sharedSteps = true;
    std::vector<at::Tensor> m_expAvgs;
    std::vector<at::Tensor> m_expAvgSqs;
    std::vector<at::Tensor> m_stateSteps;
};

/// RMSprop as torch.optim.RMSprop, not centred. ATen has no fused kernel for it: gradients must be
/// unscaled and found finite before.
class RmsProp : public Optimizer {
public:
    RmsProp(std::vector<at::Tensor> parameters, const TrainConfig& config);
    ~RmsProp() override;
    bool obeysStepControl() const override { return false; }
    const std::vector<at::Tensor>& squareAvgs() const { return m_squareAvgs; }
    std::vector<NamedTensor> state() const override;
    const std::vector<at::Tensor>& momentumBuffers() const { return m_momentumBuffers; }

protected:
    void update(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients,
        const StepControl& control) override;

private:
    void subtract(const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& change);

    double m_alpha;
    double m_eps;
    double m_momentum;
    double m_weightDecay;
    std::vector<at::Tensor> m_squareAvgs;
    std::vector<at::Tensor> m_momentumBuffers; ///< empty without momentum
};

std::unique_ptr<Optimizer> makeOptimizer(
    const TrainConfig& config, std::vector<at::Tensor> parameters);

} // namespace mantissa
