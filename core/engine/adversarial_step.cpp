// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/adversarial_step.h"

#include "core/engine/autocast_guard.h"
#include "core/engine/non_finite_locator.h"
#include "core/engine/optimizer.h"
#include "core/engine/precision_setup.h"
#include "core/engine/tensor_value.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <utility>

namespace mantissa {

namespace {

at::Tensor lossFor(const at::Tensor& logits, bool real)
{
    return at::binary_cross_entropy_with_logits(
        logits, real ? at::ones_like(logits) : at::zeros_like(logits));
}

/// Of two 0-dim tensors that may be undefined.
at::Tensor larger(const at::Tensor& one, const at::Tensor& other)
{
    if (!one.defined() || !other.defined())
        return one.defined() ? one : other;
    return at::maximum(one, other);
}

StepOutcome both(StepOutcome one, StepOutcome other)
{
    if (one == StepOutcome::Skipped || other == StepOutcome::Skipped)
        return StepOutcome::Skipped;
    return one == StepOutcome::FoundInfDecides ? one : other;
}

} // namespace

AdversarialStep::AdversarialStep(const Options& options, Dcgan& model, const Player& discriminator,
    const Player& generator, std::uint64_t seed)
    : TrainStep(options)
    , m_model(model)
    , m_discriminator(discriminator)
    , m_generator(generator)
    , m_seed(seed)
{
}

AdversarialStep::Evaluated AdversarialStep::judge(
    const at::Tensor& real, const at::Tensor& noise, bool forDiscriminator, bool autocast)
{
    std::optional<AutocastGuard> region;
    if (autocast)
        enter(region);
    auto& discriminator = m_model.discriminator();
    if (!forDiscriminator) {
        auto logits = discriminator(m_model.generator()(noise));
        auto loss = lossFor(logits, true);
        return {std::move(logits), std::move(loss)};
    }
    const auto ofReal = discriminator(real);
    const auto ofGenerated = discriminator(generate(noise));
    auto loss = lossFor(ofReal, true) + lossFor(ofGenerated, false);
    return {at::cat({ofReal, ofGenerated}), std::move(loss)};
}

at::Tensor AdversarialStep::generate(const at::Tensor& noise)
{
    const at::NoGradGuard noGrad;
    return m_model.generator()(noise);
}

Result<StepTensors> AdversarialStep::play(
    const std::vector<Batch>& batches, const Player& player, bool isDiscriminator, Played& played)
{
    player.optimizer->zeroGrad();
    played.noise.clear();
    // Where both have one scaler, the step's record has its scale.
    if (m_generator.scaler != m_discriminator.scaler && player.scaler->scaleTensor().defined())
        played.scale = player.scaler->scaleTensor().clone();
    StepTensors step;
    for (const auto& batch : batches) {
        const auto noise = m_model.noise(batch.input.size(0), batch.input.device());
        played.noise.push_back(noise);
        auto [prediction, loss, score] = judge(batch.input, noise, isDiscriminator);
        if (batches.size() > 1)
            loss = loss / static_cast<double>(batches.size());
        if (m_factsWanted && isDiscriminator) {
            m_facts->predictionType = c10::toString(prediction.scalar_type());
            m_facts->lossType = c10::toString(loss.scalar_type());
        }
        step.loss = step.loss.defined() ? step.loss + loss.detach() : loss.detach();
        player.scaler->scale(loss).backward();
    }
    auto norm = treatGradients(*player.scaler, *player.optimizer);
    if (!norm)
        return tl::unexpected(norm.error());
    step.gradNorm = std::move(*norm);
    played.troubled = looksBad(step.loss, step.gradNorm);
    const auto outcome = player.scaler->step(*player.optimizer);
    if (!outcome)
        return tl::unexpected(outcome.error());
    step.outcome = *outcome;
    step.foundInf = player.scaler->foundInf(*player.optimizer);
    played.outcome = *outcome;
    return step;
}

Result<StepTensors> AdversarialStep::run(const std::vector<Batch>& batches)
{
    beginFacts();
    auto first = play(batches, m_discriminator, true, m_discriminatorPlayed);
    if (!first)
        return first;
    if (m_factsWanted)
        noteFacts(*first);
    auto second = play(batches, m_generator, false, m_generatorPlayed);
    if (!second)
        return second;
    StepTensors step;
    step.loss = first->loss + second->loss;
    if (first->gradNorm.defined())
        step.gradNorm = at::hypot(first->gradNorm, second->gradNorm);
    // A scaler may clear its own at update().
    step.foundInf = larger(first->foundInf, second->foundInf);
    step.outcome = both(first->outcome, second->outcome);
    if (auto ended = endStep(); !ended)
        return tl::unexpected(ended.error());
    return step;
}

Result<void> AdversarialStep::endStep()
{
    auto updated = m_discriminator.scaler->update();
    if (updated && m_generator.scaler != m_discriminator.scaler)
        updated = m_generator.scaler->update();
    return updated;
}

AdversarialStep::Evaluated AdversarialStep::evaluate(const Batch& batch)
{
    const at::NoGradGuard noGrad;
    const EvaluationMode mode(m_model);
    // A generator of its own: looking at the model must not change the training's noise.
    const auto noise = m_model.noise(batch.input.size(0), batch.input.device(),
        at::make_generator<at::CPUGeneratorImpl>(m_seed));
    auto result = judge(batch.input, noise, true);
    result.score = scoreOf(result.prediction);
    return result;
}

/// The first half of the logits is of real images, the second of generated ones.
BatchScore AdversarialStep::scoreOf(const at::Tensor& logits)
{
    const auto finite = at::isfinite(logits);
    const auto halves = logits.gt(0).chunk(2);
    const auto right = at::cat({halves[0], halves[1].logical_not()}).logical_and(finite);
    const auto count = logits.size(0);
    return {right.sum().to(at::kDouble), count, finite.logical_not().sum(), count};
}

void AdversarialStep::beginFacts()
{
    if (!m_factsWanted)
        return;
    const auto& weight = m_discriminator.optimizer->parameters().front();
    m_facts = FirstStepFacts{};
    m_facts->parameterType = c10::toString(weight.scalar_type());
    m_weightBefore = weight.detach().clone();
}

void AdversarialStep::noteFacts(const StepTensors& step)
{
    const bool applied = step.outcome == StepOutcome::Stepped
        || (step.outcome == StepOutcome::FoundInfDecides && floatValue(step.foundInf) == 0);
    if (!applied)
        return;
    const auto& weight = m_discriminator.optimizer->parameters().front();
    m_factsWanted = false;
    m_facts->gradientType = c10::toString(weight.grad().scalar_type());
    m_facts->weightChanged = !at::equal(weight.detach(), m_weightBefore);
    m_weightBefore.reset();
}

std::optional<FirstStepFacts> AdversarialStep::takeFacts()
{
    if (m_factsWanted)
        return std::nullopt;
    return std::exchange(m_facts, std::nullopt);
}

NonFiniteFinding AdversarialStep::locate(const TroubledStep& troubled)
{
    // Where only the device knows, either may have been.
    const auto maybe = [&](const Played& played) {
        return troubled.stepsSince > 0 || played.outcome != StepOutcome::Stepped || played.troubled;
    };
    NonFiniteFinding finding;
    if (maybe(m_discriminatorPlayed))
        finding = replay(troubled, true);
    if (!finding.first && maybe(m_generatorPlayed))
        finding = replay(troubled, false);
    return finding;
}

NonFiniteFinding AdversarialStep::replay(const TroubledStep& troubled, bool ofDiscriminator)
{
    const auto& batches = troubled.batches;
    const auto& played = ofDiscriminator ? m_discriminatorPlayed : m_generatorPlayed;
    Replay replay;
    replay.root = &m_model;
    replay.microBatches = static_cast<std::int64_t>(batches.size());
    replay.scale = troubled.stepsSince == 0 && played.scale.defined() ? floatValue(played.scale)
                                                                      : troubled.scale;
    replay.lowType = autocastType(options().precision);
    replay.loss = [&](std::int64_t index, bool low) {
        const auto at = static_cast<std::size_t>(index);
        const auto& real = batches[at].input;
        const auto noise = troubled.stepsSince == 0 ? played.noise[at]
                                                    : m_model.noise(real.size(0), real.device());
        const auto loss = judge(real, noise, ofDiscriminator, low).loss;
        return batches.size() > 1 ? loss / static_cast<double>(batches.size()) : loss;
    };
    return locateNonFinite(replay);
}

} // namespace mantissa
