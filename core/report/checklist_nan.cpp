// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/numerics/preflight.h"
#include "core/numerics/skip_pattern.h"
#include "core/report/checklist.h"
#include "core/run/series_info.h"
#include "core/run/watchers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

/// What the checks share, looked up once.
struct Facts {
    explicit Facts(const ChecklistInput& checked);

    const std::vector<double>* values(std::string_view name) const
    {
        const auto found = input.series.find(std::string(name));
        return found == input.series.end() || found->second.y.empty() ? nullptr : &found->second.y;
    }

    const ChecklistInput& input;
    Variant variant; ///< defaults where the stored settings cannot be read
    SkipReport skips;
    const LifecycleEvent* located = nullptr; ///< the last one
    std::string cause; ///< of `located`
};

Facts::Facts(const ChecklistInput& checked)
    : input(checked)
{
    if (auto read = variantFromJson(input.run.config))
        variant = std::move(*read);
    const auto* foundInf = values(series::kFoundInf);
    const auto* scale = values(series::kScale);
    if (foundInf && scale)
        skips = classifySkips(*foundInf, *scale);
    for (const auto& event : input.events) {
        if (event.kind == event_kind::kNonFiniteLocated)
            located = &event;
    }
    if (located)
        cause = located->text("cause");
}

CheckResult make(
    std::string_view id, std::string_view question, CheckAnswer answer, std::string evidence)
{
    return {"nan", id, question, answer, std::move(evidence), {}};
}

CheckResult checkLoss(const Facts& facts)
{
    auto result = make("loss", "Did the loss become NaN or infinite?", CheckAnswer::CannotTell,
        "no losses are stored");
    const auto* loss = facts.values(series::kLoss);
    if (!loss)
        return result;
    const auto bad = std::ranges::find_if(*loss, [](double v) { return !std::isfinite(v); });
    const auto count =
        std::ranges::count_if(*loss, [](double value) { return !std::isfinite(value); });
    if (bad == loss->end()) {
        result.answer = CheckAnswer::NotFound;
        result.evidence = fmt::format("all {} losses are finite", groupedText(std::ssize(*loss)));
        return result;
    }
    result.answer = CheckAnswer::Found;
    const auto index = bad - loss->begin();
    result.evidence = fmt::format("{} of {} losses, the first at step {}", groupedText(count),
        groupedText(std::ssize(*loss)), groupedText(index + 1));
    if (index > 0)
        result.evidence += fmt::format("; the last finite one before was {}", lossText(*(bad - 1)));
    result.advice = "See which tensor was first, below.";
    return result;
}

CheckResult checkTwin(const Facts& facts)
{
    auto result = make("fp32_twin", "Does the same run in fp32 go wrong as well?",
        CheckAnswer::CannotTell, "the comparison has no fp32 or tf32 run of the same seed");
    if (!facts.input.fp32Twin)
        return result;
    const auto& twin = *facts.input.fp32Twin;
    const auto bad = twin.summary.nonFiniteLosses;
    result.answer = bad > 0 ? CheckAnswer::Found : CheckAnswer::NotFound;
    result.evidence = fmt::format("run {} ({}): {} non-finite losses in {} steps", twin.id,
        twin.variant, groupedText(bad), groupedText(twin.stepsAttempted));
    if (bad > 0)
        result.advice = "The precision is not the cause: look at the data and the learning rate.";
    return result;
}

CheckResult checkSkips(const Facts& facts)
{
    auto result = make("skips", "Are steps skipped again and again?", CheckAnswer::CannotTell,
        "the run has no GradScaler");
    if (facts.skips.steps == 0)
        return result;
    const auto& skips = facts.skips;
    const bool bad =
        skips.pattern == SkipPattern::Persistent || skips.pattern == SkipPattern::Scattered;
    result.answer = bad ? CheckAnswer::Found : CheckAnswer::NotFound;
    result.evidence = fmt::format(
        "{} of {} steps: {} while the scale was sought, {} after a growth, {} else; pattern: {}",
        groupedText(skips.skipped), groupedText(skips.steps), groupedText(skips.calibration),
        groupedText(skips.probing), groupedText(skips.scattered), toString(skips.pattern));
    if (skips.pattern == SkipPattern::Persistent)
        result.advice = "Backing off does not help: the cause is not the scale.";
    else if (bad)
        result.advice = "The gradients are unsteady: clip them, or lower the learning rate.";
    return result;
}

