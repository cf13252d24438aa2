// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model.h"

#include <ATen/ATen.h>

namespace mantissa {

Model::~Model() = default;

std::vector<at::Tensor> Model::tensors() const
{
    std::vector<at::Tensor> tensors;
    for (const auto& parameter : m_parameters)
        tensors.push_back(parameter.tensor);
    return tensors;
}

std::int64_t Model::parameterCount() const
{
    std::int64_t count = 0;
    for (const auto& parameter : m_parameters)
        count += parameter.tensor.numel();
    return count;
}

void Model::moveTo(at::Device device, bool channelsLast)
{
    for (auto& parameter : m_parameters) {
        auto moved = parameter.tensor.detach().to(device);
        if (channelsLast && moved.dim() == 4)
            moved = moved.contiguous(at::MemoryFormat::ChannelsLast);
        parameter.tensor.set_data(moved);
    }
}

void Model::add(std::string name, const at::Tensor& weight, const at::Tensor& bias)
{
    m_parameters.push_back({name + ".weight", weight});
    m_parameters.push_back({std::move(name) + ".bias", bias});
}

std::unique_ptr<Model> makeModel(const ModelConfig& config, const ImageTask& task)
{
    if (config.kind == ModelKind::Cnn)
        return makeCnn(config.width, task);
    return makeMlp(config.hidden, task);
}

} // namespace mantissa
