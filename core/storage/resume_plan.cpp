// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/resume_plan.h"

#include "core/config/config_io.h"
#include "core/run/checkpoint_files.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

Result<Variant> variantOf(const nlohmann::json& json, const std::string& where)
{
    auto variant = variantFromJson(json);
    if (variant)
        return std::move(*variant);
    return fail(fmt::format("the settings {} are not valid here: {}", where,
        variant.error().empty() ? "unknown" : variant.error().front().text()));
}

/// The run's row and its newest whole checkpoint that the stored series reach.
Result<std::pair<RunRecord, ResumePoint>> startOf(const RunStore& store, std::int64_t id)
{
    auto record = store.run(id);
    if (!record)
        return tl::unexpected(record.error());
    auto point = newestResumePoint(checkpointFolder(store.file(), id), record->stepsAttempted);
    if (!point)
        return fail(fmt::format("run {} cannot go on: {}. Checkpoints are written where "
                                "run.checkpoint_every is above 0",
            id, point.error().message));
    return std::pair(std::move(*record), std::move(*point));
}

ResumePlan planOf(const RunRecord& record, ResumePoint point, Variant variant)
{
    ResumePlan plan;
    plan.config.name = record.experiment;
    plan.config.settings = variant.settings;
    plan.config.variants = {variant};
    plan.run.variant = std::move(variant);
    plan.run.repetition = record.repetition;
    plan.run.resume = std::move(point);
    return plan;
}

} // namespace

bool isResumable(RunState state)
{
    return state == RunState::Stopped || state == RunState::Failed || state == RunState::Killed
        || state == RunState::Interrupted;
}

Result<ResumePlan> planResume(const RunStore& store, std::int64_t run)
{
    const auto record = store.run(run);
    if (!record)
        return tl::unexpected(record.error());
    if (!isResumable(record->state))
        return fail(
            fmt::format("run {} is {}; allowed: stopped, failed, killed or interrupted runs", run,
                toString(record->state)));
    auto start = startOf(store, run);
    if (!start)
        return tl::unexpected(start.error());
    auto variant = variantOf(record->config, fmt::format("of run {}", run));
    if (!variant)
        return tl::unexpected(variant.error());
    // A limit that ended the run before does not end it again at once.
    variant->settings.run.maxSteps = 0;
    variant->settings.run.maxSeconds = 0;
    auto plan = planOf(*record, std::move(start->second), std::move(*variant));
    plan.run.variantIndex = record->variantIndex;
    plan.run.checkpointFolder = checkpointFolder(store.file(), run);
    return plan;
}

Result<ResumePlan> planFromCheckpoint(
    const RunStore& store, std::int64_t run, const ScalerConfig& scaler, const std::string& name)
{
    auto start = startOf(store, run);
    if (!start)
        return tl::unexpected(start.error());
    auto variant =
        variantOf(start->second.variant, fmt::format("in the checkpoint of run {}", run));
    if (!variant)
        return tl::unexpected(variant.error());
    variant->name = name;
    variant->settings.scaler = scaler;
    auto plan = planOf(start->first, std::move(start->second), std::move(*variant));
    auto checked = checkExperiment(plan.config);
    if (!checked.ok())
        return fail(checked.problems.front().text());
    return plan;
}

} // namespace mantissa
