// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/worker_process.h"

#include <chrono>
#include <nlohmann/json.hpp>

namespace mantissa {

/// Runs the worker for one answer instead of a run: `program.arguments` begin with the question
/// ("smoke"), its answer is the "result" of {"type": "answer", "result": {...}}, all it prints
/// before it exits with 0. Blocks for at most `timeout`. An Error gives what the worker said on
/// stderr, or how it ended.
[[nodiscard]] Result<nlohmann::json> queryWorker(
    const WorkerProgram& program, std::chrono::milliseconds timeout);

} // namespace mantissa
