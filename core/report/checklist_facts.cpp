// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/checklist_facts.h"

#include "core/config/config_io.h"
#include "core/run/series_info.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

ChecklistFacts::ChecklistFacts(const ChecklistInput& checked)
    : input(checked)
{
    if (auto read = variantFromJson(input.run.config))
        variant = std::move(*read);
    const auto* foundInf = values(series::kFoundInf);
    const auto* scale = values(series::kScale);
    if (foundInf && scale)
        skips = classifySkips(*foundInf, *scale);
    // What a step was looked into for; earlier versions looked at skipped ones alone.
    const auto trouble = [](const LifecycleEvent& event) { return event.text("trouble", "skip"); };
    for (const auto& event : input.events) {
        const bool known = std::ranges::any_of(
            located, [&](const auto* earlier) { return trouble(*earlier) == trouble(event); });
        if (event.kind == event_kind::kNonFiniteLocated && !known)
            located.push_back(&event);
    }
}

const std::vector<double>* ChecklistFacts::values(std::string_view name) const
{
    const auto found = input.series.find(std::string(name));
    return found == input.series.end() || found->second.y.empty() ? nullptr : &found->second.y;
}

std::int64_t ChecklistFacts::nonFiniteIn(std::string_view name) const
{
    const auto* all = values(name);
    return all ? std::ranges::count_if(*all, [](double v) { return !std::isfinite(v); }) : 0;
}

CheckResult nanCheck(
    std::string_view id, std::string_view question, CheckAnswer answer, std::string evidence)
{
    return {"nan", id, question, answer, std::move(evidence), {}};
}

} // namespace mantissa
