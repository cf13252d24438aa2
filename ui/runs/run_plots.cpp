// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_plots.h"

#include "core/base/human_text.h"
#include "core/config/config_io.h"
#include "core/run/series_info.h"
#include "ui/live/live_controls.h"
#include "ui/main_window/window_settings.h"
#include "ui/plot/plot_export.h"
#include "ui/plot/plot_group.h"
#include "ui/plot/series_plot.h"
#include "ui/runs/run_columns.h"
#include "ui/runs/run_curves.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QMenu>
#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa::ui {

namespace {

enum PlotIndex { LossPlot, ScalePlot, ThroughputPlot, MemoryPlot };

struct PlotSeries {
    PlotIndex plot;
    std::string_view series;
    CurveShape shape;
    bool smoothable;
    double unit;
};
constexpr std::array<PlotSeries, 4> kSeries{{
    {LossPlot, series::kLoss, CurveShape::Line, true, 1.0},
    {ScalePlot, series::kScale, CurveShape::Steps, false, 1.0},
    {ThroughputPlot, series::kSamplesPerSecond, CurveShape::Line, true, 1.0},
    {MemoryPlot, series::kMemoryBytes, CurveShape::Line, false, kMiB},
}};

QString powerText(double scale)
{
    const double exponent = std::log2(scale);
    if (scale > 0 && exponent == std::floor(exponent))
        return toQString(powerOfTwoText(static_cast<int>(exponent)));
    return toQString(significantText(scale, 3));
}

void drawPoints(SeriesPlot& plot, const PlotSeries& spec, int curve, const RunData& data,
    const SeriesSlice& slice, XAxisKind kind)
{
    const std::vector<double> x = xValues(data, slice, kind);
    const std::size_t count = std::min(x.size(), slice.y.size());
    std::vector<double> y(slice.y.begin(), slice.y.begin() + static_cast<std::ptrdiff_t>(count));
    for (double& v : y)
        v /= spec.unit;
    plot.append(curve, std::span(x).first(count), y);
}

} // namespace

RunPlots::RunPlots(WindowSettings& settings, QWidget* parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_group(new PlotGroup(this))
    , m_controls(new LiveControls(this))
{
    setupPlots();
    m_legend = new QWidget(this);
    m_legend->setFixedHeight(27);
    m_legend->setAutoFillBackground(true);
    m_legend->setBackgroundRole(QPalette::Base);
    m_legendRow = new QHBoxLayout(m_legend);
    m_legendRow->setContentsMargins(10, 0, 8, 0);
    m_legendRow->setSpacing(24);

    auto* plots = new QWidget(this);
    plots->setAutoFillBackground(true);
    plots->setBackgroundRole(QPalette::Mid);
    auto* grid = new QGridLayout(plots);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(1);
    for (int i = 0; i < 4; ++i)
        grid->addWidget(m_plots[static_cast<std::size_t>(i)], i / 2, i % 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_controls);
    layout->addWidget(m_legend);
    layout->addWidget(plots, 1);
    setupControls();
    loadOptions();
    applyOptions();
    redraw();
}

RunPlots::~RunPlots() = default;

QWidget* RunPlots::controls() const
{
    return m_controls;
}

void RunPlots::takeControls()
{
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_controls);
}

void RunPlots::setupPlots()
{
    for (auto& plot : m_plots) {
        plot = new SeriesPlot;
        plot->setMinimumSize(220, 120);
        m_group->add(plot);
    }
    m_plots[LossPlot]->setTitle(tr("Loss"), tr("cross-entropy"));
    m_plots[ScalePlot]->setTitle(tr("Loss scale"), tr("log₂ axis"));
    m_plots[ScalePlot]->setYScale(YScale::Log2);
    m_plots[ScalePlot]->setYFormat(powerText);
    m_plots[ThroughputPlot]->setTitle(tr("Throughput"), tr("samples/s"));
    m_plots[MemoryPlot]->setTitle(tr("Memory"), tr("allocated, MiB; dashed: peak"));
    m_plots[MemoryPlot]->setYFromZero(true);
    for (auto* plot : m_plots)
        plot->setAccessibleName(plot->title());
}

void RunPlots::setupControls()
{
    setupExport();
    connect(m_controls, &LiveControls::changed, this, [this] {
        const bool moved = m_controls->options().xAxis != m_group->xAxisKind();
        saveOptions();
        applyOptions();
        if (moved) {
            redraw();
            m_group->fit();
        }
    });
    connect(m_controls, &LiveControls::followChosen, m_group, &PlotGroup::setFollow);
    connect(m_controls, &LiveControls::fitChosen, m_group, &PlotGroup::fit);
    connect(m_group, &PlotGroup::followChanged, m_controls, &LiveControls::setFollow);
    connect(m_group, &PlotGroup::cursorChanged, this, &RunPlots::readoutChanged);
}

