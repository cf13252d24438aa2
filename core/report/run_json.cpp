// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/export.h"

#include "core/base/number_text.h"

namespace mantissa {

namespace {

nlohmann::json orNull(const std::optional<double>& value)
{
    return value ? numberToJson(*value) : nlohmann::json();
}

nlohmann::json timeOrNull(std::int64_t unixMs)
{
    return unixMs > 0 ? nlohmann::json(unixMs) : nlohmann::json();
}

} // namespace

nlohmann::json runToJson(const RunRecord& run)
{
    const auto& summary = run.summary;
    nlohmann::json json{{"id", run.id}, {"comparison", run.comparisonId},
        {"experiment", run.experiment}, {"variant", run.variant}, {"precision", run.precision},
        {"repetition", run.repetition}, {"seed", run.seed}, {"status", toString(run.state)},
        {"reason", run.reason}, {"steps_attempted", run.stepsAttempted},
        {"steps_applied", run.stepsApplied}, {"steps_skipped", run.stepsSkipped}};
    json["final_loss"] = orNull(summary.finalLoss);
    json["final_metric"] = orNull(summary.finalMetric);
    json["median_step_ms"] =
        summary.stepMs ? numberToJson(summary.stepMs->median) : nlohmann::json();
    json["samples_per_second"] = orNull(summary.samplesPerSecond);
    json["peak_memory_bytes"] = orNull(summary.peakMemoryBytes);
    json["final_scale"] = orNull(summary.finalScale);
    json["non_finite_losses"] = summary.nonFiniteLosses;
    json["points_lost"] = run.samplesLost;
    json["created_ms"] = run.createdMs;
    json["started_ms"] = timeOrNull(run.startedMs);
    json["ended_ms"] = timeOrNull(run.endedMs);
    json["note"] = run.note;
    json["tags"] = run.tags;
    json["archived"] = run.archived;
    return json;
}

} // namespace mantissa
