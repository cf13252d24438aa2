// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/capability_check.h"

#include "core/run/worker_query.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

int count(const nlohmann::json& line, const char* key)
{
    const auto found = line.find(key);
    return found != line.end() && found->is_number_integer() ? found->get<int>() : 0;
}

/// A broken line is left out: the answer at the end counts.
void tell(const nlohmann::json& line, const std::function<void(const CheckProgress&)>& progress)
{
    if (!line.contains("cell"))
        return;
    auto cell = cellFromJson(line["cell"]);
    if (cell && progress)
        progress({count(line, "done"), count(line, "total"), std::move(*cell)});
}

} // namespace

Result<CapabilityCard> runCapabilityCheck(const WorkerProgram& worker, const CheckRequest& request,
    const std::function<void(const CheckProgress&)>& progress, std::stop_token stop)
{
    WorkerQuery query;
    query.worker = worker;
    query.worker.arguments = {"check", "--device", request.device};
    if (request.quick)
        query.worker.arguments.emplace_back("--quick");
    query.progress = [&](const nlohmann::json& line) { tell(line, progress); };
    query.stop = std::move(stop);
    return queryWorker(query).and_then([&](const nlohmann::json& result) -> Result<CapabilityCard> {
        auto card = cardFromJson(result);
        if (!card)
            return fail(fmt::format("{} answered with a broken card: {}", worker.program.string(),
                card.error().message));
        return card;
    });
}

} // namespace mantissa
