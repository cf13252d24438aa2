// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/human_text.h"
#include "core/report/checklist.h"
#include "core/report/report_model.h"
#include "core/run/series_info.h"
#include "core/run/system_events.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>

namespace mantissa {

namespace {

constexpr std::size_t kColumns = 240; ///< pixel columns that a curve is decimated to
constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kLogWhenOver = 20; ///< highest / lowest from which on an axis is logarithmic

/// What the charts draw of one run.
struct RunCurves {
    SeriesSlice loss, scale, foundInf, rate, memory, timeS;
    std::vector<double> disturbedAt; ///< steps
    std::vector<double> badValidations; ///< steps of those that were not finite
};

/// The steps during which throttling or foreign load began.
std::vector<double> disturbedSteps(
    const std::vector<LifecycleEvent>& events, const SeriesSlice& timeS)
{
    std::vector<double> steps;
    for (const auto& event : events) {
        if (event.kind != event_kind::kThrottled && event.kind != event_kind::kForeignLoad)
            continue;
        const auto end = std::ranges::lower_bound(timeS.y, event.timeS);
        if (end != timeS.y.end())
            steps.push_back(timeS.x[static_cast<std::size_t>(end - timeS.y.begin())]);
    }
    return steps;
}

Result<RunCurves> readCurves(const RunStore& store, std::int64_t run)
{
    RunCurves curves;
    const std::pair<std::string_view, SeriesSlice*> wanted[] = {{series::kLoss, &curves.loss},
        {series::kScale, &curves.scale}, {series::kFoundInf, &curves.foundInf},
        {series::kSamplesPerSecond, &curves.rate}, {series::kMemoryBytes, &curves.memory},
        {series::kTimeS, &curves.timeS}};
    for (const auto& [name, slice] : wanted) {
        auto read = store.readSeries(run, std::string(name));
        if (!read)
            return tl::unexpected(read.error());
        *slice = std::move(*read);
    }
    const auto events = store.events(run);
    if (!events)
        return tl::unexpected(events.error());
    curves.disturbedAt = disturbedSteps(*events, curves.timeS);
    const auto evaluations = readEvaluations(store, run);
    if (!evaluations)
        return tl::unexpected(evaluations.error());
    for (const auto& evaluation : *evaluations) {
        if (!evaluation.isFinite())
            curves.badValidations.push_back(static_cast<double>(evaluation.step));
    }
    return curves;
}

/// Enough smoothing to see the trend of so many steps.
double smoothingFor(std::size_t points)
{
    if (points < 50)
        return 0;
    return points < 500 ? 0.9 : 0.97;
}

Curve decimated(const std::vector<double>& x, const std::vector<double>& y)
{
    CurvePyramid pyramid;
    pyramid.append(x, y);
    constexpr double kInf = std::numeric_limits<double>::infinity();
    return pyramid.decimate(-kInf, kInf, kColumns);
}

std::vector<double> nonFiniteX(const std::vector<double>& x, const std::vector<double>& y)
{
    std::vector<double> found;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        if (!std::isfinite(y[i]))
            found.push_back(x[i]);
    }
    return found;
}

std::vector<double> skippedX(const SeriesSlice& foundInf)
{
    std::vector<double> found;
    for (std::size_t i = 0; i < foundInf.y.size(); ++i) {
        if (foundInf.y[i] > 0)
            found.push_back(foundInf.x[i]);
    }
    return found;
}

/// Smoothed on the full data first, decimated second; the raw curve stays behind it.
void setSmoothed(
    ChartSeries& series, const std::vector<double>& x, const std::vector<double>& y, double weight)
{
    series.line = decimated(x, smooth(y, weight));
    if (weight > 0)
        series.raw = decimated(x, y);
    series.nonFinite = nonFiniteX(x, y);
}

std::string smoothingText(double weight)
{
    return weight > 0 ? fmt::format("smoothed {:g}, raw behind", weight) : "as measured";
}

/// One weight for all curves of a chart.
double smoothingOf(const std::vector<RunCurves>& runs, SeriesSlice RunCurves::*which)
{
    std::size_t most = 0;
    for (const auto& curves : runs)
        most = std::max(most, (curves.*which).y.size());
    return smoothingFor(most);
}

/// A log axis where the values span so much that a linear one would flatten most of them.
AxisScale scaleFor(const Chart& chart)
{
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    for (const auto& series : chart.series) {
        for (const double y : series.line.y) {
            if (!std::isfinite(y))
                continue;
            if (y <= 0)
                return AxisScale::Linear;
            low = std::min(low, y);
            high = std::max(high, y);
        }
    }
    return high > low * kLogWhenOver ? AxisScale::Log10 : AxisScale::Linear;
}

ChartSeries seriesOf(const ReportColumn& column)
{
    ChartSeries series;
    series.name = column.name;
    series.colour = column.colour;
    return series;
}

using Columns = std::vector<ReportColumn>;
using Runs = std::vector<RunCurves>;

/// On the same rail as losses that are not finite, with a sentence that tells which they are.
void addBadValidations(Chart& chart, ChartSeries& series, const std::vector<double>& steps)
{
    if (steps.empty())
        return;
    series.nonFinite.insert(series.nonFinite.end(), steps.begin(), steps.end());
    std::ranges::sort(series.nonFinite);
    chart.note += fmt::format("{}{}: {} validation{} not finite, the first at step {}.",
        chart.note.empty() ? "" : " ", series.name, groupedText(std::ssize(steps)),
        steps.size() == 1 ? "" : "s", groupedText(static_cast<std::int64_t>(steps.front())));
}

Chart lossChart(const Columns& columns, const Runs& runs)
{
    Chart chart;
    chart.title = "Loss";
    const double weight = smoothingOf(runs, &RunCurves::loss);
    chart.unit = smoothingText(weight);
    chart.xLabel = "step";
    chart.whyEmpty = "no step was made";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto series = seriesOf(columns[i]);
        setSmoothed(series, runs[i].loss.x, runs[i].loss.y, weight);
        series.skipped = skippedX(runs[i].foundInf);
        addBadValidations(chart, series, runs[i].badValidations);
        chart.series.push_back(std::move(series));
    }
    chart.scale = scaleFor(chart);
    return chart;
}

