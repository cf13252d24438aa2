// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/numerics/preflight.h"
#include "core/report/checklist_facts.h"
#include "core/report/checklist_validation.h"
#include "core/run/series_info.h"
#include "core/run/watchers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

CheckResult checkLoss(const ChecklistFacts& facts)
{
    auto result = nanCheck("loss", "Did the loss become NaN or infinite?", CheckAnswer::CannotTell,
        "no losses are stored");
    const auto* loss = facts.values(series::kLoss);
    if (!loss)
        return result;
    const auto bad = std::ranges::find_if(*loss, [](double v) { return !std::isfinite(v); });
    const auto count = facts.nonFiniteIn(series::kLoss);
    if (bad == loss->end()) {
        result.answer = CheckAnswer::NotFound;
        result.evidence = fmt::format("all {} training losses are finite{}",
            groupedText(std::ssize(*loss)), validationBeside(facts.input));
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

CheckResult checkTwin(const ChecklistFacts& facts)
{
    auto result = nanCheck("fp32_twin", "Does the same run in fp32 go wrong as well?",
        CheckAnswer::CannotTell, "the comparison has no fp32 or tf32 run of the same seed");
    if (!facts.input.fp32Twin)
        return result;
    const auto& twin = *facts.input.fp32Twin;
    const auto bad = twin.summary.nonFiniteLosses;
    const auto health = healthOf(facts.input.twinEvaluations);
    const bool found = bad > 0 || health.nonFinite > 0;
    result.answer = found ? CheckAnswer::Found : CheckAnswer::NotFound;
    result.evidence = fmt::format("run {} ({}): {} non-finite losses in {} steps{}", twin.id,
        twin.variant, groupedText(bad), groupedText(twin.stepsAttempted),
        health.count == 0 ? ""
                          : fmt::format(", {} of {} validations not finite",
                              groupedText(health.nonFinite), groupedText(health.count)));
    if (found)
        result.advice = "The precision is not the cause: look at the data and the learning rate.";
    return result;
}

/// What the steps that were looked into showed: all of it, or the causes alone.
std::string locatedText(const ChecklistFacts& facts, bool whole)
{
    std::string text;
    for (const auto* event : facts.located)
        text += fmt::format("{}step {}: {}", text.empty() ? "" : "; ",
            groupedText(event->step.value_or(0)),
            whole ? event->message : "the cause was " + event->text("cause"));
    return text;
}

/// A check that the locator's findings answer.
CheckResult located(const ChecklistFacts& facts, std::string_view id, std::string_view question,
    const std::vector<std::string_view>& causes)
{
    auto result = nanCheck(id, question, CheckAnswer::CannotTell,
        "no step that went wrong was replayed (debug.locate)");
    const auto isOne = [&](const LifecycleEvent* event) {
        return std::ranges::find(causes, event->text("cause")) != causes.end();
    };
    const bool anyTrouble = facts.skips.skipped > 0 || facts.nonFiniteIn(series::kLoss) > 0
        || facts.nonFiniteIn(series::kGradNorm) > 0;
    if (!facts.located.empty()) {
        result.answer =
            std::ranges::any_of(facts.located, isOne) ? CheckAnswer::Found : CheckAnswer::NotFound;
        // The sentences once, in the first of these checks; the others name the causes.
        result.evidence = locatedText(facts, causes.size() > 2);
    } else if (!anyTrouble && (facts.skips.steps > 0 || facts.values(series::kLoss))) {
        result.answer = CheckAnswer::NotFound;
        result.evidence = facts.skips.steps > 0
            ? "no step was skipped, and every loss of the training is finite"
            : "every loss of the training is finite";
    } else if (!anyTrouble) {
        result.evidence = "no losses are stored";
    }
    return result;
}

CheckResult checkBuffers(const ChecklistFacts& facts)
{
    auto result = nanCheck("buffers", "Did skipped steps change running statistics?",
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

CheckResult checkGradients(const ChecklistFacts& facts)
{
    constexpr double kSpike = 100;
    auto result = nanCheck("gradients", "Did the gradient grow before it went wrong?",
        CheckAnswer::CannotTell, "no gradient norms are stored");
    const auto* norms = facts.values(series::kGradNorm);
    if (!norms)
        return result;
    const auto spread = quartiles(*norms);
    const auto bad = std::ranges::find_if(*norms, [](double v) { return !std::isfinite(v); });
    const auto badText = bad == norms->end()
        ? std::string()
        : fmt::format("{} of {} norms are not finite, the first at step {}",
            groupedText(facts.nonFiniteIn(series::kGradNorm)), groupedText(std::ssize(*norms)),
            groupedText(bad - norms->begin() + 1));
    if (!spread || spread->median <= 0) {
        result.evidence = badText.empty() ? "every gradient norm is 0" : badText;
        return result;
    }
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
    if (!badText.empty())
        result.evidence += "; " + badText;
    if (found)
        result.advice = "Clip (train.clip_norm), warm up longer, or lower the learning rate.";
    return result;
}

CheckResult checkSettings(const ChecklistFacts& facts)
{
    auto result = nanCheck("settings", "Did the check before the first step find something?",
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

CheckResult checkTypes(const ChecklistFacts& facts)
{
    auto result = nanCheck("types", "Did the first step compute in types it should not?",
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

CheckResult checkMissingScaler(const ChecklistFacts& facts)
{
    const bool fp16 = facts.variant.precision == Precision::Fp16;
    auto result = nanCheck("no_scaler", "Is fp16 trained without a GradScaler?",
        CheckAnswer::NotFound, fmt::format("precision {}", toString(facts.variant.precision)));
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
    const ChecklistFacts facts(input);
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
    return {checkLoss(facts), validationCheck(input), checkTwin(facts), checkSkips(facts),
        checkScaleLow(facts), checkRecovery(facts), checkScaleHigh(facts),
        checkMissingScaler(facts), std::move(first), std::move(scale), std::move(range),
        std::move(backward), std::move(intrinsic), checkBuffers(facts), checkGradients(facts),
        checkSettings(facts), checkTypes(facts)};
}

} // namespace mantissa
