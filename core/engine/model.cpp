// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model.h"

#include <ATen/ATen.h>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

Model::Model(std::unique_ptr<Module> root, TargetKind target)
    : m_root(std::move(root))
    , m_target(target)
    , m_parameters(m_root->parameters())
{
}

at::Tensor Model::loss(const at::Tensor& prediction, const at::Tensor& target) const
{
    switch (m_target) {
    case TargetKind::Class:
        break;
    case TargetKind::NextToken:
        return at::cross_entropy_loss(prediction.flatten(0, 1), target.flatten());
    case TargetKind::Value:
        return at::mse_loss(prediction.squeeze(1), target);
    }
    return at::cross_entropy_loss(prediction, target);
}

std::string_view Model::metric() const
{
    return m_target == TargetKind::Value ? "rmse" : "accuracy";
}

at::Tensor Model::score(const at::Tensor& prediction, const at::Tensor& target) const
{
    if (m_target == TargetKind::Value)
        return (prediction.squeeze(1).to(at::kDouble) - target).square().sum();
    return prediction.argmax(-1).eq(target).sum().to(at::kDouble);
}

double Model::metricOf(double score, std::int64_t answers) const
{
    const double mean = score / static_cast<double>(answers);
    return m_target == TargetKind::Value ? std::sqrt(mean) : mean;
}

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

std::optional<std::string> misfit(ModelKind kind, const DataShape& shape)
{
    if (kind == ModelKind::Mlp)
        return shape.isText() ? std::optional<std::string>(
                   "model.kind = \"mlp\" needs images or tables of numbers; this data is text")
                              : std::nullopt;
    if (!shape.isImages())
        return fmt::format("model.kind = \"cnn\" needs images; this data is {}",
            shape.isText() ? "text" : "a table of numbers");
    if (shape.height < 4 || shape.width < 4)
        return fmt::format("model.kind = \"cnn\" needs images of at least 4 x 4 pixels; these are "
                           "{} x {}",
            shape.height, shape.width);
    return std::nullopt;
}

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const DataShape& shape)
{
    if (auto why = misfit(config.kind, shape))
        return fail(std::move(*why));
    auto root = config.kind == ModelKind::Cnn ? makeCnn(config.width, shape)
                                              : makeMlp(config.hidden, shape);
    return std::make_unique<Model>(std::move(root), shape.target);
}

} // namespace mantissa
