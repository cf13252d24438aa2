// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/storage/run_store.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

/// Runs as data for other programs (CLI.md gives the keys; resources/docs/file-formats.md
/// explains).
namespace mantissa {

/// Identity, state, counters and summary figures with CLI.md's keys ("status", "steps_attempted",
/// "final_loss", "median_step_ms", ...) plus comparison, experiment, precision, seed, times, note,
/// tags. Absent figures are null; non-finite ones the strings "NaN", "Infinity", "-Infinity".
nlohmann::json runToJson(const RunRecord& run);

/// runToJson() plus "config", "environment", "events" and
/// "series": {"loss": {"unit", "axis", "step" (or "time"): [], "value": []}, ...}.
[[nodiscard]] Result<nlohmann::json> runExportJson(const RunStore& store, std::int64_t run);

/// One file {"runs": [runExportJson...]}.
[[nodiscard]] Result<void> exportJson(const RunStore& store, const std::vector<std::int64_t>& runs,
    const std::filesystem::path& file);

/// A folder with runs.csv, events.csv and, per run, run-ID-steps.csv (a column a step series) and
/// run-ID-points-SERIES.csv for the others. Numbers as toText().
[[nodiscard]] Result<void> exportCsv(const RunStore& store, const std::vector<std::int64_t>& runs,
    const std::filesystem::path& folder);

} // namespace mantissa
