// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <optional>
#include <string>

namespace mantissa {

/// Why a run with `wanted` cannot go on from a checkpoint that `saved` wrote, in words; nothing if
/// it can. The scaler's settings, limits, checkpoints, alerts, debugging and the plan of runs may
/// differ, as may the name; everything else that changes numbers may not.
std::optional<std::string> resumeRefusal(const Variant& saved, const Variant& wanted);

} // namespace mantissa
