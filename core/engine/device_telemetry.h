// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/engine/cuda/plugin_api.h"
#include "core/engine/step_record.h"

#include <ATen/core/Tensor.h>
#include <deque>
#include <vector>

namespace mantissa {

/// The numbers of a step that are known only on the GPU, one 0-dim tensor each. Undefined ones
/// keep what the StepRecord already holds.
struct DeviceStepValues {
    at::Tensor loss;
    at::Tensor gradNorm;
    at::Tensor lr;
    at::Tensor scale;
    at::Tensor newScale;
    at::Tensor growthTracker;
    at::Tensor foundInf;
};

/// Completes StepRecords from the GPU without stopping its stream: the plug-in copies the numbers
/// to pinned memory, and they are read when they have arrived. One thread.
class DeviceTelemetry {
public:
    [[nodiscard]] static Result<std::unique_ptr<DeviceTelemetry>> create(
        const cuda::PluginApi& api, int device);
    ~DeviceTelemetry();
    DeviceTelemetry(const DeviceTelemetry&) = delete;
    DeviceTelemetry& operator=(const DeviceTelemetry&) = delete;

    [[nodiscard]] Result<void> begin(std::int64_t step);
    /// `record` as far as the host knows it.
    [[nodiscard]] Result<void> end(
        StepRecord record, std::int64_t samples, const DeviceStepValues& values);
    /// Appends what has arrived, in order; with `wait`, everything.
    [[nodiscard]] Result<void> collect(bool wait, std::vector<StepRecord>& records);

private:
    struct Pending {
        StepRecord record;
        std::int64_t samples = 0;
        std::vector<double StepRecord::*> fields;
    };

    DeviceTelemetry(const cuda::PluginApi& api, cuda::Telemetry* telemetry);
    void complete(const cuda::StepResult& result, std::vector<StepRecord>& records);

    const cuda::PluginApi& m_api;
    cuda::Telemetry* m_telemetry;
    std::deque<Pending> m_pending;
    std::vector<StepRecord> m_early; ///< taken to make room, not yet collected
};

} // namespace mantissa
