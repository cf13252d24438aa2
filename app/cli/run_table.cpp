// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_table.h"

#include "app/cli/terminal.h"
#include "core/base/human_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa::cli {

namespace {

constexpr auto kRight = TextTable::Align::Right;

template <typename Format> std::string orDash(const std::optional<double>& value, Format format)
{
    return value ? format(*value) : "-";
}

std::string medianStep(const RunRecord& run)
{
    return run.summary.stepMs ? significantText(run.summary.stepMs->median, 3) : "-";
}

std::string stateText(const RunRecord& run)
{
    std::string text(toString(run.state));
    return run.reason.empty() ? text : fmt::format("{}: {}", text, run.reason);
}

std::string stepsCell(const RunRecord& run)
{
    return run.stepsSkipped == 0 ? groupedText(run.stepsAttempted)
                                 : stepsText(run.stepsApplied, run.stepsSkipped);
}

/// Loss, metric, step time, rate and peak: the same five cells in both tables.
void addFigures(std::vector<std::string>& cells, const RunRecord& run)
{
    cells.push_back(orDash(run.summary.finalLoss, lossText));
    cells.push_back(orDash(run.summary.finalMetric, percentText));
    cells.push_back(medianStep(run));
    cells.push_back(orDash(run.summary.samplesPerSecond, [](double v) { return fixedText(v, 0); }));
    cells.push_back(orDash(run.summary.peakMemoryBytes, bytesText));
}

std::vector<TextTable::Column> withFigures(std::vector<TextTable::Column> columns)
{
    for (const char* title : {"Loss", "Accuracy", "ms/step", "Samples/s", "Peak memory"})
        columns.push_back({title, kRight});
    return columns;
}

} // namespace

std::string runTable(const std::vector<RunRecord>& runs)
{
    TextTable table([] {
        auto columns =
            withFigures({{"Run", kRight}, {"Variant"}, {"Seed", kRight}, {"Steps", kRight}});
        columns.push_back({"Scale", kRight});
        columns.push_back({"State"});
        return columns;
    }());
    for (const auto& run : runs) {
        std::vector<std::string> cells{
            std::to_string(run.id), run.variant, std::to_string(run.seed), stepsCell(run)};
        addFigures(cells, run);
        cells.push_back(orDash(run.summary.finalScale, scaleText));
        cells.push_back(stateText(run));
        table.addRow(std::move(cells));
    }
    return table.text();
}

std::string listTable(const std::vector<RunRecord>& runs)
{
    TextTable table([] {
        auto columns = withFigures({{"Run", kRight}, {"Of", kRight}, {"Experiment"}, {"Variant"},
            {"Started"}, {"State"}, {"Steps", kRight}});
        columns.push_back({"Tags"});
        return columns;
    }());
    for (const auto& run : runs) {
        std::vector<std::string> cells{std::to_string(run.id), std::to_string(run.comparisonId),
            run.experiment, run.variant, dateText(run.startedMs), std::string(toString(run.state)),
            groupedText(run.stepsAttempted)};
        addFigures(cells, run);
        cells.push_back(fmt::format("{}", fmt::join(run.tags, " ")));
        table.addRow(std::move(cells));
    }
    return table.text();
}

} // namespace mantissa::cli
