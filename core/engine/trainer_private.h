// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/adversarial_step.h"
#include "core/engine/batch_loader.h"
#include "core/engine/buffer_guard.h"
#include "core/engine/device_schedule.h"
#include "core/engine/device_telemetry.h"
#include "core/engine/grad_scaler.h"
#include "core/engine/lr_schedule.h"
#include "core/engine/memory_meter.h"
#include "core/engine/model.h"
#include "core/engine/optimizer.h"
#include "core/engine/precision_setup.h"
#include "core/engine/supervised_step.h"
#include "core/engine/trainer.h"
#include "core/engine/trouble_watch.h"

namespace mantissa {

/// What a checkpoint holds besides tensors.
struct CheckpointState {
    std::filesystem::path file;
    nlohmann::json state;
    bool sameScaler = true; ///< the run goes on with the scaler settings that it began with
};
/// `file` has been checked by readResumePoint().
[[nodiscard]] Result<CheckpointState> readCheckpointState(const std::filesystem::path& file);

/// Trainer's parts. Members are in the order in which they depend on each other.
class Trainer::Private {
public:
    Private(const Variant& variant_, at::Device device_, TimePoint start_, const Options& options_);

    /// In prepare.cpp: data, model, optimizer, probes, environment.
    [[nodiscard]] Result<void> prepare(const CudaPlugin& plugin);

    [[nodiscard]] Result<void> step();
    [[nodiscard]] Result<void> collect(bool wait, std::vector<StepRecord>& records);
    std::optional<ValidationResult> validate(const std::function<bool()>& cancelled);
    std::optional<nlohmann::json> takeFirstStepFacts();

    /// In trainer_profile.cpp.
    [[nodiscard]] Result<StepProfile> profile(const ProfileOptions& wanted);
    /// In trainer_memory.cpp.
    MemoryBreakdown memoryByRole();

    /// In checkpoint.cpp. restore() comes after prepare().
    [[nodiscard]] Result<void> writeCheckpoint(
        const std::filesystem::path& file, std::int64_t skipped);
    [[nodiscard]] Result<void> restore(const CheckpointState& checkpoint);

    MemoryMeter meter; ///< first: it must see every tensor
    const Variant variant;
    const at::Device device;
    const TimePoint start;
    const Options options;
    const cuda::PluginApi* cudaApi = nullptr;
    GradScaler scaler;
    std::unique_ptr<GradScaler> secondScaler; ///< of optimizers[1], where it has its own
    Dataset data;
    std::unique_ptr<Model> model;
    std::vector<std::unique_ptr<Optimizer>> optimizers; ///< in the order of their steps
    std::unique_ptr<TrainStep> trainStep;
    std::unique_ptr<SampleMaker> trainSamples;
    std::unique_ptr<SampleMaker> validationSamples;
    std::unique_ptr<BatchLoader> loader;
    std::optional<LrScheduleFunction> schedule;
    std::unique_ptr<DeviceSchedule>
        deviceSchedule; ///< where only the device knows what was applied
    std::unique_ptr<DeviceTelemetry> telemetry; ///< CUDA only

    std::optional<BufferGuard> bufferGuard; ///< with a scaler, where there are running statistics

    nlohmann::json environment;
    std::vector<LifecycleEvent> events; ///< not yet taken
    std::int64_t scheduledSteps = 0;
    std::int64_t steps = 0;
    std::int64_t applied = 0; ///< as far as the host knows
    double trainSeconds = 0;
    std::vector<std::string> resumeWarnings;

private:
    class ForwardWatch;
    double bytesNow() const; ///< that tensors of the device hold
    [[nodiscard]] Result<void> prepareModel();
    void prepareContest(Dcgan& dcgan, const TrainStep::Options& stepOptions);
    void describeFallbacks();
    void prepareTraining();
    void describe(const CudaPlugin& plugin);
    // In trainer_diagnose.cpp.
    void watchUpdates();
    bool updateLooksBad(const at::Tensor& loss, const at::Tensor& gradNorm);
    void locateAnomaly();
    void lookInto(const StepRecord& record);
    void guardBuffers(const StepRecord& record);
    void locateIfNew(const StepRecord& record);
    void locate(const StepRecord& record, Trouble trouble);
    NonFiniteFinding findingOf(const StepRecord& record, std::int64_t since);
    bool weightsAreFinite() const;
    void checkBeforeFirstStep();
    [[nodiscard]] Result<StepTensors> runStep();
    [[nodiscard]] Result<StepTensors> runStepAsAsked(); ///< in anomaly mode, or not
    [[nodiscard]] Result<void> restoreScalers(const CheckpointState& checkpoint);
    void noteDifferences(const nlohmann::json& saved);
    [[nodiscard]] Result<void> stepOnCpu(StepRecord& record);
    [[nodiscard]] Result<void> stepOnCuda(StepRecord& record);
    void setLearningRate(StepRecord& record);
    std::int64_t samplesPerStep() const;
    [[nodiscard]] Result<std::vector<StepRecord>> trainFor(
        std::int64_t fewest, std::int64_t most, double seconds);

    std::vector<Batch> m_batches;
    Batch m_validationBatch;
    std::vector<StepRecord> m_ready;
    TroubleWatch m_troubles;
    std::vector<at::Tensor> m_weightsBefore; ///< of a step whose update is about to spoil them
    std::optional<std::int64_t> m_casts; ///< of the first step: counting slows one down
    bool m_buffersTold = false;
    bool m_badBuffersTold = false;
};

} // namespace mantissa
