// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/optimizer.h"

#include <ATen/ATen.h>

namespace mantissa {

AdamW::AdamW(std::vector<at::Tensor> parameters, const TrainConfig& config)
    : Optimizer(std::move(parameters))
    , m_beta1(config.beta1)
    , m_beta2(config.beta2)
    , m_eps(config.eps)
    , m_weightDecay(config.weightDecay)
    , m_decoupled(config.optimizer == OptimizerKind::AdamW)
{
    setLearningRate(config.lr);
    at::Tensor steps;
    for (const auto& parameter : this->parameters()) {
        m_expAvgs.push_back(at::zeros_like(parameter.detach()));
        m_expAvgSqs.push_back(at::zeros_like(parameter.detach()));
        if (!steps.defined())
            steps = at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false));
        m_stateSteps.push_back(steps);
    }
}

AdamW::~AdamW() = default;

std::vector<NamedTensor> AdamW::state() const
{
    std::vector<NamedTensor> state;
    addState(state, "exp_avg", m_expAvgs);
    addState(state, "exp_avg_sq", m_expAvgSqs);
    addState(state, "step", m_stateSteps);
    return state;
}

void AdamW::unshareSteps()
{
    for (auto& steps : m_stateSteps)
        steps = steps.clone();
    m_sharedSteps = false;
}

void AdamW::beforeRestore()
{
    unshareSteps();
}

void AdamW::afterRestore()
{
    for (const auto& steps : m_stateSteps) {
        if (!at::equal(steps, m_stateSteps.front()))
            return;
    }
    // One shared counter is quicker.
    std::fill(m_stateSteps.begin(), m_stateSteps.end(), at::Tensor(m_stateSteps.front()));
    m_sharedSteps = true;
}

std::vector<at::Tensor> AdamW::countersOf(const std::vector<std::size_t>& indices)
{
    // One shared counter as long as every parameter takes every step.
    if (m_sharedSteps && indices.size() == m_stateSteps.size())
        return {m_stateSteps.front()};
    if (m_sharedSteps)
        unshareSteps();
    return pick(m_stateSteps, indices);
}

void AdamW::update(const std::vector<std::size_t>& indices,
    const std::vector<at::Tensor>& gradients, const StepControl& control)
{
    // The kernel reads the number of this very step; a step it skips is taken back afterwards.
    auto counters = countersOf(indices);
    for (auto& counter : counters)
        counter.add_(1);
    const auto parameters = pick(this->parameters(), indices);
    const auto expAvgs = pick(m_expAvgs, indices);
    const auto expAvgSqs = pick(m_expAvgSqs, indices);
    const auto steps = pick(m_stateSteps, indices);
    const auto kernel = [&](const auto& rate) {
        if (m_decoupled)
            at::_fused_adamw_(parameters, gradients, expAvgs, expAvgSqs, {}, steps, rate, m_beta1,
                m_beta2, m_weightDecay, m_eps, false, false, control.gradScale, control.foundInf);
        else
            at::_fused_adam_(parameters, gradients, expAvgs, expAvgSqs, {}, steps, rate, m_beta1,
                m_beta2, m_weightDecay, m_eps, false, false, control.gradScale, control.foundInf);
    };
    if (m_deviceRate)
        kernel(*m_deviceRate);
    else
        kernel(m_rate);
    if (control.foundInf) {
        for (auto& counter : counters)
            counter.sub_(*control.foundInf);
    }
}

} // namespace mantissa
