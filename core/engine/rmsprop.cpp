// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/optimizer.h"

#include <ATen/ATen.h>

namespace mantissa {

RmsProp::RmsProp(std::vector<at::Tensor> parameters, const TrainConfig& config)
    : Optimizer(std::move(parameters))
    , m_alpha(config.alpha)
    , m_eps(config.eps)
    , m_momentum(config.momentum)
    , m_weightDecay(config.weightDecay)
{
    setLearningRate(config.lr);
    for (const auto& parameter : this->parameters()) {
        m_squareAvgs.push_back(at::zeros_like(parameter.detach()));
        if (m_momentum > 0)
            m_momentumBuffers.push_back(at::zeros_like(parameter.detach()));
    }
}

RmsProp::~RmsProp() = default;

std::vector<NamedTensor> RmsProp::state() const
{
    std::vector<NamedTensor> state;
    addState(state, "square_avg", m_squareAvgs);
    addState(state, "momentum_buffer", m_momentumBuffers);
    return state;
}

void RmsProp::update(const std::vector<std::size_t>& indices,
    const std::vector<at::Tensor>& rawGradients, const StepControl&)
{
    const auto parameters = pick(this->parameters(), indices);
    const auto squares = pick(m_squareAvgs, indices);
    const auto gradients = m_weightDecay == 0
        ? rawGradients
        : at::_foreach_add(rawGradients, parameters, m_weightDecay);
    at::_foreach_mul_(squares, m_alpha);
    at::_foreach_addcmul_(squares, gradients, gradients, 1 - m_alpha);
    const auto roots = at::_foreach_sqrt(squares);
    at::_foreach_add_(roots, m_eps);
    if (m_momentum == 0) {
        subtract(parameters, at::_foreach_div(gradients, roots));
        return;
    }
    const auto buffers = pick(m_momentumBuffers, indices);
    at::_foreach_mul_(buffers, m_momentum);
    at::_foreach_addcdiv_(buffers, gradients, roots, 1);
    subtract(parameters, buffers);
}

void RmsProp::subtract(
    const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& change)
{
    if (m_deviceRate)
        at::_foreach_sub_(parameters, at::_foreach_mul(change, *m_deviceRate));
    else
        at::_foreach_add_(parameters, change, -m_rate);
}

} // namespace mantissa