CheckResult checkScaleLow(const Facts& facts)
{
    auto result = make("scale_collapse", "Has the loss scale collapsed?", CheckAnswer::CannotTell,
        "the run has no GradScaler");
    const auto* scale = facts.values(series::kScale);
    if (!scale)
        return result;
    const auto lowest = *std::ranges::min_element(*scale);
    result.answer =
        lowest < facts.variant.settings.watch.scaleLow ? CheckAnswer::Found : CheckAnswer::NotFound;
    result.evidence =
        fmt::format("lowest {}, last {}", scaleText(lowest), scaleText(scale->back()));
    if (const auto floor = facts.variant.settings.scaler.floor(); floor && lowest <= *floor)
        result.evidence += fmt::format("; its floor is {}", scaleText(*floor));
    if (result.answer == CheckAnswer::Found)
        result.advice = "Small gradients become 0 at so small a scale: set scaler.min_scale, or "
                        "use bf16.";
    return result;
}

/// The highest scale that a step was applied at: what the search for one began with does not count.
double highestApplied(const std::vector<double>& scale, const std::vector<double>* foundInf)
{
    double highest = scale.back();
    for (std::size_t i = 0; i < scale.size(); ++i) {
        const bool applied = !foundInf || i >= foundInf->size() || (*foundInf)[i] == 0;
        if (applied && scale[i] > highest)
            highest = scale[i];
    }
    return highest;
}

CheckResult checkRecovery(const Facts& facts)
{
    auto result = make("recovery", "Is the loss scale slow to come back after an overflow?",
        CheckAnswer::CannotTell, "the run has no GradScaler");
    const auto* scale = facts.values(series::kScale);
    if (!scale)
        return result;
    const auto& scaler = facts.variant.settings.scaler;
    const double before = highestApplied(*scale, facts.values(series::kFoundInf));
    const auto steps =
        recoverySteps(scale->back(), before, scaler.growthFactor, scaler.growthInterval);
    if (facts.skips.skipped == facts.skips.calibration) {
        result.answer = CheckAnswer::NotFound;
        result.evidence = "no overflow after the first scale was found";
        return result;
    }
    const bool slow = steps > std::ssize(*scale);
    result.answer = slow ? CheckAnswer::Found : CheckAnswer::NotFound;
    result.evidence = fmt::format("highest {}, last {}: {} clean steps back at a growth_interval "
                                  "of {}",
        scaleText(before), scaleText(scale->back()), groupedText(steps),
        groupedText(scaler.growthInterval));
    if (slow)
        result.advice = "A floor (scaler.min_scale) and a shorter scaler.growth_interval shorten "
                        "the way back.";
    return result;
}

CheckResult checkScaleHigh(const Facts& facts)
{
    auto result = make("scale_growth", "Does the loss scale grow without end?",
        CheckAnswer::CannotTell, "the run has no GradScaler");
    const auto* scale = facts.values(series::kScale);
    if (!scale)
        return result;
    const auto& watch = facts.variant.settings.watch;
    const bool high = watch.scaleHigh > 0 && scale->back() > watch.scaleHigh;
    const bool needless = facts.variant.precision != Precision::Fp16;
    result.answer = high || needless ? CheckAnswer::Found : CheckAnswer::NotFound;
    result.evidence = fmt::format("first {}, last {}, {} skipped steps", scaleText(scale->front()),
        scaleText(scale->back()), groupedText(facts.skips.skipped));
    if (needless)
        result.advice = fmt::format("{} has fp32's range and needs no GradScaler: scaler.enabled "
                                    "= \"auto\".",
            toString(facts.variant.precision));
    else if (high)
        result.advice = "The gradients never overflow at that size: scaler.max_scale stops it.";
    return result;
}

/// A check that the locator's finding answers.
CheckResult located(const Facts& facts, std::string_view id, std::string_view question,
    const std::vector<std::string_view>& causes)
{
    auto result = make(id, question, CheckAnswer::CannotTell, {});
    if (facts.located) {
        const bool found = std::ranges::find(causes, facts.cause) != causes.end();
        result.answer = found ? CheckAnswer::Found : CheckAnswer::NotFound;
        // The sentence once, in the first of these checks; the others name the cause.
        result.evidence = fmt::format("step {}: {}", groupedText(facts.located->step.value_or(0)),
            causes.size() > 2 ? facts.located->message : "the cause was " + facts.cause);
    } else if (facts.skips.steps > 0 && facts.skips.skipped == 0) {
        result.answer = CheckAnswer::NotFound;
        result.evidence = "no step was skipped";
    } else {
        result.evidence = facts.skips.steps == 0
            ? "the run has no GradScaler, so no step was skipped and replayed"
            : "no skipped step was replayed (debug.locate)";
    }
    return result;
}

CheckResult checkBuffers(const Facts& facts)
{
    auto result = make("buffers", "Did skipped steps change running statistics?",
        CheckAnswer::NotFound, "no such alert");
    for (const auto& event : facts.input.events) {
        if (event.kind != event_kind::kAlert || event.text("alert") != alert_kind::kBuffersChanged)
            continue;
        result.answer = CheckAnswer::Found;
        result.evidence = event.text("text", event.message);
        result.advice = "train.rollback_buffers = true.";
        return result;
    }
    if (facts.skips.steps == 0) {
        result.answer = CheckAnswer::CannotTell;
        result.evidence = "the run has no GradScaler";
    }
    return result;
}

