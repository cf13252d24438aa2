// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/report/svg_chart.h"
#include "core/storage/run_store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a report says, in words and numbers, before any markup. Texts are unescaped.
namespace mantissa {

/// A run as a column of the report's tables.
struct ReportColumn {
    RunRecord run;
    std::string name; ///< the variant's, with "#2" for its second repetition and so on
    std::string colour; ///< CSS class of its precision's colour
};

struct ReportCell {
    std::string text;
    std::string note; ///< beside it, e.g. the ratio to the baseline
    bool missing = false; ///< `text` says why there is no figure
};

/// A line of a table: one label, one cell a column.
struct ReportRow {
    std::string label;
    std::vector<ReportCell> cells;
};

struct ReportFact {
    std::string key;
    std::string value;
};

struct ReportEvent {
    std::size_t column = 0;
    std::string time;
    std::string step;
    std::string kind;
    std::string message;
};

/// A setting's or an environment's entries: what all columns share, and what differs.
struct ReportFacts {
    std::vector<ReportFact> shared;
    std::vector<ReportRow> different;
};

struct ReportModel {
    std::string title;
    std::string description;
    std::string subtitle; ///< when, how many runs, which program
    std::string verdict;
    std::vector<std::string> warnings; ///< what a reader must know before the numbers
    std::vector<ReportColumn> columns; ///< the first is the baseline
    std::vector<ReportRow> metrics;
    std::vector<ReportRow> system; ///< the machine meanwhile; only what any run measured
    std::vector<Chart> charts;
    ReportFacts settings;
    ReportFacts environment;
    std::vector<ReportEvent> events;
};

/// Reads the runs and puts everything together; an Error for no runs or an unknown one.
[[nodiscard]] Result<ReportModel> buildReport(
    const RunStore& store, const std::vector<std::int64_t>& runs);

// Its parts.

/// The class of a run's precision on its machine: "native", "emulated, 65x slower"; empty if it was
/// not probed.
std::string formatClassText(const RunRecord& run);
std::vector<ReportRow> metricRows(const std::vector<ReportColumn>& columns);
ReportFacts settingFacts(const std::vector<ReportColumn>& columns);
ReportFacts environmentFacts(const std::vector<ReportColumn>& columns);
[[nodiscard]] Result<std::vector<ReportRow>> systemRows(
    const RunStore& store, const std::vector<ReportColumn>& columns);
/// One sentence for each run beside which other programs had over kForeignLoadLimit in the median.
[[nodiscard]] Result<std::vector<std::string>> loadWarnings(
    const RunStore& store, const std::vector<ReportColumn>& columns);
/// One sentence for each run whose validation was not finite: since when, and fp32's value there.
[[nodiscard]] Result<std::vector<std::string>> validationWarnings(
    const RunStore& store, const std::vector<ReportColumn>& columns);
[[nodiscard]] Result<std::vector<Chart>> buildCharts(
    const RunStore& store, const std::vector<ReportColumn>& columns);

} // namespace mantissa
