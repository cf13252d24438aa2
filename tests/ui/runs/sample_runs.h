// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/run_store.h"

namespace mantissa::ui::samples {

/// A finished run with every figure measured.
inline RunRecord finishedRun(std::int64_t id)
{
    RunRecord run;
    run.id = id;
    run.comparisonId = 1;
    run.experiment = "fashion-mnist-cnn";
    run.variant = "fp16";
    run.precision = "fp16";
    run.seed = 1;
    run.state = RunState::Finished;
    run.createdMs = 1'700'000'000'000;
    run.startedMs = 1'700'000'001'000;
    run.endedMs = 1'700'000'846'000; // 14 min 5 s
    run.stepsAttempted = 1987;
    run.stepsApplied = 1980;
    run.stepsSkipped = 7;
    run.config = nlohmann::json::object();
    run.environment = nlohmann::json::object();
    run.summary.finalLoss = 0.2451;
    run.summary.finalMetric = 0.8942;
    run.summary.stepMs = Quartiles{390.0, 399.4, 410.0};
    run.summary.samplesPerSecond = 160.2;
    run.summary.peakMemoryBytes = 73.9 * 1024 * 1024;
    run.summary.finalScale = 131072;
    run.summary.stepsMeasured = 997;
    return run;
}

/// A run of which nothing is there but its plan.
inline RunRecord queuedRun(std::int64_t id)
{
    RunRecord run;
    run.id = id;
    run.comparisonId = 2;
    run.experiment = "shapes-offline";
    run.variant = "fp32";
    run.precision = "fp32";
    run.seed = 7;
    run.state = RunState::Queued;
    run.createdMs = 1'700'000'000'000;
    run.config = nlohmann::json::object();
    run.environment = nlohmann::json::object();
    return run;
}

} // namespace mantissa::ui::samples
