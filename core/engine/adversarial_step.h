// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/dcgan.h"
#include "core/engine/train_step.h"

namespace mantissa {

/// A step of a GAN: first the discriminator learns to tell the batches' images from as many
/// generated ones, then the generator, from new noise, to be taken for real. Each has an optimizer;
/// both may share a scaler, which then adapts once, at the end, to what it found in both.
///
/// An optimizer whose gradients overflowed is skipped on its own; the step counts as skipped if
/// either was. Recorded are the sum of both losses and the norm of both networks' gradients.
/// The metric is the share of images that the discriminator judges rightly: near 0.5 it cannot tell
/// them apart. One whose logit is not finite is judged wrongly, real or generated.
class AdversarialStep : public TrainStep {
public:
    /// One side of the contest.
    struct Player {
        Optimizer* optimizer = nullptr;
        GradScaler* scaler = nullptr;
    };

    /// `seed`: of the noise from which evaluate() makes its images, the same at every call.
    AdversarialStep(const Options& options, Dcgan& model, const Player& discriminator,
        const Player& generator, std::uint64_t seed);

    [[nodiscard]] Result<StepTensors> run(const std::vector<Batch>& batches) override;
    Evaluated evaluate(const Batch& batch) override;
    std::optional<FirstStepFacts> takeFacts() override;
    /// Of the discriminator's part if that went wrong, else of the generator's. Of the last step
    /// the noise is the same; where the generator has learnt in it, the images are those of now.
    NonFiniteFinding locate(const TroubledStep& troubled) override;

private:
    /// What a part of the last step was made with.
    struct Played {
        std::vector<at::Tensor> noise; ///< per micro-batch
        at::Tensor scale;
        StepOutcome outcome = StepOutcome::Stepped;
        bool troubled = false; ///< not skipped, but not finite either
    };

    Evaluated judge(const at::Tensor& real, const at::Tensor& noise, bool forDiscriminator,
        bool autocast = true);
    NonFiniteFinding replay(const TroubledStep& troubled, bool ofDiscriminator);
    static BatchScore scoreOf(const at::Tensor& logits);
    at::Tensor generate(const at::Tensor& noise);
    [[nodiscard]] Result<StepTensors> play(const std::vector<Batch>& batches, const Player& player,
        bool isDiscriminator, Played& played);
    [[nodiscard]] Result<void> endStep();
    void beginFacts();
    void noteFacts(const StepTensors& step);

    Dcgan& m_model;
    Player m_discriminator;
    Player m_generator;
    std::uint64_t m_seed;
    std::optional<FirstStepFacts> m_facts;
    bool m_factsWanted = true;
    at::Tensor m_weightBefore;
    Played m_discriminatorPlayed;
    Played m_generatorPlayed;
};

} // namespace mantissa
