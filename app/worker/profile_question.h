// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/cuda_plugin.h"
#include "core/engine/trainer.h"

namespace mantissa {

/// Profiles the variant whose JSON (as in the command `start`) is the first line of stdin.
[[nodiscard]] Result<nlohmann::json> askProfile(
    const Trainer::ProfileOptions& options, const CudaPlugin& plugin);

} // namespace mantissa
