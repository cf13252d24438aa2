// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/checklist_speed.h"

#include "core/base/human_text.h"
#include "core/config/config_io.h"
#include "core/run/gain_alerts.h"
#include "core/run/series_info.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr double kShortStepMs = 5; ///< below, starting operators dominates
constexpr double kWaitShare = 0.1; ///< of a step, waiting for data

std::string formatClass(const RunRecord& run)
{
    const nlohmann::json::json_pointer path("/formats/" + run.precision + "/class");
    return run.environment.contains(path) && run.environment[path].is_string()
        ? run.environment[path].get<std::string>()
        : std::string();
}

RunFigures figures(const RunRecord& run)
{
    RunFigures figures;
    figures.variant = run.variant;
    figures.stepsMeasured = run.summary.stepsMeasured;
    figures.samplesPerSecond = run.summary.samplesPerSecond.value_or(0);
    figures.stepMs = run.summary.stepMs ? run.summary.stepMs->median : 0;
    figures.peakMemoryBytes = run.summary.peakMemoryBytes.value_or(0);
    return figures;
}

CheckResult checkGain(const ChecklistInput& input, bool speed, const WatchConfig& limits)
{
    auto result = speed
        ? speedCheck("speed_gain", "Is the 16-bit run hardly faster than fp32, or slower?")
        : speedCheck("memory_gain", "Does the 16-bit run save less memory than is usual?");
    if (!isSixteenBit(input.run)) {
        result.answer = CheckAnswer::NotFound;
        result.evidence = "precision " + input.run.precision;
        return result;
    }
    if (!input.fp32Twin) {
        result.evidence = "the comparison has no fp32 or tf32 run of the same seed";
        return result;
    }
    const auto gains = gainsOf(figures(*input.fp32Twin), figures(input.run));
    const auto gain = speed ? gains.speed : gains.memory;
    if (!gain) {
        result.evidence =
            fmt::format("too few steps were measured (at least {} in both runs)", kFewestMeasured);
        return result;
    }
    const double limit = speed ? limits.speedGain : limits.memoryGain;
    result.answer = *gain < limit ? CheckAnswer::Found : CheckAnswer::NotFound;
    const char* word = speed ? (*gain < 0 ? "slower" : "faster") : (*gain < 0 ? "more" : "less");
    result.evidence = fmt::format("{} % {} than run {} ({}); usual is {}",
        fixedText(std::abs(*gain), 0), word, input.fp32Twin->id, input.fp32Twin->variant,
        speed ? "10 to 30 % faster" : "30 to 50 % less");
    if (result.answer == CheckAnswer::Found)
        result.advice = speed ? "The checks below say what may hold it back."
                              : "Only activations shrink: a larger batch raises their share.";
    return result;
}

CheckResult checkEmulated(const RunRecord& run)
{
    auto result = speedCheck("emulated", "Does this machine lack fast arithmetic in the format?");
    const auto found = formatClass(run);
    if (found.empty()) {
        result.evidence = "the formats were not timed";
        return result;
    }
    result.answer = found == "native" ? CheckAnswer::NotFound : CheckAnswer::Found;
    result.evidence = fmt::format("{} is {} here", run.precision, found);
    if (result.answer == CheckAnswer::Found)
        result.advice = "No setting makes it fast: use another format on this machine.";
    return result;
}

CheckResult checkShortSteps(const RunRecord& run)
{
    auto result = speedCheck("short_steps", "Are the steps too short for arithmetic to matter?");
    if (!run.summary.stepMs) {
        result.evidence = "no step times are stored";
        return result;
    }
    const double median = run.summary.stepMs->median;
    result.answer = median < kShortStepMs ? CheckAnswer::Found : CheckAnswer::NotFound;
    result.evidence = fmt::format("median step {}", durationText(median));
    if (result.answer == CheckAnswer::Found)
        result.advice = "Use a larger batch or model: starting operators and casting weights cost "
                        "more than the arithmetic.";
    return result;
}

