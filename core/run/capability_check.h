// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"
#include "core/run/worker_process.h"

#include <functional>
#include <stop_token>

namespace mantissa {

struct CheckRequest {
    std::string device = "auto"; ///< auto, cpu or cuda:N
    bool quick = false; ///< about 3 s instead of 15
};

struct CheckProgress {
    int done = 0; ///< cells so far, the one given here included
    int total = 0;
    CheckCell cell; ///< the one just measured
};

/// Measures a device in a worker of its own (`worker.program` and `worker.torchFolder` are used).
/// Blocks until done: call it on a thread of your own. `progress` is called on that thread. A stop
/// kills the worker at once and gives an Error "cancelled"; a worker that dies is an Error in
/// words.
[[nodiscard]] Result<CapabilityCard> runCapabilityCheck(const WorkerProgram& worker,
    const CheckRequest& request, const std::function<void(const CheckProgress&)>& progress,
    std::stop_token stop = {});

} // namespace mantissa