void RunPlots::setupExport()
{
    QMenu* menu = m_controls->exportMenu();
    for (SeriesPlot* plot : m_plots) {
        menu->addAction(tr("Save %1 plot…").arg(plot->title().toLower()), this,
            [this, plot] { exportPlotWithDialog(*plot, xKind(), this); });
    }
    menu->addSeparator();
    for (SeriesPlot* plot : m_plots) {
        menu->addAction(
            tr("Copy %1 plot").arg(plot->title().toLower()), this, [plot] { copyPlot(*plot); });
    }
}

XAxisKind RunPlots::xKind() const
{
    return m_controls->options().xAxis;
}

void RunPlots::loadOptions()
{
    m_controls->setOptions(loadLiveOptions(m_settings, QStringLiteral("runs")));
}

void RunPlots::saveOptions()
{
    saveLiveOptions(m_settings, QStringLiteral("runs"), m_controls->options());
}

void RunPlots::applyOptions()
{
    const LiveOptions options = m_controls->options();
    m_plots[LossPlot]->setYScale(options.logLoss ? YScale::Log10 : YScale::Linear);
    m_plots[LossPlot]->setTitle(
        tr("Loss"), options.logLoss ? tr("cross-entropy, log axis") : tr("cross-entropy"));
    for (SeriesPlot* plot : m_plots) {
        plot->setSmoothing(options.smoothing);
        plot->setRawVisible(options.raw);
        plot->setMarksVisible(options.marks);
    }
    m_group->setXAxisKind(options.xAxis);
    m_group->dataChanged();
    Q_EMIT readoutChanged();
}

void RunPlots::setRuns(std::shared_ptr<const RunDataList> runs)
{
    m_runs = std::move(runs);
    redraw();
    Q_EMIT readoutChanged();
}

void RunPlots::moveCursorTo(std::int64_t run, std::int64_t step)
{
    for (std::size_t i = 0; m_runs && i < m_runs->size(); ++i) {
        const RunData& candidate = (*m_runs)[i];
        if (candidate.run.id != run)
            continue;
        if (const auto x = xOfStep(candidate, step, xKind()))
            m_group->setCursor(*x);
    }
}

std::vector<ReadoutRow> RunPlots::readout() const
{
    std::vector<ReadoutRow> rows;
    const auto cursor = m_group->cursor();
    for (std::size_t i = 0; m_runs && i < m_shownIds.size(); ++i) {
        const RunData& run = (*m_runs)[i];
        const PlotCurve& loss = m_plots[LossPlot]->curve(static_cast<int>(i));
        const SeriesSlice* steps = findSeries(run, series::kLoss);
        ReadoutRow row;
        if (const auto point = loss.nearest(cursor.value_or(0)); cursor && steps && point) {
            const double step = steps->x.at(*point);
            // On the step axis a run that has not come so far has no value.
            if (xKind() != XAxisKind::Step || std::abs(step - *cursor) <= 0.5) {
                row = valuesAtStep(run, step);
                row.smoothed = loss.shown().y()[*point];
            }
        }
        row.name = loss.spec().name;
        row.colour = m_colours[i];
        row.usesScaler = run.run.summary.finalScale.has_value();
        rows.push_back(std::move(row));
    }
    return rows;
}

std::map<std::int64_t, SeriesColour> RunPlots::runColours() const
{
    std::map<std::int64_t, SeriesColour> colours;
    for (std::size_t i = 0; i < m_shownIds.size(); ++i)
        colours.emplace(m_shownIds[i], m_colours[i]);
    return colours;
}

void RunPlots::redraw()
{
    std::vector<RunRecord> shown;
    std::vector<Precision> precisions;
    for (std::size_t i = 0; m_runs && i < std::min(m_runs->size(), kMaxRuns); ++i) {
        shown.push_back((*m_runs)[i].run);
        precisions.push_back(precisionFromString(shown.back().precision).value_or(Precision::Fp32));
    }
    m_colours = variantColours(precisions);
    const QStringList labels = runLabels(shown);
    rebuildLegend(shown, labels);
    for (SeriesPlot* plot : m_plots)
        plot->clear();
    m_skipped = m_nonFinite = m_disturbed = 0;
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        drawRun(i, (*m_runs)[i], labels.at(static_cast<qsizetype>(i)));
        ids.push_back(shown[i].id);
    }
    const bool others = ids != m_shownIds;
    m_shownIds = std::move(ids);
    chooseRateScale();
    setKeysAndNotes();
    m_group->dataChanged();
    if (others)
        m_group->fit();
}

