// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"
#include "core/engine/batch_score.h"
#include "core/engine/batch_source.h"
#include "core/engine/grad_scaler.h"
#include "core/engine/non_finite.h"

#include <functional>
#include <optional>
#include <utility>
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

/// A step to look into: skipped, or with a loss or a gradient that is not finite.
struct TroubledStep {
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
        BatchScore score = {}; ///< only of evaluate()
    };
    /// Asked between the gradients and the update with the loss and the norm (undefined if nobody
    /// took it). Whether one of them is not finite.
    using UpdateWatch = std::function<bool(const at::Tensor& loss, const at::Tensor& gradNorm)>;

    virtual ~TrainStep();

    /// zero_grad to the end of the scaler's update.
    [[nodiscard]] virtual Result<StepTensors> run(const std::vector<Batch>& batches) = 0;
    virtual Evaluated evaluate(const Batch& batch) = 0;
    /// From the step that was applied first on; read once.
    virtual std::optional<FirstStepFacts> takeFacts() = 0;
    /// Replays a step with the weights as they are and says what was the first tensor that is not
    /// finite. Changes nothing.
    virtual NonFiniteFinding locate(const TroubledStep& troubled) = 0;
    void watchUpdates(UpdateWatch watch) { m_updateWatch = std::move(watch); }

protected:
    explicit TrainStep(const Options& options);

    const Options& options() const { return m_options; }
    /// What the UpdateWatch says; false without one.
    bool looksBad(const at::Tensor& loss, const at::Tensor& gradNorm) const
    {
        return m_updateWatch && m_updateWatch(loss, gradNorm);
    }
    /// Enters the variant's autocast region, if it has one.
    void enter(std::optional<AutocastGuard>& region) const;
    /// Unscales, takes the norm (undefined if nobody asked) and clips.
    [[nodiscard]] Result<at::Tensor> treatGradients(GradScaler& scaler, Optimizer& optimizer) const;

private:
    Options m_options;
    UpdateWatch m_updateWatch;
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
