// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/optimizer.h"

#include <ATen/ATen.h>

namespace mantissa {

Optimizer::Optimizer(std::vector<at::Tensor> parameters)
    : m_parameters(std::move(parameters))
{
}

Optimizer::~Optimizer() = default;

std::vector<at::Tensor> Optimizer::gradients() const
{
    std::vector<at::Tensor> gradients;
    gradients.reserve(m_parameters.size());
    for (const auto& parameter : m_parameters) {
        if (parameter.grad().defined())
            gradients.push_back(parameter.grad());
    }
    return gradients;
}

void Optimizer::zeroGrad()
{
    for (auto& parameter : m_parameters)
        parameter.mutable_grad().reset();
}

void Optimizer::setLearningRate(double rate)
{
    m_rate = rate;
    m_deviceRate.reset();
}

void Optimizer::setLearningRate(const at::Tensor& rate)
{
    m_deviceRate = rate;
}

void Optimizer::step(const StepControl& control)
{
    const at::NoGradGuard noGrad;
    std::vector<std::size_t> indices;
    indices.reserve(m_parameters.size());
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        if (m_parameters[i].grad().defined())
            indices.push_back(i);
    }
    if (!indices.empty())
        update(indices, gradients(), control);
}

std::vector<at::Tensor> Optimizer::pick(
    const std::vector<at::Tensor>& all, const std::vector<std::size_t>& indices) const
{
    if (indices.size() == all.size())
        return all;
    std::vector<at::Tensor> some;
    for (const auto index : indices)
        some.push_back(all[index]);
    return some;
}

void Optimizer::addState(std::vector<NamedTensor>& state, const std::string& name,
    const std::vector<at::Tensor>& tensors)
{
    for (std::size_t i = 0; i < tensors.size(); ++i)
        state.push_back({name + "." + std::to_string(i), tensors[i]});
}

std::unique_ptr<Optimizer> makeOptimizer(
    const TrainConfig& config, std::vector<at::Tensor> parameters)
{
    if (config.optimizer == OptimizerKind::Sgd)
        return std::make_unique<Sgd>(std::move(parameters), config);
    if (config.optimizer == OptimizerKind::RmsProp)
        return std::make_unique<RmsProp>(std::move(parameters), config);
    return std::make_unique<AdamW>(std::move(parameters), config);
}

} // namespace mantissa
