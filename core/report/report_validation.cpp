// SPDX-License-Identifier: GPL-3.0-or-later
// What a reader must know of validations that are not finite.
#include "core/base/human_text.h"
#include "core/report/checklist.h"
#include "core/report/report_model.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

/// " fp32 at step 20: accuracy 92.5 %, loss 0.2312, all finite."; empty where it has none there.
Result<std::string> twinSentence(
    const RunStore& store, const RunRecord& run, const Evaluation& evaluation)
{
    const auto twin = fp32TwinOf(store, run);
    if (!twin)
        return tl::unexpected(twin.error());
    if (!*twin || run.precision == "fp32" || run.precision == "tf32")
        return std::string();
    const auto theirs = readEvaluations(store, (*twin)->id);
    if (!theirs)
        return tl::unexpected(theirs.error());
    const auto* same = evaluationAt(*theirs, evaluation.step);
    if (!same)
        return std::string();
    const auto words = evaluationWords((*twin)->environment);
    return fmt::format(" {} at step {}: {}.", (*twin)->variant, groupedText(evaluation.step),
        same->isFinite() ? figuresText(*same, words) + ", all finite"
                         : "not finite either, " + troubleText(*same, words));
}

} // namespace

Result<std::vector<std::string>> validationWarnings(
    const RunStore& store, const std::vector<ReportColumn>& columns)
{
    std::vector<std::string> warnings;
    for (const auto& [run, name, colour] : columns) {
        const auto evaluations = readEvaluations(store, run.id);
        if (!evaluations)
            return tl::unexpected(evaluations.error());
        const auto health = healthOf(*evaluations);
        if (!health.first)
            continue;
        const auto twin = twinSentence(store, run, *health.first);
        if (!twin)
            return tl::unexpected(twin.error());
        warnings.push_back(fmt::format("{}: the validation is {}: at step {}, {}.{}", name,
            healthText(health), groupedText(health.first->step),
            troubleText(*health.first, evaluationWords(run.environment)), *twin));
    }
    return warnings;
}

} // namespace mantissa
