// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"
#include "core/engine/cuda_plugin.h"
#include "core/engine/step_record.h"
#include "core/run/run_event.h"

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mantissa {

struct ValidationResult {
    double accuracy = 0; ///< share of right answers, 0 to 1
    double loss = 0; ///< mean over the validation images
};

/// A parameter's values, copied out.
struct WeightValues {
    std::string name; ///< as in Python, e.g. "fc1.weight"
    std::vector<std::int64_t> sizes;
    std::vector<float> values;
};

/// Why a run cannot begin.
struct StartFailure {
    RunState state = RunState::Failed; ///< Refused (not possible here) or Failed
    std::string reason;
};

/// A variant in training: data, model, optimizer, scaler and telemetry. No torch type is seen from
/// outside. Create it and use it on one thread, the training thread; nothing here throws.
///
///     auto trainer = Trainer::create(variant, plugin, start);
///     (*trainer)->step();
///     (*trainer)->collect(false, records);
class Trainer {
public:
    struct Options {
        bool gradNorm = true; ///< a gradient norm at every step
        bool probe = true; ///< time the formats first
    };
    using TimePoint = std::chrono::steady_clock::time_point;

    /// Loads the data, builds the model from the seed and times the formats.
    /// `start` is the zero of time_s.
    [[nodiscard]] static tl::expected<std::unique_ptr<Trainer>, StartFailure> create(
        const Variant& variant, const CudaPlugin& plugin, TimePoint start, const Options& options);
    ~Trainer();
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// Every setting in force, the data, the model, the formats' classes.
    const nlohmann::json& environment() const;
    bool usesScaler() const;
    bool usesCuda() const;
    /// Steps of the learning-rate schedule.
    std::int64_t scheduledSteps() const;

    /// Trains one step: scheduled, whether it will be applied or skipped.
    [[nodiscard]] Result<void> step();
    /// Appends the records of finished steps, in order; with `wait`, of all steps.
    [[nodiscard]] Result<void> collect(bool wait, std::vector<StepRecord>& records);
    /// Nothing if `cancelled` (asked before each batch) said so.
    [[nodiscard]] Result<std::optional<ValidationResult>> validate(
        const std::function<bool()>& cancelled);
    /// A live scaler setting; returns the old value. Between two steps.
    [[nodiscard]] Result<double> set(const std::string& key, double value);

    /// Once, after the first applied step: {"parameter_dtype", ..., "weight_changed"}, and under
    /// "mismatches" what does not fit the precision.
    std::optional<nlohmann::json> takeFirstStepFacts();

    /// All parameters as they are now, in the order of creation.
    std::vector<WeightValues> weights() const;

    std::int64_t steps() const;
    /// Wall time of the steps and their data, in seconds.
    double trainSeconds() const;

private:
    class Private;
    explicit Trainer(std::unique_ptr<Private> d);
    std::unique_ptr<Private> m_d;
};

/// What LibTorch and this machine are, for the worker's hello: versions, CPU capability, plug-in.
nlohmann::json engineEnvironment(const CudaPlugin& plugin);

} // namespace mantissa
