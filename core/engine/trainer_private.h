// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/batch_source.h"
#include "core/engine/device_schedule.h"
#include "core/engine/device_telemetry.h"
#include "core/engine/grad_scaler.h"
#include "core/engine/lr_schedule.h"
#include "core/engine/memory_meter.h"
#include "core/engine/model.h"
#include "core/engine/optimizer.h"
#include "core/engine/precision_setup.h"
#include "core/engine/train_step.h"
#include "core/engine/trainer.h"

namespace mantissa {

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

    MemoryMeter meter; ///< first: it must see every tensor
    const Variant variant;
    const at::Device device;
    const TimePoint start;
    const Options options;
    const cuda::PluginApi* cudaApi = nullptr;
    GradScaler scaler;
    Dataset data;
    std::unique_ptr<Model> model;
    std::unique_ptr<Optimizer> optimizer;
    std::unique_ptr<TrainStep> trainStep;
    std::unique_ptr<BatchMaker> trainBatches;
    std::unique_ptr<BatchMaker> validationBatches;
    std::unique_ptr<TrainingOrder> order;
    std::optional<LrScheduleFunction> schedule;
    std::unique_ptr<DeviceSchedule>
        deviceSchedule; ///< where only the device knows what was applied
    std::unique_ptr<DeviceTelemetry> telemetry; ///< CUDA only

    nlohmann::json environment;
    std::int64_t scheduledSteps = 0;
    std::int64_t steps = 0;
    std::int64_t applied = 0; ///< as far as the host knows
    double trainSeconds = 0;

private:
    void prepareTraining();
    void describe(const CudaPlugin& plugin);
    void nextBatches();
    [[nodiscard]] Result<void> stepOnCpu(StepRecord& record);
    [[nodiscard]] Result<void> stepOnCuda(StepRecord& record);
    void setLearningRate(StepRecord& record);
    std::int64_t samplesPerStep() const;

    std::vector<Batch> m_batches;
    Batch m_validationBatch;
    std::vector<StepRecord> m_ready;
};

} // namespace mantissa