void RunPlots::drawRun(std::size_t index, const RunData& run, const QString& label)
{
    const bool hidden =
        std::find(m_hiddenIds.begin(), m_hiddenIds.end(), run.run.id) != m_hiddenIds.end();
    for (const PlotSeries& spec : kSeries) {
        SeriesPlot& plot = *m_plots[spec.plot];
        CurveSpec curveSpec{label, m_colours.at(index), spec.shape, spec.smoothable};
        const int curve = plot.addCurve(std::move(curveSpec));
        plot.setCurveVisible(curve, !hidden);
        // Without a scaler the scale is recorded as 1 and says nothing.
        if (spec.plot == ScalePlot && !run.run.summary.finalScale)
            continue;
        if (const SeriesSlice* slice = findSeries(run, spec.series))
            drawPoints(plot, spec, curve, run, *slice, xKind());
        if (spec.plot == MemoryPlot && run.run.summary.peakMemoryBytes)
            plot.setLimit(curve, *run.run.summary.peakMemoryBytes / kMiB);
    }
    if (!hidden)
        drawMarks(static_cast<int>(index), run);
}

void RunPlots::drawMarks(int curve, const RunData& run)
{
    for (PlotMark mark : lossMarks(run, xKind())) {
        ++(mark.kind == MarkKind::Skipped ? m_skipped : m_nonFinite);
        mark.curve = curve;
        m_plots[LossPlot]->addMark(mark);
    }
    for (PlotMark mark : scaleMarks(run, xKind())) {
        mark.curve = curve;
        m_plots[ScalePlot]->addMark(mark);
    }
    for (PlotMark mark : rateMarks(run, xKind())) {
        ++m_disturbed;
        mark.curve = curve;
        m_plots[ThroughputPlot]->addMark(mark);
    }
}

void RunPlots::chooseRateScale()
{
    // A logarithmic axis only where one run would else be squeezed onto the bottom.
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0;
    for (std::size_t i = 0; i < m_shownIds.size(); ++i) {
        const auto rate = (*m_runs)[i].run.summary.samplesPerSecond;
        if (rate && *rate > 0) {
            lowest = std::min(lowest, *rate);
            highest = std::max(highest, *rate);
        }
    }
    const bool log = highest > 6 * lowest;
    m_plots[ThroughputPlot]->setYScale(log ? YScale::Log10 : YScale::Linear);
    m_plots[ThroughputPlot]->setYFromZero(!log);
    m_plots[ThroughputPlot]->setTitle(
        tr("Throughput"), log ? tr("samples/s, log axis") : tr("samples/s"));
}

void RunPlots::setKeysAndNotes()
{
    const auto count = [](const char* word, std::size_t n) -> QString {
        return QString::fromUtf8(word) + toQString(groupedText(static_cast<std::int64_t>(n)));
    };
    m_plots[LossPlot]->setMarkKey({
        {MarkKind::Skipped, count("skipped: ", m_skipped), SeriesColour::Reference},
        {MarkKind::NonFinite, count("non-finite: ", m_nonFinite), SeriesColour::Reference},
    });
    m_plots[ScalePlot]->setMarkKey({
        {MarkKind::Skipped, tr("skipped"), SeriesColour::Reference},
        {MarkKind::Growth, tr("growth"), SeriesColour::Reference},
        {MarkKind::BackOff, tr("back-off"), SeriesColour::Reference},
        {MarkKind::Edit, tr("edit"), SeriesColour::Reference},
    });
    std::vector<MarkKey> rateKey;
    if (m_disturbed > 0)
        rateKey.push_back({MarkKind::Disturbed, count("disturbed: ", m_disturbed)});
    m_plots[ThroughputPlot]->setMarkKey(std::move(rateKey));
    QString note;
    QString scaleNote;
    if (!m_runs || m_runs->empty()) {
        note = tr("choose runs in the table");
        scaleNote = note;
    } else {
        if (m_runs->size() > kMaxRuns)
            note = tr("%1 of %2 chosen runs are drawn").arg(kMaxRuns).arg(m_runs->size());
        const bool anyScale = std::any_of(m_runs->begin(), m_runs->end(),
            [](const RunData& run) { return run.run.summary.finalScale.has_value(); });
        scaleNote = anyScale ? QString() : tr("no run here has a scaler: only fp16 has one");
    }
    for (SeriesPlot* plot : m_plots)
        plot->setNote(plot == m_plots[ScalePlot] ? scaleNote : note);
}

} // namespace mantissa::ui
