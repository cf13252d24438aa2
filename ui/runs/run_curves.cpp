// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_curves.h"

#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "core/run/evaluation.h"
#include "core/run/series_info.h"
#include "ui/live/run_trace.h"
#include "ui/runs/run_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace mantissa::ui {

namespace {

void addSkipped(std::vector<PlotMark>& marks, const RunData& data, XAxisKind kind)
{
    const SeriesSlice* found = findSeries(data, series::kFoundInf);
    if (!found)
        return;
    for (std::size_t i = 0; i < found->y.size(); ++i) {
        if (!(found->y[i] > 0))
            continue;
        const auto step = static_cast<std::int64_t>(found->x[i]);
        if (const auto x = xOfStep(data, step, kind)) {
            marks.push_back({MarkKind::Skipped, *x, 0, 0,
                QStringLiteral("step %1 skipped: found_inf").arg(toQString(groupedText(step)))});
        }
    }
}

std::optional<PlotMark> scaleMark(const LifecycleEvent& event, double x)
{
    const bool grew = event.kind == event_kind::kScaleGrew;
    if (!grew && event.kind != event_kind::kScaleBackedOff)
        return std::nullopt;
    const auto before = event.number("scale");
    const auto after = event.number("new_scale");
    if (!before || !after)
        return std::nullopt;
    // Above the step up, below the step down.
    return PlotMark{grew ? MarkKind::Growth : MarkKind::BackOff, x, *after, 0,
        toQString(scaleText(*before) + " → " + scaleText(*after))};
}

QString valueText(const LifecycleEvent& event, const char* key)
{
    const auto number = event.number(key);
    if (!number)
        return toQString(event.text(key, "none")); // a policy's name
    const bool whole = std::abs(*number) < 1e15 && *number == std::floor(*number);
    return toQString(whole ? groupedText(static_cast<std::int64_t>(*number)) : toText(*number));
}

std::optional<PlotMark> editMark(const LifecycleEvent& event, double x)
{
    if (event.kind != event_kind::kSettingChanged)
        return std::nullopt;
    const QString name = toQString(event.text("key", "setting"));
    return PlotMark{MarkKind::Edit, x, 0, 0,
        name + QLatin1Char(' ') + valueText(event, "old") + QStringLiteral(" → ")
            + valueText(event, "new")};
}

} // namespace

ReadoutRow valuesAtStep(const RunData& data, double step)
{
    const auto value = [&](std::string_view name) -> std::optional<double> {
        const SeriesSlice* slice = findSeries(data, name);
        if (!slice)
            return std::nullopt;
        const auto found = std::ranges::lower_bound(slice->x, step);
        const auto index = static_cast<std::size_t>(found - slice->x.begin());
        if (found == slice->x.end() || *found != step || index >= slice->y.size())
            return std::nullopt;
        return slice->y[index];
    };
    ReadoutRow row;
    row.step = step;
    row.timeS = value(series::kTimeS);
    row.loss = value(series::kLoss);
    row.scale = value(series::kScale);
    row.rate = value(series::kSamplesPerSecond);
    row.memoryBytes = value(series::kMemoryBytes);
    if (const SeriesSlice* ms = findSeries(data, series::kStepMs)) {
        const auto end = std::ranges::upper_bound(ms->x, step) - ms->x.begin();
        const auto count = std::min<std::ptrdiff_t>(end, std::ssize(ms->y));
        row.trainS = std::accumulate(ms->y.begin(), ms->y.begin() + count, 0.0) / 1000;
    }
    return row;
}

QStringList runLabels(const std::vector<RunRecord>& runs)
{
    std::set<std::string> variants;
    for (const RunRecord& run : runs)
        variants.insert(run.variant);
    QStringList labels;
    for (const RunRecord& run : runs) {
        const QString variant = toQString(run.variant);
        labels.append(variants.size() == runs.size()
                ? variant
                : QStringLiteral("%1, run %2").arg(variant).arg(run.id));
    }
    return labels;
}

const SeriesSlice* findSeries(const RunData& data, std::string_view name)
{
    const auto found = data.series.find(std::string(name));
    return found == data.series.end() ? nullptr : &found->second;
}

