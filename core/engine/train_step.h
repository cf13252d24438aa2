// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"
#include "core/engine/batch_source.h"
#include "core/engine/grad_scaler.h"
#include "core/engine/non_finite.h"

#include <optional>
#include <vector>

namespace mantissa {

class AutocastGuard;
class Module;
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

/// A step to look into.
struct SkippedStep {
    const std::vector<Batch>& batches;
    double scale = 1; ///< it had
    std::int64_t stepsSince = 0; ///< made since then; the replay has the weights of now
};

/// How a kind of training makes one step out of its micro-batches. One thread.
class TrainStep {
public:
    struct Options {
        Precision precision = Precision::Fp32;
        at::DeviceType device = at::kCPU;
        bool autocastCache = true;
        double clipNorm = 0; ///< 0 = off
        bool gradNorm = true; ///< compute it also without clipping
    };
    /// Prediction and loss under the variant's autocast, in evaluation mode, without a graph.
    struct Evaluated {
        at::Tensor prediction;
        at::Tensor loss;
        at::Tensor score; ///< what the batch adds to the metric, see Model::score()
        std::int64_t answers = 0; ///< over so many targets
    };

    virtual ~TrainStep();

    /// zero_grad to the end of the scaler's update.
    [[nodiscard]] virtual Result<StepTensors> run(const std::vector<Batch>& batches) = 0;
    virtual Evaluated evaluate(const Batch& batch) = 0;
    /// From the step that was applied first on; read once.
    virtual std::optional<FirstStepFacts> takeFacts() = 0;
    /// Replays a skipped step and says what was the first tensor that is not finite. Changes
    /// nothing.
    virtual NonFiniteFinding locate(const SkippedStep& skipped) = 0;

protected:
    explicit TrainStep(const Options& options);

    const Options& options() const { return m_options; }
    /// Enters the variant's autocast region, if it has one.
    void enter(std::optional<AutocastGuard>& region) const;
    /// Unscales, takes the norm (undefined if nobody asked) and clips.
    [[nodiscard]] Result<at::Tensor> treatGradients(GradScaler& scaler, Optimizer& optimizer) const;

private:
    Options m_options;
};

/// Evaluation mode of a module and all below it, for a scope.
class EvaluationMode {
public:
    explicit EvaluationMode(Module& module);
    ~EvaluationMode();
    EvaluationMode(const EvaluationMode&) = delete;
    EvaluationMode& operator=(const EvaluationMode&) = delete;

private:
    Module& m_module;
};

} // namespace mantissa
