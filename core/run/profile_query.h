// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/run/worker_process.h"
#include "core/stats/step_profile.h"

#include <filesystem>
#include <stop_token>

namespace mantissa {

struct ProfileRequest {
    Variant variant; ///< settings.run.seed is the seed of this very profile
    int steps = kMostProfiledSteps; ///< in the window, 1 to kMostProfiledSteps
    std::filesystem::path trace; ///< where a Chrome trace goes; empty = nowhere
};

/// Profiles a variant in a worker of its own (`worker.program` and `worker.torchFolder` are used):
/// it trains a few steps to warm up, times some, then looks at the window. Blocks for the time that
/// takes, some 5 s on a small network: call it on a thread of your own. A stop kills the worker at
/// once and gives an Error "cancelled".
[[nodiscard]] Result<StepProfile> profileVariant(
    const WorkerProgram& worker, const ProfileRequest& request, std::stop_token stop = {});

} // namespace mantissa