/// NaN where nothing is stored.
double medianOf(const ChecklistInput& input, std::string_view series)
{
    const auto stored = input.series.find(std::string(series));
    if (stored == input.series.end())
        return std::nan("");
    const auto found = quartiles(stored->second.y);
    return found ? found->median : std::nan("");
}

CheckResult checkDataWait(const ChecklistInput& input)
{
    auto result = speedCheck("data_wait", "Does the training wait for data?");
    const double waited = medianOf(input, series::kDataWaitMs);
    const double trained = medianOf(input, series::kStepMs);
    if (!(waited >= 0) || !(trained > 0)) {
        result.evidence = "no waiting times are stored";
        return result;
    }
    const double share = waited / trained;
    result.answer = share > kWaitShare ? CheckAnswer::Found : CheckAnswer::NotFound;
    result.evidence =
        fmt::format("median wait {}, {} of a step", durationText(waited), percentText(share));
    if (result.answer == CheckAnswer::Found)
        result.advice = "The format cannot speed that up: smaller samples or a faster disk can.";
    return result;
}

CheckResult checkSlowSettings(const RunRecord& run, const Settings& settings)
{
    auto result = speedCheck("slow_settings", "Is a setting on that costs time?");
    std::string found;
    const auto add = [&found](
                         const std::string& what) { found += (found.empty() ? "" : ", ") + what; };
    if (settings.debug.anomaly)
        add("debug.anomaly");
    if (settings.device.deterministic)
        add("device.deterministic");
    if (isSixteenBit(run) && !settings.autocast.cache)
        add("autocast.cache = false");
    result.answer = found.empty() ? CheckAnswer::NotFound : CheckAnswer::Found;
    result.evidence = found.empty() ? "none of debug.anomaly, device.deterministic, "
                                      "autocast.cache = false"
                                    : found;
    if (!found.empty())
        result.advice = "Compare speeds without them.";
    return result;
}

/// Events of the system monitor.
CheckResult checkThrottled(const ChecklistInput& input)
{
    auto result = speedCheck("throttled", "Was the device throttled?");
    std::int64_t count = 0;
    const LifecycleEvent* first = nullptr;
    for (const auto& event : input.events) {
        if (event.kind != "throttled")
            continue;
        first = first ? first : &event;
        ++count;
    }
    if (!first) {
        result.evidence = "no event says so; that is no proof where nothing watched the clocks";
        return result;
    }
    result.answer = CheckAnswer::Found;
    result.evidence = fmt::format("{} times, first {} after the start: {}", count,
        durationText(first->timeS * 1000), first->message);
    result.advice = "Cool it, or raise its power limit; times of a throttled run compare badly.";
    return result;
}

} // namespace

CheckResult speedCheck(std::string_view id, std::string_view question)
{
    return {"speed", id, question, CheckAnswer::CannotTell, {}, {}};
}

bool isSixteenBit(const RunRecord& run)
{
    return run.precision == "fp16" || run.precision == "bf16";
}

std::optional<double> speedUpOf(
    const ChecklistInput& input, const std::optional<RunProfiles>& profiles)
{
    if (input.fp32Twin) {
        if (const auto gains = gainsOf(figures(*input.fp32Twin), figures(input.run)); gains.speed)
            return 1 + *gains.speed / 100;
    }
    if (profiles && profiles->baseline && profiles->run.stepMs > 0)
        return profiles->baseline->stepMs / profiles->run.stepMs;
    return std::nullopt;
}

std::vector<CheckResult> speedChecklist(const ChecklistInput& input)
{
    Settings settings;
    if (const auto variant = variantFromJson(input.run.config))
        settings = variant->settings;
    const auto profiles = profilesOf(input.events);
    std::vector<CheckResult> checks{speedConclusion(input, profiles),
        checkGain(input, true, settings.watch), checkGain(input, false, settings.watch),
        checkEmulated(input.run), checkShortSteps(input.run), checkDataWait(input),
        checkSlowSettings(input.run, settings), checkThrottled(input)};
    const auto more = profileChecks(input.run, profiles);
    checks.insert(checks.end(), more.begin(), more.end());
    return checks;
}

} // namespace mantissa
