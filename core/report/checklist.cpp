// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/checklist.h"

#include "core/run/series_info.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace mantissa {

std::string_view toString(CheckAnswer answer)
{
    constexpr std::array<std::string_view, 3> words{"found", "not_found", "cannot_tell"};
    return words.at(static_cast<std::size_t>(answer));
}

Result<std::optional<RunRecord>> fp32TwinOf(const RunStore& store, const RunRecord& run)
{
    const auto comparison = store.comparison(run.comparisonId);
    if (!comparison)
        return tl::unexpected(comparison.error());
    for (const auto id : comparison->runs) {
        auto other = store.run(id);
        if (other && id != run.id && other->repetition == run.repetition
            && (other->precision == "fp32" || other->precision == "tf32"))
            return std::move(*other);
    }
    return std::nullopt;
}

Result<std::vector<Evaluation>> readEvaluations(const RunStore& store, std::int64_t run)
{
    std::array<SeriesSlice, 3> slices;
    constexpr std::array names{series::kMetric, series::kMetricLoss, series::kValidationNonFinite};
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto slice = store.readSeries(run, std::string(names[i]));
        if (!slice)
            return tl::unexpected(slice.error());
        slices[i] = std::move(*slice);
    }
    return evaluationsOf(slices[0], slices[1], slices[2]);
}

Result<ChecklistInput> readChecklistInput(const RunStore& store, std::int64_t run)
{
    ChecklistInput input;
    auto record = store.run(run);
    if (!record)
        return tl::unexpected(record.error());
    input.run = std::move(*record);
    for (const auto name : {series::kLoss, series::kScale, series::kFoundInf, series::kGradNorm,
             series::kStepMs, series::kDataWaitMs, series::kMetric, series::kMetricLoss,
             series::kValidationNonFinite}) {
        auto slice = store.readSeries(run, std::string(name));
        if (!slice)
            return tl::unexpected(slice.error());
        input.series.emplace(std::string(name), std::move(*slice));
    }
    auto events = store.events(run);
    if (!events)
        return tl::unexpected(events.error());
    input.events = std::move(*events);
    auto twin = fp32TwinOf(store, input.run);
    if (!twin)
        return tl::unexpected(twin.error());
    input.fp32Twin = std::move(*twin);
    if (input.fp32Twin) {
        auto evaluations = readEvaluations(store, input.fp32Twin->id);
        if (!evaluations)
            return tl::unexpected(evaluations.error());
        input.twinEvaluations = std::move(*evaluations);
    }
    return input;
}

std::vector<CheckResult> checklist(const ChecklistInput& input)
{
    auto checks = nanChecklist(input);
    const auto speed = speedChecklist(input);
    checks.insert(checks.end(), speed.begin(), speed.end());
    return checks;
}

nlohmann::json toJson(std::int64_t run, const std::vector<CheckResult>& checks)
{
    nlohmann::json json{{"run", run}, {"checks", nlohmann::json::array()}};
    for (const auto& check : checks)
        json["checks"].push_back({{"list", check.list}, {"id", check.id},
            {"question", check.question}, {"answer", toString(check.answer)},
            {"evidence", check.evidence}, {"advice", check.advice}});
    return json;
}

} // namespace mantissa
