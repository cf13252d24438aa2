// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"
#include "core/engine/cuda_plugin.h"
#include "core/engine/step_record.h"
#include "core/hardware/model_check.h"
#include "core/run/run_event.h"
#include "core/stats/step_profile.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace c10 {
struct Device;
}

namespace mantissa {

struct ValidationResult {
    double metric = 0; ///< Model::metric(): accuracy (0 to 1) or rmse
    double loss = 0; ///< mean over the validation samples
    std::int64_t rows = 0; ///< samples looked at; of dcgan as many generated ones too
    std::int64_t nonFiniteRows = 0; ///< of them with an output that is not finite
};

/// A parameter's values, copied out.
struct WeightValues {
    std::string name; ///< as in Python, e.g. "fc1.weight"
    std::vector<std::int64_t> sizes;
    std::vector<float> values;
};

/// Bytes by what they are for. Workspace is not known here: what the peak has beyond the rest.
struct MemoryBreakdown {
    MemoryRoles predicted; ///< from sizes, types and a pass of an eighth of the batch
    MemoryRoles measured; ///< counted, and by passes of the whole micro-batch
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
        std::filesystem::path resumeFrom; ///< checkpoint to go on from; empty = from the start
    };
    using TimePoint = std::chrono::steady_clock::time_point;
    struct ProfileOptions {
        std::int64_t steps = kMostProfiledSteps; ///< in the window, 1 to kMostProfiledSteps
        std::filesystem::path trace; ///< where a Chrome trace goes; empty = nowhere
    };

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
    /// The scaler's settings in force, live changes included.
    const ScalerConfig& scalerConfig() const;
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
    /// Live scaler settings, all or none. Between two steps.
    [[nodiscard]] tl::expected<std::vector<AppliedSetting>, SettingRefusal> set(
        const std::vector<SettingChange>& changes);

    /// Trains some steps to warm up, times some, then looks at up to `steps` more under LibTorch's
    /// profiler, fewer if they take over 10 s. All of them train the model, and none gets into
    /// collect(): the trainer is one for this question alone.
    [[nodiscard]] Result<StepProfile> profile(const ProfileOptions& options);

    /// What happened since the last call beside the steps themselves: the first non-finite tensor
    /// of a step that went wrong, alerts, findings of the check before the first step.
    std::vector<LifecycleEvent> takeEvents();
    /// Between two steps, all of them collected: everything the next step depends on, to a file
    /// that Options::resumeFrom takes. `skipped` are the steps skipped so far.
    [[nodiscard]] Result<void> writeCheckpoint(
        const std::filesystem::path& file, std::int64_t skipped);
    /// What may keep a resumed run from giving the same numbers, in sentences.
    const std::vector<std::string>& resumeWarnings() const;
    /// Parameters and buffers as safetensors, under Python's names.
    [[nodiscard]] Result<void> saveWeights(const std::filesystem::path& file);

    /// Once, after the first applied step: {"parameter_dtype", ..., "weight_changed"}, and under
    /// "mismatches" what does not fit the precision.
    std::optional<nlohmann::json> takeFirstStepFacts();

    /// All parameters as they are now, in the order of creation.
    std::vector<WeightValues> weights() const;

    /// After at least one step, for a Trainer that is not used further: forward passes change
    /// running statistics. Of a model with two optimizers without cast cache and activations.
    [[nodiscard]] Result<MemoryBreakdown> memoryByRole();
    std::int64_t trainSamples() const;
    /// What the peak will grow by after the first steps: batches made ahead. See BatchLoader.
    double bytesStillToCome() const;

    std::int64_t steps() const; ///< of a resumed run with those before
    /// Wall time of the steps and their data, in seconds.
    double trainSeconds() const;

private:
    class Private;
    explicit Trainer(std::unique_ptr<Private> d);
    static Result<std::unique_ptr<Private>> resumed(const Variant& variant,
        const CudaPlugin& plugin, c10::Device device, TimePoint start, const Options& options);
    std::unique_ptr<Private> m_d;
};

/// What LibTorch and this machine are, for the worker's hello: versions, CPU capability, plug-in.
nlohmann::json engineEnvironment(const CudaPlugin& plugin);

} // namespace mantissa
