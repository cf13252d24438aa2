// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/cuda_plugin.h"
#include "core/hardware/capability.h"

#include <functional>
#include <string>

namespace mantissa {

struct ProbeOptions {
    std::string device = "auto"; ///< as device.kind
    bool quick = false;
    /// Time for all measurements together, in seconds; 0 = 12, quick 2. The smallest size of every
    /// kind of work runs in any case.
    double seconds = 0;
};

/// Measures the device in every format: what a card says. `measured` is told each cell as it is
/// known, with how many of how many that makes. On the training thread of a process of its own: it
/// sets LibTorch's threads and TF32 flags. What throws is an unsupported cell, not an Error.
[[nodiscard]] Result<CapabilityCard> probeCapability(const ProbeOptions& options,
    const CudaPlugin& plugin,
    const std::function<void(const CheckCell& cell, int done, int total)>& measured);

} // namespace mantissa
