// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/human_text.h"
#include "core/report/report_model.h"
#include "core/run/series_info.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace mantissa {

namespace {

using Value = std::function<std::optional<double>(const RunRecord&)>;
using Text = std::function<std::string(const RunRecord&, double)>;
using Note = std::function<std::string(double value, double baseline)>;

std::string ratioNote(double value, double baseline)
{
    const double ratio = value / baseline;
    return std::isfinite(ratio) ? ratioText(ratio) : "";
}

std::string signedText(double difference, const std::string& text)
{
    return difference > 0 ? "+" + text : text;
}

std::string lossNote(double value, double baseline)
{
    const double difference = value - baseline;
    return std::isfinite(difference) ? signedText(difference, fixedText(difference, 4)) : "";
}

std::string pointsNote(double value, double baseline)
{
    const double points = (value - baseline) * 100;
    return std::isfinite(points) ? signedText(points, fixedText(points, 1)) + " points" : "";
}

ReportCell missing(const char* why)
{
    return {why, "", true};
}

/// A row of figures; the first column is the baseline of the notes.
ReportRow figures(const std::string& label, const std::vector<ReportColumn>& columns,
    const Value& value, const Text& text, const Note& note, const char* whyMissing)
{
    ReportRow row{label, {}};
    const auto baseline = value(columns.front().run);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto figure = value(columns[i].run);
        if (!figure) {
            row.cells.push_back(missing(whyMissing));
            continue;
        }
        ReportCell cell{text(columns[i].run, *figure), "", false};
        if (i > 0 && baseline && note)
            cell.note = note(*figure, *baseline);
        row.cells.push_back(std::move(cell));
    }
    return row;
}

ReportRow words(const std::string& label, const std::vector<ReportColumn>& columns,
    const std::function<std::string(const RunRecord&)>& text, const char* whyMissing)
{
    ReportRow row{label, {}};
    for (const auto& column : columns) {
        const auto said = text(column.run);
        row.cells.push_back(said.empty() ? missing(whyMissing) : ReportCell{said, "", false});
    }
    return row;
}

std::string stateText(const RunRecord& run)
{
    const std::string state(toString(run.state));
    return run.reason.empty() ? state : state + ": " + run.reason;
}

std::string stepTimeText(const RunRecord& run, double median)
{
    const auto& quartiles = *run.summary.stepMs;
    return fmt::format("{} ({} to {})", durationText(median), durationText(quartiles.lower),
        durationText(quartiles.upper));
}

void addSpeed(std::vector<ReportRow>& rows, const std::vector<ReportColumn>& columns)
{
    rows.push_back(figures(
        "Step time, median (quartiles)", columns,
        [](const RunRecord& run) {
            return run.summary.stepMs ? std::optional(run.summary.stepMs->median) : std::nullopt;
        },
        stepTimeText, ratioNote, "not measured"));
    rows.push_back(figures(
        "Samples/s, median", columns,
        [](const RunRecord& run) { return run.summary.samplesPerSecond; },
        [](const RunRecord&, double rate) { return significantText(rate, 3); }, ratioNote,
        "not measured"));
    rows.push_back(figures(
        "Peak memory", columns, [](const RunRecord& run) { return run.summary.peakMemoryBytes; },
        [](const RunRecord&, double bytes) { return bytesText(bytes); }, ratioNote,
        "not measured"));
}

void addSteps(std::vector<ReportRow>& rows, const std::vector<ReportColumn>& columns)
{
    const auto count = [&](const char* label, auto member) {
        rows.push_back(figures(
            label, columns, [member](const RunRecord& run) { return double(run.*member); },
            [](const RunRecord&, double steps) { return groupedText(std::int64_t(steps)); }, {},
            ""));
    };
    count("Steps attempted", &RunRecord::stepsAttempted);
    count("Steps applied", &RunRecord::stepsApplied);
    count("Steps skipped", &RunRecord::stepsSkipped);
    rows.push_back(figures(
        "Steps behind the medians", columns,
        [](const RunRecord& run) { return double(run.summary.stepsMeasured); },
        [](const RunRecord&, double steps) { return groupedText(std::int64_t(steps)); }, {}, ""));
}

void addQuality(std::vector<ReportRow>& rows, const std::vector<ReportColumn>& columns)
{
    rows.push_back(figures(
        "Final loss", columns, [](const RunRecord& run) { return run.summary.finalLoss; },
        [](const RunRecord&, double loss) { return lossText(loss); }, lossNote, "no step"));
    rows.push_back(figures(
        std::string(seriesInfo(series::kMetric).label), columns,
        [](const RunRecord& run) { return run.summary.finalMetric; },
        [](const RunRecord&, double share) { return percentText(share); }, pointsNote,
        "not measured"));
    rows.push_back(figures(
        "Steps with a non-finite loss", columns,
        [](const RunRecord& run) { return double(run.summary.nonFiniteLosses); },
        [](const RunRecord&, double steps) { return groupedText(std::int64_t(steps)); }, {}, ""));
    rows.push_back(figures(
        "Final loss scale", columns, [](const RunRecord& run) { return run.summary.finalScale; },
        [](const RunRecord&, double scale) { return scaleText(scale); }, {}, "none: no scaler"));
}

} // namespace

std::string formatClassText(const RunRecord& run)
{
    if (!run.environment.is_object())
        return {};
    const auto formats = run.environment.find("formats");
    if (formats == run.environment.end() || !formats->is_object())
        return {};
    const auto entry = formats->find(run.precision);
    if (entry == formats->end() || !entry->is_object())
        return {};
    const auto name = entry->find("class");
    if (name == entry->end() || !name->is_string())
        return {};
    auto text = name->get<std::string>();
    const auto factor = entry->find("factor");
    if (factor != entry->end() && factor->is_number()) {
        const double ratio = factor->get<double>();
        if (text == "emulated")
            text += fmt::format(", {} slower", ratioText(ratio));
        else if (run.precision != "fp32" && ratio > 0)
            text += fmt::format(", {} fp32's time", ratioText(ratio));
    }
    return text;
}

std::vector<ReportRow> metricRows(const std::vector<ReportColumn>& columns)
{
    std::vector<ReportRow> rows;
    rows.push_back(words("Ended", columns, stateText, ""));
    rows.push_back(words("Format on this machine", columns, formatClassText, "not probed"));
    addSpeed(rows, columns);
    addQuality(rows, columns);
    addSteps(rows, columns);
    return rows;
}

} // namespace mantissa
