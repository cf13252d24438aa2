// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"
#include "core/engine/batch_source.h"
#include "core/engine/grad_scaler.h"

#include <optional>
#include <vector>

namespace mantissa {

class Model;
class Optimizer;

/// What a precision made of the first applied step, as LibTorch's names of types.
struct FirstStepFacts {
    std::string parameterType;
    std::string predictionType;
    std::string lossType;
    std::string gradientType;
    bool weightChanged = false;
};

/// Tensors a step leaves on the device, unread.
struct StepTensors {
    at::Tensor loss; ///< mean over the micro-batches, unscaled
    at::Tensor gradNorm; ///< unscaled, before clipping; undefined if not asked for
    at::Tensor foundInf; ///< of this step, fp32; undefined without a scaler
    StepOutcome outcome = StepOutcome::Stepped;
};

/// One optimizer step: zero_grad, per micro-batch an autocast region (forward and loss) and
/// backward, then unscale, norm, clip, step, update. One thread.
class TrainStep {
public:
    struct Options {
        Precision precision = Precision::Fp32;
        at::DeviceType device = at::kCPU;
        bool autocastCache = true;
        double clipNorm = 0; ///< 0 = off
        bool gradNorm = true; ///< compute it also without clipping
    };

    TrainStep(const Options& options, const Model& model, Optimizer& optimizer, GradScaler& scaler);

    [[nodiscard]] Result<StepTensors> run(const std::vector<Batch>& batches);

    /// Logits and loss under the variant's autocast, without a graph.
    struct Evaluated {
        at::Tensor logits;
        at::Tensor loss;
    };
    Evaluated evaluate(const Batch& batch) const;

    /// From the step that was applied first on; read once.
    std::optional<FirstStepFacts> takeFacts();

private:
    Evaluated forward(const Batch& batch) const;
    at::Tensor accumulate(const std::vector<Batch>& batches);
    [[nodiscard]] Result<void> treatGradients(StepTensors& step);
    void noteFacts(StepOutcome outcome);

    Options m_options;
    const Model& m_model;
    Optimizer& m_optimizer;
    GradScaler& m_scaler;
    std::optional<FirstStepFacts> m_facts;
    bool m_factsWanted = true;
    at::Tensor m_weightBefore;
};

} // namespace mantissa