CheckResult checkGradients(const Facts& facts)
{
    constexpr double kSpike = 100;
    auto result = make("gradients", "Did the gradient grow before it went wrong?",
        CheckAnswer::CannotTell, "no gradient norms are stored");
    const auto* norms = facts.values(series::kGradNorm);
    if (!norms)
        return result;
    const auto spread = quartiles(*norms);
    if (!spread || spread->median <= 0)
        return result;
    double highest = 0;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < norms->size(); ++i) {
        if (std::isfinite((*norms)[i]) && (*norms)[i] > highest) {
            highest = (*norms)[i];
            at = static_cast<std::int64_t>(i) + 1;
        }
    }
    const bool found = highest > kSpike * spread->median;
    result.answer = found ? CheckAnswer::Found : CheckAnswer::NotFound;
    result.evidence = fmt::format("largest norm {} at step {}, median {}",
        significantText(highest, 3), groupedText(at), significantText(spread->median, 3));
    if (found)
        result.advice = "Clip (train.clip_norm), warm up longer, or lower the learning rate.";
    return result;
}

CheckResult checkSettings(const Facts& facts)
{
    auto result = make("settings", "Did the check before the first step find something?",
        CheckAnswer::NotFound, "nothing");
    auto findings = preflight(facts.variant);
    std::vector<std::string> texts;
    for (const auto& finding : findings)
        texts.push_back(finding.text());
    for (const auto& event : facts.input.events) {
        const bool isFinding = event.kind == event_kind::kWarning && event.data.is_object()
            && event.data.contains("preflight");
        if (isFinding && std::ranges::none_of(texts, [&](const std::string& text) {
                return event.message.find(text) != std::string::npos;
            }))
            texts.push_back(event.message);
    }
    if (texts.empty())
        return result;
    result.answer = CheckAnswer::Found;
    result.evidence = texts.front();
    for (std::size_t i = 1; i < texts.size(); ++i)
        result.evidence += " | " + texts[i];
    result.advice = "Each of them says what to change.";
    return result;
}

CheckResult checkTypes(const Facts& facts)
{
    auto result = make("types", "Did the first step compute in types it should not?",
        CheckAnswer::CannotTell, "the worker did not tell its types");
    for (const auto& event : facts.input.events) {
        if (event.kind != event_kind::kFirstStepFacts)
            continue;
        const auto mismatches = event.value("mismatches");
        const auto casts = event.number("casts");
        result.answer = mismatches.empty() ? CheckAnswer::NotFound : CheckAnswer::Found;
        result.evidence = mismatches.empty()
            ? fmt::format("prediction {}, loss {}, gradient {}{}",
                event.text("prediction_dtype", "?"), event.text("loss_dtype", "?"),
                event.text("gradient_dtype", "?"),
                casts ? fmt::format("; {} copies to another type in a step", *casts) : "")
            : mismatches.dump();
    }
    return result;
}

CheckResult checkMissingScaler(const Facts& facts)
{
    const bool fp16 = facts.variant.precision == Precision::Fp16;
    auto result = make("no_scaler", "Is fp16 trained without a GradScaler?", CheckAnswer::NotFound,
        fmt::format("precision {}", toString(facts.variant.precision)));
    if (!fp16)
        return result;
    result.evidence =
        facts.variant.usesScaler() ? "fp16 with a GradScaler" : "fp16, scaler.enabled is false";
    if (!facts.variant.usesScaler()) {
        result.answer = CheckAnswer::Found;
        result.advice = "scaler.enabled = \"auto\".";
    }
    return result;
}

} // namespace

std::vector<CheckResult> nanChecklist(const ChecklistInput& input)
{
    const Facts facts(input);
    auto first = located(facts, "first_tensor", "Is the first non-finite tensor known?",
        {"scale_overflow", "intrinsic", "forward_overflow", "forward_format", "backward_format"});
    auto scale =
        located(facts, "scale_too_high", "Was the scale too high for a step?", {"scale_overflow"});
    auto range = located(facts, "forward",
        "Did the forward pass leave the format's range, where scaling cannot help?",
        {"forward_overflow", "forward_format"});
    auto backward = located(facts, "backward",
        "Is the backward pass not finite in the format at any scale?", {"backward_format"});
    auto intrinsic = located(
        facts, "intrinsic", "Is it not finite in fp32 either (data, weights)?", {"intrinsic"});
    return {checkLoss(facts), checkTwin(facts), checkSkips(facts), checkScaleLow(facts),
        checkRecovery(facts), checkScaleHigh(facts), checkMissingScaler(facts), std::move(first),
        std::move(scale), std::move(range), std::move(backward), std::move(intrinsic),
        checkBuffers(facts), checkGradients(facts), checkSettings(facts), checkTypes(facts)};
}

} // namespace mantissa
