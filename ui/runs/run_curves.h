// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/readout_table.h"
#include "ui/plot/axis_scale.h"
#include "ui/plot/plot_mark.h"
#include "ui/runs/store_reader.h"

#include <QStringList>
#include <string_view>
#include <vector>

/// What the plots of a stored run are made of. Pure, any thread.
namespace mantissa::ui {

/// The x values of a step series: steps, seconds since the start, or Unix seconds. Empty where the
/// run has no times. May be shorter than the series: a cut-off run.
std::vector<double> xValues(const RunData& data, const SeriesSlice& series, XAxisKind kind);

/// Place of a step on the x axis; nothing where the run has no time for it.
std::optional<double> xOfStep(const RunData& data, std::int64_t step, XAxisKind kind);

/// Skipped steps (found_inf) and non-finite losses, for the loss plot.
std::vector<PlotMark> lossMarks(const RunData& data, XAxisKind kind);
/// Skipped steps, growth, back-off and edits, for the loss scale plot.
std::vector<PlotMark> scaleMarks(const RunData& data, XAxisKind kind);

/// Where throttling or foreign load began, for the throughput plot.
std::vector<PlotMark> rateMarks(const RunData& data, XAxisKind kind);

/// The values of a run at one of its steps; name, colour and the smoothed loss are the caller's.
ReadoutRow valuesAtStep(const RunData& data, double step);

/// Short names that tell the runs apart: the variant where that is enough, else "fp16, run 41".
QStringList runLabels(const std::vector<RunRecord>& runs);

/// The series of that name, or null.
const SeriesSlice* findSeries(const RunData& data, std::string_view name);

} // namespace mantissa::ui
