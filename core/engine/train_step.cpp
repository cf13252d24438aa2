// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/train_step.h"

#include "core/engine/autocast_guard.h"
#include "core/engine/clip.h"
#include "core/engine/model.h"
#include "core/engine/optimizer.h"
#include "core/engine/precision_setup.h"
#include "core/engine/tensor_value.h"

#include <ATen/ATen.h>
#include <utility>

namespace mantissa {

TrainStep::TrainStep(
    const Options& options, const Model& model, Optimizer& optimizer, GradScaler& scaler)
    : m_options(options)
    , m_model(model)
    , m_optimizer(optimizer)
    , m_scaler(scaler)
{
}

TrainStep::Evaluated TrainStep::forward(const Batch& batch) const
{
    std::optional<AutocastGuard> region;
    if (const auto type = autocastType(m_options.precision))
        region.emplace(m_options.device, *type, m_options.autocastCache);
    auto logits = m_model.forward(batch.images);
    auto loss = at::cross_entropy_loss(logits, batch.labels);
    return {std::move(logits), std::move(loss)};
}

TrainStep::Evaluated TrainStep::evaluate(const Batch& batch) const
{
    const at::NoGradGuard noGrad;
    return forward(batch);
}

at::Tensor TrainStep::accumulate(const std::vector<Batch>& batches)
{
    at::Tensor sum;
    for (const auto& batch : batches) {
        auto [logits, loss] = forward(batch);
        if (batches.size() > 1)
            loss = loss / static_cast<double>(batches.size());
        if (m_factsWanted) {
            m_facts = FirstStepFacts{
                c10::toString(m_model.parameters().front().tensor.scalar_type()),
                c10::toString(logits.scalar_type()), c10::toString(loss.scalar_type()), {}, false};
        }
        const auto value = loss.detach();
        sum = sum.defined() ? sum + value : value;
        m_scaler.scale(loss).backward();
    }
    return sum;
}

Result<StepTensors> TrainStep::run(const std::vector<Batch>& batches)
{
    m_optimizer.zeroGrad();
    if (m_factsWanted)
        m_weightBefore = m_model.parameters().front().tensor.detach().clone();
    StepTensors step;
    step.loss = accumulate(batches);
    if (auto treated = treatGradients(step); !treated)
        return tl::unexpected(treated.error());
    const auto outcome = m_scaler.step(m_optimizer);
    if (!outcome)
        return tl::unexpected(outcome.error());
    step.outcome = *outcome;
    step.foundInf = m_scaler.foundInf(m_optimizer);
    if (m_factsWanted)
        noteFacts(*outcome);
    if (auto updated = m_scaler.update(); !updated)
        return tl::unexpected(updated.error());
    return step;
}

Result<void> TrainStep::treatGradients(StepTensors& step)
{
    if (!m_options.gradNorm && m_options.clipNorm <= 0)
        return {};
    if (auto unscaled = m_scaler.unscale(m_optimizer); !unscaled)
        return unscaled;
    auto gradients = m_optimizer.gradients();
    step.gradNorm = globalNorm(gradients);
    if (m_options.clipNorm > 0)
        clipByNorm(gradients, step.gradNorm, m_options.clipNorm);
    return {};
}

void TrainStep::noteFacts(StepOutcome outcome)
{
    const auto& weight = m_model.parameters().front().tensor;
    // Before update(): found_inf is still this step's. The one read costs nothing that matters.
    const bool applied = outcome == StepOutcome::Stepped
        || (outcome == StepOutcome::FoundInfDecides
            && floatValue(m_scaler.foundInf(m_optimizer)) == 0);
    if (!applied)
        return;
    m_factsWanted = false;
    m_facts->gradientType = c10::toString(weight.grad().scalar_type());
    m_facts->weightChanged = !at::equal(weight.detach(), m_weightBefore);
    m_weightBefore.reset();
}

std::optional<FirstStepFacts> TrainStep::takeFacts()
{
    if (m_factsWanted)
        return std::nullopt;
    return std::exchange(m_facts, std::nullopt);
}

} // namespace mantissa
