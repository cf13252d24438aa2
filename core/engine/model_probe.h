// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/cuda_plugin.h"
#include "core/hardware/model_check.h"

namespace mantissa {

struct ModelProbeOptions {
    double seconds = 2; ///< for steps after warm-up; one runs in any case
    /// So many altogether, however long they take (2 tell the peak: the first makes the optimizer's
    /// state); 0 = 3 of warm-up and as many as fit the time, up to 60.
    std::int64_t steps = 0;
};

/// A few real steps of a variant in a fresh Trainer: what its run will take. What cannot run is a
/// probe with a reason. On the training thread of a process of its own.
ModelProbe probeModel(
    const Variant& variant, const CudaPlugin& plugin, const ModelProbeOptions& options);

} // namespace mantissa
