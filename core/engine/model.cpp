// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model.h"

#include "core/config/config_io.h"
#include "core/engine/networks.h"

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
    // dcgan's discriminator: one logit an image, and these are real.
    if (prediction.dim() == 1)
        return at::binary_cross_entropy_with_logits(prediction, at::ones_like(prediction));
    return at::cross_entropy_loss(prediction, target);
}

std::string_view Model::metric() const
{
    return m_target == TargetKind::Value ? "rmse" : "accuracy";
}

BatchScore Model::score(const at::Tensor& prediction, const at::Tensor& target) const
{
    const auto finite = at::isfinite(prediction).all(-1); // of each answer
    BatchScore score;
    score.answers = target.numel();
    score.rows = prediction.size(0);
    score.nonFiniteRows = finite.reshape({score.rows, -1}).all(-1).logical_not().sum();
    score.sum = m_target == TargetKind::Value
        ? (prediction.squeeze(1).to(at::kDouble) - target).square().sum()
        : prediction.argmax(-1).eq(target).logical_and(finite).sum().to(at::kDouble);
    return score;
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

namespace {

std::string_view wordsFor(const DataShape& shape)
{
    return shape.isText() ? "text" : shape.isTable() ? "a table of numbers" : "images";
}

/// What the kind asks of images, in words; nothing if these will do.
std::optional<std::string> imageMisfit(const ModelConfig& config, const DataShape& shape)
{
    const auto divisible = [&shape](std::int64_t by) {
        return shape.height % by == 0 && shape.width % by == 0;
    };
    const bool small = shape.height < 4 || shape.width < 4;
    if (config.kind == ModelKind::Cnn && small)
        return "images of at least 4 x 4 pixels";
    if (config.kind == ModelKind::Vit && !divisible(config.patch))
        return fmt::format(
            "images whose height and width are multiples of model.patch = {}", config.patch);
    if (config.kind == ModelKind::Dcgan && (small || shape.height != shape.width || !divisible(4)))
        return "square images whose side is a multiple of 4 pixels";
    return std::nullopt;
}

std::unique_ptr<Module> makeNetwork(const ModelConfig& config, const DataShape& shape)
{
    switch (config.kind) {
    case ModelKind::Mlp:
        break;
    case ModelKind::Cnn:
        return makeCnn(config, shape);
    case ModelKind::Resnet18:
        return makeResnet18(config, shape);
    case ModelKind::Vit:
        return makeVit(config, shape);
    case ModelKind::Gpt:
        return makeGpt(config, shape);
    case ModelKind::Lstm:
        return makeLstm(config, shape);
    case ModelKind::Dcgan:
        return makeDcgan(config, shape);
    }
    return makeMlp(config, shape);
}

} // namespace

std::optional<std::string> misfit(const ModelConfig& config, const DataShape& shape)
{
    const auto kind = config.kind;
    const auto refuse = [&](std::string_view needs, const std::string& is) {
        return fmt::format(
            "model.kind = \"{}\" needs {}; this data is {}", toString(kind), needs, is);
    };
    const bool forText = kind == ModelKind::Gpt || kind == ModelKind::Lstm;
    if (forText && !shape.isText())
        return refuse("text", std::string(wordsFor(shape)));
    if (kind == ModelKind::Mlp && shape.isText())
        return refuse("images or a table of numbers", "text");
    if (forText || kind == ModelKind::Mlp)
        return std::nullopt;
    if (!shape.isImages())
        return refuse("images", std::string(wordsFor(shape)));
    if (const auto needs = imageMisfit(config, shape))
        return refuse(*needs, fmt::format("images of {} x {} pixels", shape.height, shape.width));
    return std::nullopt;
}

Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, const DataShape& shape)
{
    if (auto why = misfit(config, shape))
        return fail(std::move(*why));
    return std::make_unique<Model>(makeNetwork(config, shape), shape.target);
}

} // namespace mantissa
