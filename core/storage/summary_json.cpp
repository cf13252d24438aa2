// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/summary_json.h"

#include "core/base/number_text.h"

#include <nlohmann/json.hpp>

namespace mantissa {

namespace {

void put(nlohmann::json& json, const char* key, const std::optional<double>& value)
{
    if (value)
        json[key] = numberToJson(*value);
}

std::optional<double> number(const nlohmann::json& json, const char* key)
{
    const auto at = json.find(key);
    return at == json.end() ? std::nullopt : numberFromJson(*at);
}

std::int64_t count(const nlohmann::json& json, const char* key)
{
    const auto at = json.find(key);
    return at != json.end() && at->is_number_integer() ? at->get<std::int64_t>() : 0;
}

} // namespace

nlohmann::json summaryToJson(const RunSummary& summary)
{
    auto json = nlohmann::json::object();
    put(json, "final_loss", summary.finalLoss);
    put(json, "final_metric", summary.finalMetric);
    if (summary.stepMs) {
        put(json, "lower_step_ms", summary.stepMs->lower);
        put(json, "median_step_ms", summary.stepMs->median);
        put(json, "upper_step_ms", summary.stepMs->upper);
    }
    put(json, "samples_per_second", summary.samplesPerSecond);
    put(json, "peak_memory_bytes", summary.peakMemoryBytes);
    put(json, "final_scale", summary.finalScale);
    json["non_finite_losses"] = summary.nonFiniteLosses;
    json["steps_measured"] = summary.stepsMeasured;
    return json;
}

RunSummary summaryFromJson(const nlohmann::json& json)
{
    RunSummary summary;
    if (!json.is_object())
        return summary;
    summary.finalLoss = number(json, "final_loss");
    summary.finalMetric = number(json, "final_metric");
    const auto lower = number(json, "lower_step_ms");
    const auto median = number(json, "median_step_ms");
    const auto upper = number(json, "upper_step_ms");
    if (lower && median && upper)
        summary.stepMs = Quartiles{*lower, *median, *upper};
    summary.samplesPerSecond = number(json, "samples_per_second");
    summary.peakMemoryBytes = number(json, "peak_memory_bytes");
    summary.finalScale = number(json, "final_scale");
    summary.nonFiniteLosses = count(json, "non_finite_losses");
    summary.stepsMeasured = count(json, "steps_measured");
    return summary;
}

} // namespace mantissa
