// SPDX-License-Identifier: GPL-3.0-or-later
// The NaN checklist's questions about the loss scale.
#include "core/base/human_text.h"
#include "core/config/config_io.h"
#include "core/report/checklist_facts.h"
#include "core/run/series_info.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa {

namespace {

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

/// Whether the scale was on its way down at the end: the last step overflowed, or the last change
/// was a back-off.
bool isFalling(const ChecklistFacts& facts)
{
    const auto* foundInf = facts.values(series::kFoundInf);
    const auto& scale = *facts.values(series::kScale);
    if (foundInf && foundInf->back() != 0)
        return true;
    for (std::size_t i = scale.size() - 1; i > 0; --i) {
        if (scale[i] != scale[i - 1])
            return scale[i] < scale[i - 1];
    }
    return false;
}

/// Every skip belongs to the search for a scale, and the scale was the cause of the first.
bool stillSought(const ChecklistFacts& facts)
{
    return facts.skips.skipped == facts.skips.calibration && !facts.located.empty()
        && facts.located.front()->text("cause") == "scale_overflow";
}

} // namespace

CheckResult checkSkips(const ChecklistFacts& facts)
{
    auto result = nanCheck("skips", "Are steps skipped again and again?", CheckAnswer::CannotTell,
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
    if (bad && stillSought(facts))
        result.advice = fmt::format("The search for a scale has not ended at {}: begin lower "
                                    "(scaler.init_scale), or train for more steps.",
            scaleText(facts.values(series::kScale)->back()));
    else if (skips.pattern == SkipPattern::Persistent)
        result.advice = "Backing off does not help: the cause is not the scale.";
    else if (bad)
        result.advice = "The gradients are unsteady: clip them, or lower the learning rate.";
    return result;
}

CheckResult checkScaleLow(const ChecklistFacts& facts)
{
    auto result = nanCheck("scale_collapse", "Has the loss scale collapsed?",
        CheckAnswer::CannotTell, "the run has no GradScaler");
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

CheckResult checkRecovery(const ChecklistFacts& facts)
{
    auto result = nanCheck("recovery", "Is the loss scale slow to come back after an overflow?",
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

CheckResult checkScaleHigh(const ChecklistFacts& facts)
{
    auto result = nanCheck("scale_growth", "Does the loss scale grow without end?",
        CheckAnswer::CannotTell, "the run has no GradScaler");
    const auto* scale = facts.values(series::kScale);
    if (!scale)
        return result;
    const auto& watch = facts.variant.settings.watch;
    const bool high = watch.scaleHigh > 0 && scale->back() > watch.scaleHigh && !isFalling(facts);
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

} // namespace mantissa
