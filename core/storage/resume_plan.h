// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"
#include "core/storage/run_store.h"

namespace mantissa {

/// What a run can be gone on with.
///
///     auto plan = planResume(store, run);               // or planFromCheckpoint(...)
///     auto writer = StoreWriter::resume(file, run, *plan); // or StoreWriter::create(...)
///     ExperimentController controller({plan->run}, plan->config.settings.run, options);
struct ResumePlan {
    PlannedRun run; ///< its `resume` tells the checkpoint
    ExperimentConfig config; ///< the experiment with this one variant
};

/// Whether a run in this state may be resumed: it ended before its last step.
bool isResumable(RunState state);

/// Goes on with a stored run from its newest whole checkpoint. Refused in words for a run that is
/// on, that has finished, or that has no whole checkpoint. Reads the store and the checkpoints.
[[nodiscard]] Result<ResumePlan> planResume(const RunStore& store, std::int64_t run);

/// A new run that begins where the newest whole checkpoint of `run` ends and differs from it in its
/// scaler settings (and its name) only. The loss scale itself goes on from the checkpoint's.
[[nodiscard]] Result<ResumePlan> planFromCheckpoint(
    const RunStore& store, std::int64_t run, const ScalerConfig& scaler, const std::string& name);

} // namespace mantissa
