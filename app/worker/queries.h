// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/cuda_plugin.h"

#include <optional>

namespace mantissa {

/// Questions that are not runs: `mantissa-worker smoke|ops|check|profile ...` prints one JSON
/// object, before it perhaps {"type": "progress"} lines, and ends. Nothing if the first argument is
/// no question; else the exit code: 0 answered, 1 it failed (the reason is on stderr), 2 bad usage.
std::optional<int> answerQuery(int argc, char** argv, const CudaPlugin& plugin);

} // namespace mantissa
