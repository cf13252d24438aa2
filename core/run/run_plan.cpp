// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_plan.h"

#include <algorithm>

namespace mantissa {

std::vector<PlannedRun> planRuns(const ExperimentConfig& config)
{
    std::vector<PlannedRun> plan;
    for (int repetition = 0; repetition < config.settings.run.repeat; ++repetition) {
        for (std::size_t i = 0; i < config.variants.size(); ++i) {
            PlannedRun run;
            run.index = static_cast<int>(plan.size());
            run.variantIndex = static_cast<int>(i);
            run.repetition = repetition;
            run.variant = config.variants[i];
            run.variant.settings.run.seed += static_cast<std::uint64_t>(repetition);
            plan.push_back(std::move(run));
        }
    }
    return plan;
}

std::size_t runsOfFirstRepetition(const std::vector<PlannedRun>& plan)
{
    const auto size = std::ranges::count_if(
        plan, [&](const PlannedRun& run) { return run.repetition == plan.front().repetition; });
    return std::max<std::size_t>(static_cast<std::size_t>(size), 1);
}

} // namespace mantissa