std::optional<double> xOfStep(const RunData& data, std::int64_t step, XAxisKind kind)
{
    if (kind == XAxisKind::Step)
        return static_cast<double>(step);
    const SeriesSlice* times = findSeries(data, series::kTimeS);
    if (!times)
        return std::nullopt;
    const auto at = std::lower_bound(times->x.begin(), times->x.end(), static_cast<double>(step));
    if (at == times->x.end())
        return std::nullopt;
    const double seconds = times->y[static_cast<std::size_t>(at - times->x.begin())];
    if (kind == XAxisKind::RelativeTime)
        return seconds;
    return seconds + static_cast<double>(data.run.startedMs) / 1000.0;
}

std::vector<double> xValues(const RunData& data, const SeriesSlice& series, XAxisKind kind)
{
    if (kind == XAxisKind::Step)
        return series.x;
    std::vector<double> x;
    x.reserve(series.x.size());
    for (const double step : series.x) {
        const auto place = xOfStep(data, static_cast<std::int64_t>(step), kind);
        if (!place)
            break;
        x.push_back(*place);
    }
    return x;
}

namespace {

/// On the same rail: the training may go on as if nothing were wrong.
void addBadValidations(std::vector<PlotMark>& marks, const RunData& data, XAxisKind kind)
{
    const auto slice = [&](std::string_view name) {
        const SeriesSlice* found = findSeries(data, name);
        return found ? *found : SeriesSlice();
    };
    const auto words = evaluationWords(data.run.environment);
    for (const auto& evaluation : evaluationsOf(slice(series::kMetric), slice(series::kMetricLoss),
             slice(series::kValidationNonFinite))) {
        const auto x = evaluation.isFinite() ? std::nullopt : xOfStep(data, evaluation.step, kind);
        if (x)
            marks.push_back({MarkKind::NonFinite, *x, 0, 0,
                toQString("step " + groupedText(evaluation.step) + ": validation not finite, "
                    + troubleText(evaluation, words))});
    }
}

} // namespace

std::vector<PlotMark> lossMarks(const RunData& data, XAxisKind kind)
{
    std::vector<PlotMark> marks;
    addSkipped(marks, data, kind);
    const SeriesSlice* loss = findSeries(data, series::kLoss);
    for (std::size_t i = 0; loss && i < loss->y.size(); ++i) {
        if (std::isfinite(loss->y[i]))
            continue;
        const auto step = static_cast<std::int64_t>(loss->x[i]);
        if (const auto x = xOfStep(data, step, kind)) {
            marks.push_back({MarkKind::NonFinite, *x, 0, 0,
                toQString("step " + groupedText(step) + ": loss " + lossText(loss->y[i]))});
        }
    }
    addBadValidations(marks, data, kind);
    return marks;
}

std::vector<PlotMark> scaleMarks(const RunData& data, XAxisKind kind)
{
    std::vector<PlotMark> marks;
    addSkipped(marks, data, kind);
    for (const LifecycleEvent& event : data.events) {
        if (!event.step)
            continue;
        const auto x = xOfStep(data, *event.step, kind);
        if (!x)
            continue;
        auto mark = scaleMark(event, *x);
        if (!mark)
            mark = editMark(event, *x);
        if (mark)
            marks.push_back(std::move(*mark));
    }
    return marks;
}

std::vector<PlotMark> rateMarks(const RunData& data, XAxisKind kind)
{
    std::vector<PlotMark> marks;
    const SeriesSlice* times = findSeries(data, series::kTimeS);
    for (const LifecycleEvent& event : data.events) {
        if (!isDisturbance(event) || !times || times->x.empty())
            continue;
        const double last = times->x.back();
        const auto step =
            static_cast<std::int64_t>(stepAtTime(times->x, times->y, event.timeS).value_or(last));
        if (const auto x = xOfStep(data, step, kind))
            marks.push_back({MarkKind::Disturbed, *x, 0, 0,
                QStringLiteral("step %1: %2")
                    .arg(toQString(groupedText(step)), toQString(event.message))});
    }
    return marks;
}

} // namespace mantissa::ui
