// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"
#include "core/engine/batch_score.h"
#include "core/engine/data_shape.h"
#include "core/engine/module.h"

#include <string_view>

namespace mantissa {

/// A network, its loss and its metric. One thread.
class Model {
public:
    Model(std::unique_ptr<Module> root, TargetKind target);

    Module& root() const { return *m_root; }
    /// Logits (N x classes; N x sequence x vocabulary) or values (N x 1).
    at::Tensor operator()(const at::Tensor& input) const { return (*m_root)(input); }
    /// Mean over the batch, in fp32 also under autocast.
    at::Tensor loss(const at::Tensor& prediction, const at::Tensor& target) const;

    /// "accuracy" (share of right answers) or "rmse".
    std::string_view metric() const;
    /// An answer whose outputs are not finite is wrong: argmax would take a NaN for the largest. A
    /// squared error of one is what it is.
    BatchScore score(const at::Tensor& prediction, const at::Tensor& target) const;
    /// The metric from the sum of the scores over `answers` targets.
    double metricOf(double score, std::int64_t answers) const;

    /// See Module::parameters().
    const std::vector<NamedTensor>& parameters() const { return m_parameters; }
    std::vector<at::Tensor> tensors() const;
    std::int64_t parameterCount() const;

private:
    std::unique_ptr<Module> m_root;
    TargetKind m_target;
    std::vector<NamedTensor> m_parameters;
};

/// Why a model of this kind cannot learn from such data, in words; nothing if it can.
std::optional<std::string> misfit(const ModelConfig& config, const DataShape& shape);

/// Weights come from the default generator: seed it first. An Error is a misfit().
[[nodiscard]] Result<std::unique_ptr<Model>> makeModel(
    const ModelConfig& config, const DataShape& shape);

} // namespace mantissa
