// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/checklist_validation.h"

#include "core/base/human_text.h"
#include "core/run/series_info.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

std::vector<Evaluation> evaluationsOf(const ChecklistInput& input)
{
    const auto slice = [&](std::string_view name) {
        const auto found = input.series.find(std::string(name));
        return found == input.series.end() ? SeriesSlice() : found->second;
    };
    return mantissa::evaluationsOf(
        slice(series::kMetric), slice(series::kMetricLoss), slice(series::kValidationNonFinite));
}

/// "; fp32 at step 20: accuracy 92.5 %, loss 0.2312, finite".
std::string twinText(const ChecklistInput& input, std::int64_t step)
{
    const auto* theirs = evaluationAt(input.twinEvaluations, step);
    if (!input.fp32Twin || !theirs)
        return {};
    const auto words = evaluationWords(input.fp32Twin->environment);
    return fmt::format("; {} at step {}: {}", input.fp32Twin->variant, groupedText(step),
        theirs->isFinite() ? figuresText(*theirs, words) + ", finite"
                           : "not finite either, " + troubleText(*theirs, words));
}

std::string adviceOf(const ChecklistInput& input, std::int64_t step)
{
    const auto* theirs = evaluationAt(input.twinEvaluations, step);
    if (!theirs)
        return "Run the same seed in fp32: it tells whether the precision is the cause.";
    return theirs->isFinite()
        ? "A value leaves the precision's range in evaluation: bf16 has the range that fp16 lacks, "
          "or keep the module in fp32 (model.keep_fp32)."
        : "The precision is not the cause: look at the validation data and the weights.";
}

} // namespace

CheckResult validationCheck(const ChecklistInput& input)
{
    CheckResult result{"nan", "validation", "Did the validation become NaN or infinite?",
        CheckAnswer::CannotTell, "no validation is stored", {}};
    const auto health = healthOf(evaluationsOf(input));
    if (health.count == 0)
        return result;
    if (!health.first) {
        result.answer = CheckAnswer::NotFound;
        result.evidence = health.count == 1
            ? "the one validation is finite"
            : fmt::format("all {} validations are finite", groupedText(health.count));
        return result;
    }
    result.answer = CheckAnswer::Found;
    result.evidence = fmt::format("{}; there {}{}", healthText(health),
        troubleText(*health.first, evaluationWords(input.run.environment)),
        twinText(input, health.first->step));
    result.advice = adviceOf(input, health.first->step);
    return result;
}

std::string validationBeside(const ChecklistInput& input)
{
    const auto health = healthOf(evaluationsOf(input));
    if (health.count == 0)
        return "; no validation is stored";
    return health.first
        ? "; the validation is " + healthText(health)
        : fmt::format("; so {} {} validation{}", health.count == 1 ? "is" : "are all",
            health.count == 1 ? "the one" : groupedText(health.count),
            health.count == 1 ? "" : "s");
}

} // namespace mantissa
