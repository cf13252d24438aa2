// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/numerics/loss_scale_policy.h"

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace mantissa {

/// Which steps overflowed, one entry a step.
using OverflowTrace = std::vector<bool>;

/// A trace as text: one 0 (clean) or 1 (inf or NaN found) a line. Empty lines and lines that begin
/// with # are left out. An Error names the line, what stands there and what is allowed.
[[nodiscard]] Result<OverflowTrace> parseOverflowTrace(std::string_view text);
/// The same from a file of at most 64 MiB.
[[nodiscard]] Result<OverflowTrace> readOverflowTrace(const std::filesystem::path& file);

/// What the scale would have been.
struct ScalerReplay {
    std::vector<LossScaleState> states; ///< after each step
    std::size_t skipped = 0; ///< overflows in the replayed steps
    std::string exhaustion; ///< why it ended before the trace did; empty = it did not
};

/// Runs the policy of `config` over `trace`. Pure; any thread. The trace is taken as it is: which
/// steps overflow does not follow the replayed scale.
ScalerReplay replayScaler(const ScalerConfig& config, const OverflowTrace& trace);

} // namespace mantissa
