// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/train_step.h"

namespace mantissa {

class Model;

/// The step of a model with a loss and one optimizer: zero_grad, per micro-batch an autocast region
/// (forward and loss) and backward, then unscale, norm, clip, step, update.
class SupervisedStep : public TrainStep {
public:
    SupervisedStep(
        const Options& options, const Model& model, Optimizer& optimizer, GradScaler& scaler);

    [[nodiscard]] Result<StepTensors> run(const std::vector<Batch>& batches) override;
    Evaluated evaluate(const Batch& batch) override;
    std::optional<FirstStepFacts> takeFacts() override;
    NonFiniteFinding locate(const TroubledStep& troubled) override;

private:
    Evaluated forward(const Batch& batch, bool autocast = true) const;
    at::Tensor accumulate(const std::vector<Batch>& batches);
    void noteFacts(StepOutcome outcome);

    const Model& m_model;
    Optimizer& m_optimizer;
    GradScaler& m_scaler;
    std::optional<FirstStepFacts> m_facts;
    bool m_factsWanted = true;
    at::Tensor m_weightBefore;
};

} // namespace mantissa
