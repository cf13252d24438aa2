// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/run_event.h"

#include <chrono>
#include <filesystem>

namespace mantissa {

/// Starts the worker only to hear who it is and what it found on this machine (Hello), then ends
/// it. Blocks for at most `timeout`, usually half a second. `torchFolder` as in WorkerProgram.
[[nodiscard]] Result<Hello> askWorker(const std::filesystem::path& worker,
    const std::filesystem::path& torchFolder, std::chrono::milliseconds timeout);

} // namespace mantissa
