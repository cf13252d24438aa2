// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/model_check.h"
#include "core/run/batch_fit.h"
#include "core/run/worker_process.h"

#include <functional>
#include <stop_token>

/// Asks workers what a model does here; each question is a worker of its own. These block: call
/// them on a thread of your own. A stop kills the worker and gives the Error "cancelled".
namespace mantissa {

struct ProbeRequest {
    double seconds = 2; ///< of steps after warm-up; one runs in any case
    std::int64_t steps = 0; ///< so many altogether; 0 = as many as fit the time
    double memoryBytes = 0; ///< the worker's limit (address space, and first to go); 0 = none
};

/// A few real steps of one variant. What cannot run here is a probe with a reason; an Error is a
/// worker that cannot be started or broke off.
[[nodiscard]] Result<ModelProbe> askModelProbe(const WorkerProgram& worker, const Variant& variant,
    const ProbeRequest& request, std::stop_token stop = {});

/// Every variant of the experiment, and each precision that none of them has. `measured` is told
/// each probe as it comes.
[[nodiscard]] Result<ModelCheck> runModelCheck(const WorkerProgram& worker,
    const ExperimentConfig& config,
    const std::function<void(const ModelProbe& probe, int done, int total)>& measured,
    std::stop_token stop = {});

/// fitBatch() of one variant within `limitBytes`.
[[nodiscard]] Result<BatchFit> fitVariant(const WorkerProgram& worker, const Variant& variant,
    double limitBytes, const std::function<void(const FitTrial&)>& tried,
    std::stop_token stop = {});

} // namespace mantissa
