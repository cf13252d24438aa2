// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/worker_process.h"

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <stop_token>

namespace mantissa {

/// One question to a worker instead of a run.
struct WorkerQuery {
    WorkerProgram worker; ///< arguments begin with the question, e.g. "smoke"
    std::string input = {}; ///< written to the worker's stdin, which is closed after it
    std::chrono::milliseconds timeout{std::chrono::minutes(2)};
    /// Called on the asking thread for each line {"type": "progress", ...} before the answer.
    std::function<void(const nlohmann::json&)> progress = {};
    std::stop_token stop = {}; ///< a stop kills the worker within 50 ms
};

/// Runs the worker for one answer: the "result" of {"type": "answer", "result": {...}}, the last
/// line it prints before it exits with 0. Blocks for at most the query's time-out. An Error gives
/// what the worker said on stderr, how it ended, or "cancelled".
[[nodiscard]] Result<nlohmann::json> queryWorker(const WorkerQuery& query);

} // namespace mantissa