/// Growth and back-off are read from the curve itself, so that they show for any worker.
void addScaleChanges(ChartSeries& series, const SeriesSlice& scale)
{
    for (std::size_t i = 1; i < scale.y.size(); ++i) {
        auto& changes = scale.y[i] > scale.y[i - 1] ? series.grew : series.backedOff;
        if (scale.y[i] != scale.y[i - 1] && std::isfinite(scale.y[i])) {
            changes.x.push_back(scale.x[i]);
            changes.y.push_back(scale.y[i]);
        }
    }
}

Chart scaleChart(const Columns& columns, const Runs& runs)
{
    Chart chart;
    chart.title = "Loss scale";
    chart.unit = "log2 axis";
    chart.xLabel = "step";
    chart.scale = AxisScale::Log2;
    chart.whyEmpty = "no run here has a scaler";
    std::string without;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& run = columns[i].run;
        if (!run.summary.finalScale) {
            without += (without.empty() ? "" : ", ") + columns[i].name;
            continue;
        }
        auto series = seriesOf(columns[i]);
        series.steps = true;
        series.line = decimated(runs[i].scale.x, runs[i].scale.y);
        series.skipped = skippedX(runs[i].foundInf);
        series.nonFinite = nonFiniteX(runs[i].scale.x, runs[i].scale.y);
        addScaleChanges(series, runs[i].scale);
        chart.series.push_back(std::move(series));
        chart.note += fmt::format("{}: skipped {} of {}. ", columns[i].name,
            groupedText(run.stepsSkipped), groupedText(run.stepsAttempted));
    }
    if (!without.empty() && !chart.series.empty())
        chart.note += "Without a scaler: " + without + ".";
    return chart;
}

Chart rateChart(const Columns& columns, const Runs& runs)
{
    Chart chart;
    chart.title = "Throughput";
    const double weight = smoothingOf(runs, &RunCurves::rate);
    chart.unit = "samples/s, " + smoothingText(weight);
    chart.xLabel = "step";
    chart.fromZero = true;
    chart.whyEmpty = "not measured";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto series = seriesOf(columns[i]);
        setSmoothed(series, runs[i].rate.x, runs[i].rate.y, weight);
        series.disturbed = runs[i].disturbedAt;
        chart.series.push_back(std::move(series));
    }
    chart.scale = scaleFor(chart);
    return chart;
}

Chart memoryChart(const Columns& columns, const Runs& runs)
{
    Chart chart;
    chart.title = "Memory";
    chart.unit = "allocated, MiB; dashed: peak";
    chart.xLabel = "step";
    chart.fromZero = true;
    chart.whyEmpty = "not measured";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto series = seriesOf(columns[i]);
        auto mebibytes = runs[i].memory.y;
        for (auto& value : mebibytes)
            value /= kMiB;
        series.line = decimated(runs[i].memory.x, mebibytes);
        series.nonFinite = nonFiniteX(runs[i].memory.x, mebibytes);
        if (const auto peak = columns[i].run.summary.peakMemoryBytes)
            series.limits.push_back(*peak / kMiB);
        chart.series.push_back(std::move(series));
    }
    return chart;
}

Chart lossOverTimeChart(const Columns& columns, const Runs& runs)
{
    Chart chart;
    double longest = 0;
    for (const auto& curves : runs) {
        if (!curves.timeS.y.empty() && std::isfinite(curves.timeS.y.back()))
            longest = std::max(longest, curves.timeS.y.back());
    }
    const auto unit = timeUnitFor(longest);
    chart.title = "Loss over time";
    const double weight = smoothingOf(runs, &RunCurves::loss);
    chart.unit = smoothingText(weight);
    chart.xLabel = fmt::format("time since the run's start, {}", unit.name);
    chart.note = "Runs of a comparison take turns: waiting for the others counts here.";
    chart.whyEmpty = "not measured";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto series = seriesOf(columns[i]);
        auto times = runs[i].timeS.y;
        auto losses = runs[i].loss.y;
        const auto count = std::min(times.size(), losses.size());
        times.resize(count);
        losses.resize(count);
        for (auto& time : times)
            time /= unit.seconds;
        if (std::is_sorted(times.begin(), times.end()))
            setSmoothed(series, times, losses, weight);
        chart.series.push_back(std::move(series));
    }
    chart.scale = scaleFor(chart);
    return chart;
}

} // namespace

Result<std::vector<Chart>> buildCharts(const RunStore& store, const Columns& columns)
{
    Runs runs;
    for (const auto& column : columns) {
        auto curves = readCurves(store, column.run.id);
        if (!curves)
            return tl::unexpected(curves.error());
        runs.push_back(std::move(*curves));
    }
    std::vector<Chart> charts{lossChart(columns, runs), scaleChart(columns, runs),
        rateChart(columns, runs), memoryChart(columns, runs)};
    // One step axis for all of them, so that they can be read one above the other.
    double lastStep = 0;
    for (const auto& column : columns)
        lastStep = std::max(lastStep, double(column.run.stepsAttempted));
    for (auto& chart : charts)
        chart.reachX = lastStep;
    charts.push_back(lossOverTimeChart(columns, runs));
    return charts;
}

} // namespace mantissa
