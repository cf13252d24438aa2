// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/optimizer.h"

#include <ATen/ATen.h>

namespace mantissa {

Sgd::Sgd(std::vector<at::Tensor> parameters, const TrainConfig& config)
    : Optimizer(std::move(parameters))
    , m_momentum(config.momentum)
    , m_weightDecay(config.weightDecay)
    , m_nesterov(config.nesterov)
{
    setLearningRate(config.lr);
    if (m_momentum == 0)
        return;
    // Zeros give the same first step as a buffer taken from the first gradient (dampening is 0),
    // and stay right if that first step is skipped.
    for (const auto& parameter : this->parameters())
        m_momentumBuffers.push_back(at::zeros_like(parameter.detach()));
}

Sgd::~Sgd() = default;

std::vector<NamedTensor> Sgd::state() const
{
    std::vector<NamedTensor> state;
    addState(state, "momentum_buffer", m_momentumBuffers);
    return state;
}

void Sgd::update(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients,
    const StepControl& control)
{
    const auto parameters = pick(this->parameters(), indices);
    const auto buffers = m_momentum == 0 ? m_momentumBuffers : pick(m_momentumBuffers, indices);
    constexpr bool kFirstStep = false;
    if (m_deviceRate)
        at::_fused_sgd_(parameters, gradients, buffers, m_weightDecay, m_momentum, *m_deviceRate, 0,
            m_nesterov, false, kFirstStep, control.gradScale, control.foundInf);
    else
        at::_fused_sgd_(parameters, gradients, buffers, m_weightDecay, m_momentum, m_rate, 0,
            m_nesterov, false, kFirstStep, control.gradScale, control.foundInf);
}

} // namespace mantissa
