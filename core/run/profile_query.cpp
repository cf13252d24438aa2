// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/profile_query.h"

#include "core/config/config_io.h"
#include "core/run/worker_query.h"

#include <chrono>
#include <fmt/format.h>

namespace mantissa {

namespace {

// A format that a machine only emulates may need seconds a step.
constexpr std::chrono::minutes kProfileTimeout{10};

} // namespace

Result<StepProfile> profileVariant(
    const WorkerProgram& worker, const ProfileRequest& request, std::stop_token stop)
{
    WorkerQuery query{worker};
    query.worker.arguments = {"profile", "--steps", std::to_string(request.steps)};
    if (!request.trace.empty()) {
        query.worker.arguments.emplace_back("--trace");
        query.worker.arguments.push_back(request.trace.string());
    }
    query.input = variantToJson(request.variant).dump();
    query.timeout = kProfileTimeout;
    query.stop = std::move(stop);
    const auto answer = queryWorker(query);
    if (!answer)
        return tl::unexpected(answer.error());
    return stepProfileFromJson(*answer);
}

} // namespace mantissa
