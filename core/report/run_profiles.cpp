// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/run_profiles.h"

#include "core/base/human_text.h"
#include "core/config/config_io.h"
#include "core/report/checklist.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

Result<Variant> variantOf(const RunRecord& run)
{
    auto variant = variantFromJson(run.config);
    if (!variant)
        return fail(fmt::format("the settings of run {} cannot be read by this version: {}", run.id,
            variant.error().front().text()));
    return std::move(*variant);
}

Result<Variant> baselineOf(const RunStore& store, const RunRecord& run)
{
    const auto twin = fp32TwinOf(store, run);
    if (!twin)
        return tl::unexpected(twin.error());
    if (*twin)
        return variantOf(**twin);
    auto variant = variantOf(run);
    if (variant) {
        variant->name = "fp32";
        variant->precision = Precision::Fp32;
    }
    return variant;
}

Result<StepProfile> profiled(const Variant& variant, const WorkerProgram& worker,
    const std::function<void(const std::string&)>& tell, const std::stop_token& stop)
{
    if (tell)
        tell(fmt::format("profiling {} ({})", variant.name, toString(variant.precision)));
    ProfileRequest request;
    request.variant = variant;
    return profileVariant(worker, request, stop);
}

LifecycleEvent eventOf(const RunProfiles& profiles)
{
    LifecycleEvent event;
    event.kind = kProfiledEvent;
    event.message = fmt::format("{} steps were profiled after the run: {} a step in {}",
        profiles.run.steps, durationText(profiles.run.stepMs), profiles.run.precision);
    if (profiles.baseline)
        event.message += fmt::format(
            ", {} in {}", durationText(profiles.baseline->stepMs), profiles.baseline->precision);
    event.data = {{"profile", toJson(profiles.run)}};
    if (profiles.baseline)
        event.data["baseline"] = toJson(*profiles.baseline);
    return event;
}

} // namespace

Result<RunProfiles> profileStoredRun(RunStore& store, std::int64_t run, const WorkerProgram& worker,
    const std::function<void(const std::string&)>& tell, std::stop_token stop)
{
    const auto record = store.run(run);
    if (!record)
        return tl::unexpected(record.error());
    if (!isEnd(record->state))
        return fail(fmt::format("run {} is {}: a profile would disturb it; wait for its end", run,
            toString(record->state)));
    const auto variant = variantOf(*record);
    if (!variant)
        return tl::unexpected(variant.error());
    RunProfiles profiles;
    if (record->precision == "fp16" || record->precision == "bf16") {
        const auto baseline = baselineOf(store, *record);
        if (!baseline)
            return tl::unexpected(baseline.error());
        auto taken = profiled(*baseline, worker, tell, stop);
        if (!taken)
            return tl::unexpected(taken.error());
        profiles.baseline = std::move(*taken);
    }
    auto taken = profiled(*variant, worker, tell, stop);
    if (!taken)
        return tl::unexpected(taken.error());
    profiles.run = std::move(*taken);
    if (auto stored = store.addEvent(run, eventOf(profiles)); !stored)
        return tl::unexpected(stored.error());
    return profiles;
}

std::optional<RunProfiles> profilesOf(const std::vector<LifecycleEvent>& events)
{
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
        if (event->kind != kProfiledEvent)
            continue;
        auto own = stepProfileFromJson(event->value("profile"));
        if (!own)
            continue;
        RunProfiles profiles{std::move(*own), std::nullopt};
        if (auto baseline = stepProfileFromJson(event->value("baseline")))
            profiles.baseline = std::move(*baseline);
        return profiles;
    }
    return std::nullopt;
}

} // namespace mantissa
