// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/supervised_step.h"

#include "core/engine/autocast_guard.h"
#include "core/engine/model.h"
#include "core/engine/non_finite_locator.h"
#include "core/engine/optimizer.h"
#include "core/engine/precision_setup.h"
#include "core/engine/tensor_value.h"

#include <ATen/ATen.h>
#include <utility>

namespace mantissa {

SupervisedStep::SupervisedStep(
    const Options& options, const Model& model, Optimizer& optimizer, GradScaler& scaler)
    : TrainStep(options)
    , m_model(model)
    , m_optimizer(optimizer)
    , m_scaler(scaler)
{
}

SupervisedStep::Evaluated SupervisedStep::forward(const Batch& batch, bool autocast) const
{
    std::optional<AutocastGuard> region;
    if (autocast)
        enter(region);
    auto prediction = m_model(batch.input);
    auto loss = m_model.loss(prediction, batch.target);
    return {std::move(prediction), std::move(loss)};
}

SupervisedStep::Evaluated SupervisedStep::evaluate(const Batch& batch)
{
    const at::NoGradGuard noGrad;
    const EvaluationMode mode(m_model.root());
    auto result = forward(batch);
    result.score = m_model.score(result.prediction, batch.target);
    return result;
}

at::Tensor SupervisedStep::accumulate(const std::vector<Batch>& batches)
{
    at::Tensor sum;
    for (const auto& batch : batches) {
        auto [prediction, loss, score] = forward(batch);
        if (batches.size() > 1)
            loss = loss / static_cast<double>(batches.size());
        if (m_factsWanted) {
            m_facts =
                FirstStepFacts{c10::toString(m_model.parameters().front().tensor.scalar_type()),
                    c10::toString(prediction.scalar_type()), c10::toString(loss.scalar_type()), {},
                    false};
        }
        const auto value = loss.detach();
        sum = sum.defined() ? sum + value : value;
        m_scaler.scale(loss).backward();
    }
    return sum;
}

Result<StepTensors> SupervisedStep::run(const std::vector<Batch>& batches)
{
    m_optimizer.zeroGrad();
    if (m_factsWanted)
        m_weightBefore = m_model.parameters().front().tensor.detach().clone();
    StepTensors step;
    step.loss = accumulate(batches);
    auto norm = treatGradients(m_scaler, m_optimizer);
    if (!norm)
        return tl::unexpected(norm.error());
    step.gradNorm = std::move(*norm);
    looksBad(step.loss, step.gradNorm);
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

void SupervisedStep::noteFacts(StepOutcome outcome)
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

std::optional<FirstStepFacts> SupervisedStep::takeFacts()
{
    if (m_factsWanted)
        return std::nullopt;
    return std::exchange(m_facts, std::nullopt);
}

NonFiniteFinding SupervisedStep::locate(const TroubledStep& troubled)
{
    const auto& batches = troubled.batches;
    Replay replay;
    replay.root = &m_model.root();
    replay.microBatches = static_cast<std::int64_t>(batches.size());
    replay.scale = troubled.scale;
    replay.lowType = autocastType(options().precision);
    replay.loss = [&](std::int64_t index, bool low) {
        const auto loss = forward(batches[static_cast<std::size_t>(index)], low).loss;
        return batches.size() > 1 ? loss / static_cast<double>(batches.size()) : loss;
    };
    return locateNonFinite(replay);
}

} // namespace mantissa
