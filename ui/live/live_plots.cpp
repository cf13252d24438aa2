// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/live_plots.h"

#include "core/config/config_io.h"
#include "core/run/series_info.h"
#include "ui/live/scaler_edits.h"
#include "ui/live/validation_marks.h"
#include "ui/theme/value_text.h"

#include <QGridLayout>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

/// 2.0, 1.0, 0.5, 0.25: the decimals of a loss axis do not change from tick to tick.
QString lossAxisText(double y)
{
    const bool short1 = std::abs(y * 10 - std::round(y * 10)) < 1e-9;
    return y > 0 && y < 0.095 ? formatAxisNumber(y) : formatFixed(y, y >= 100 ? 0 : short1 ? 1 : 2);
}

QString joined(const QStringList& names)
{
    if (names.size() < 2)
        return names.join(QString());
    return QObject::tr("%1 and %2")
        .arg(names.mid(0, names.size() - 1).join(QStringLiteral(", ")), names.back());
}

} // namespace

FormatClassInfo formatClass(const RunTrace& trace)
{
    const nlohmann::json& environment = trace.status().environment;
    const std::string precision(toString(trace.variant().precision));
    if (!environment.is_object() || !environment.contains("formats")
        || !environment["formats"].is_object() || !environment["formats"].contains(precision))
        return {};
    const auto& entry = environment["formats"][precision];
    if (!entry.is_object())
        return {};
    FormatClassInfo info;
    if (const auto word = entry.find("class"); word != entry.end() && word->is_string())
        info.word = QString::fromStdString(word->get<std::string>());
    if (const auto factor = entry.find("factor"); factor != entry.end() && factor->is_number())
        info.factor = factor->get<double>();
    return info;
}

LivePlots::LivePlots(QWidget* parent)
    : QWidget(parent)
    , m_loss(new SeriesPlot(this))
    , m_scale(new SeriesPlot(this))
    , m_rate(new SeriesPlot(this))
    , m_memory(new SeriesPlot(this))
{
    setupPlots();
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(1);
    for (int i = 0; i < 4; ++i) {
        SeriesPlot* plot = plots()[static_cast<std::size_t>(i)];
        grid->addWidget(plot, i / 2, i % 2);
        m_group.add(plot);
    }
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Mid);
    chooseRateScale();
    updateTitles();
    m_group.dataChanged();
}

void LivePlots::setupPlots()
{
    m_loss->setYScale(YScale::Log10);
    m_scale->setYScale(YScale::Log2);
    m_scale->setYFormat([](double y) { return formatScaleShort(y); });
    m_loss->setYFormat(lossAxisText);
    m_memory->setYFromZero(true);
    m_memory->setTitle(tr("Memory"), tr("allocated, MiB; dashed: peak"));
    m_loss->setObjectName(QStringLiteral("loss_plot"));
    m_scale->setObjectName(QStringLiteral("scale_plot"));
    m_rate->setObjectName(QStringLiteral("rate_plot"));
    m_memory->setObjectName(QStringLiteral("memory_plot"));
}

void LivePlots::setVariants(std::vector<LiveVariant> variants)
{
    m_variants = std::move(variants);
    for (SeriesPlot* plot : plots())
        plot->clear();
    m_group.setCursor(std::nullopt);
    m_group.setFollow(true);
    addCurves();
    refresh();
}

void LivePlots::addCurves()
{
    m_curves.clear();
    for (const LiveVariant& variant : m_variants) {
        Curves curves;
        const auto add = [&](SeriesPlot* plot, CurveShape shape, bool smoothable) {
            return plot->addCurve({variant.name, variant.colour, shape, smoothable});
        };
        curves.loss = add(m_loss, CurveShape::Line, true);
        if (variant.trace->variant().usesScaler())
            curves.scale = add(m_scale, CurveShape::Steps, false);
        curves.rate = add(m_rate, CurveShape::Line, true);
        curves.memory = add(m_memory, CurveShape::Line, false);
        m_curves.push_back(curves);
    }
}

double LivePlots::xOf(const RunTrace& trace, double step) const
{
    switch (m_group.xAxisKind()) {
    case XAxisKind::Step:
        return step;
    case XAxisKind::RelativeTime:
        return trace.timeAt(step);
    case XAxisKind::WallTime:
        return trace.startUnix() + trace.timeAt(step);
    }
    return step;
}

void LivePlots::feed(
    int variant, SeriesPlot* plot, int curve, std::string_view series, double factor)
{
    if (curve < 0)
        return;
    const RunTrace& trace = *m_variants[static_cast<std::size_t>(variant)].trace;
    const TraceSeries& values = trace.series(series);
    const std::size_t from = plot->curve(curve).size();
    if (from >= values.x.size())
        return;
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = from; i < values.x.size(); ++i) {
        x.push_back(xOf(trace, values.x[i]));
        y.push_back(values.y[i] * factor);
    }
    plot->append(curve, x, y);
}

void LivePlots::feedMarks(int variant)
{
    const auto index = static_cast<std::size_t>(variant);
    const RunTrace& trace = *m_variants[index].trace;
    Curves& curves = m_curves[index];
    const TraceSeries& found = trace.series(series::kFoundInf);
    const TraceSeries& scale = trace.series(series::kScale);
    for (; curves.marked < found.x.size(); ++curves.marked) {
        const std::size_t i = curves.marked;
        const double x = xOf(trace, found.x[i]);
        const QString at = tr("%1, step %2: ").arg(m_variants[index].name, formatCount(found.x[i]));
        if (found.y[i] != 0) {
            const QString text = at + tr("gradients not finite, step skipped");
            m_loss->addMark({MarkKind::Skipped, x, 0, curves.loss, text});
            if (curves.scale >= 0)
                m_scale->addMark({MarkKind::Skipped, x, 0, curves.scale, text});
        }
        if (curves.scale < 0 || i == 0 || i >= scale.y.size() || scale.y[i] == scale.y[i - 1])
            continue;
        const bool grew = scale.y[i] > scale.y[i - 1];
        const QString change = formatScaleShort(scale.y[i - 1]) + QStringLiteral(" \u2192 ")
            + formatScaleShort(scale.y[i]);
        m_scale->addMark({grew ? MarkKind::Growth : MarkKind::BackOff, x, scale.y[i], curves.scale,
            at + (grew ? tr("scale grew, ") : tr("scale backed off, ")) + change});
    }
}

/// On the rail of losses that are not finite: the training may look well.
void LivePlots::feedValidations(int variant)
{
    const auto index = static_cast<std::size_t>(variant);
    const auto& [trace, colour, name] = m_variants[index];
    for (const Evaluation& bad : badValidations(*trace, m_curves[index].validations))
        m_loss->addMark({MarkKind::NonFinite, xOf(*trace, static_cast<double>(bad.step)), 0,
            m_curves[index].loss, badValidationText(*trace, name, bad)});
}

void LivePlots::feedEdits(int variant)
{
    const auto index = static_cast<std::size_t>(variant);
    const RunTrace& trace = *m_variants[index].trace;
    Curves& curves = m_curves[index];
    for (; curves.edits < trace.events().size(); ++curves.edits) {
        const LifecycleEvent& event = trace.events()[curves.edits];
        if (event.kind != event_kind::kSettingChanged || curves.scale < 0)
            continue;
        const auto step = static_cast<double>(event.step.value_or(trace.steps()));
        m_scale->addMark(
            {MarkKind::Edit, xOf(trace, step), trace.valueAt(series::kScale, step).value_or(0),
                curves.scale, settingChangeText(event)});
    }
}

void LivePlots::feedDisturbances(int variant)
{
    const auto index = static_cast<std::size_t>(variant);
    const RunTrace& trace = *m_variants[index].trace;
    Curves& curves = m_curves[index];
    for (; curves.disturbances < trace.events().size(); ++curves.disturbances) {
        const LifecycleEvent& event = trace.events()[curves.disturbances];
        if (!isDisturbance(event))
            continue;
        const auto step = trace.stepAt(event.timeS);
        if (!step)
            return; // its samples come later
        m_rate->addMark({MarkKind::Disturbed, xOf(trace, *step), 0, curves.rate,
            tr("%1, step %2: %3")
                .arg(m_variants[index].name, formatCount(*step),
                    QString::fromStdString(event.message))});
    }
}

void LivePlots::refresh()
{
    for (int i = 0; i < static_cast<int>(m_variants.size()); ++i) {
        const Curves& curves = m_curves[static_cast<std::size_t>(i)];
        const RunTrace& trace = *m_variants[static_cast<std::size_t>(i)].trace;
        feed(i, m_loss, curves.loss, series::kLoss, 1);
        feed(i, m_scale, curves.scale, series::kScale, 1);
        feed(i, m_rate, curves.rate, series::kSamplesPerSecond, 1);
        feed(i, m_memory, curves.memory, series::kMemoryBytes, 1 / kMiB);
        feedMarks(i);
        feedValidations(i);
        feedEdits(i);
        feedDisturbances(i);
        const auto& peaks = trace.series(series::kPeakMemoryBytes).y;
        if (peaks.size() > 1)
            m_memory->setLimit(
                curves.memory, *std::max_element(peaks.begin() + 1, peaks.end()) / kMiB);
    }
    chooseRateScale();
    updateTitles();
    countDisturbed();
    m_group.dataChanged();
}

void LivePlots::countDisturbed()
{
    const auto count = std::ranges::count(m_rate->marks(), MarkKind::Disturbed, &PlotMark::kind);
    std::vector<MarkKey> keys;
    if (count > 0)
        keys.push_back({MarkKind::Disturbed,
            tr("disturbed: %1").arg(formatCount(static_cast<double>(count)))});
    m_rate->setMarkKey(std::move(keys));
}

void LivePlots::chooseRateScale()
{
    // A logarithmic axis only where one variant would else be squeezed onto the bottom.
    double lowest = std::numeric_limits<double>::infinity();
    double highest = 0;
    for (const LiveVariant& variant : m_variants) {
        if (const auto last = variant.trace->last(series::kSamplesPerSecond); last && *last > 0) {
            lowest = std::min(lowest, *last);
            highest = std::max(highest, *last);
        }
    }
    const bool wasLog = m_rate->yScale() == YScale::Log10;
    const bool log = highest > lowest * (wasLog ? 4 : 6);
    m_rate->setYScale(log ? YScale::Log10 : YScale::Linear);
    m_rate->setYFromZero(!log);
    m_rate->setTitle(tr("Throughput"), log ? tr("samples/s, log axis") : tr("samples/s"));
}

void LivePlots::updateTitles()
{
    m_loss->setTitle(tr("Loss"), m_logLoss ? tr("cross-entropy, log axis") : tr("cross-entropy"));
    m_scale->setTitle(tr("Loss scale"), tr("log\u2082 axis"));
    std::int64_t skipped = 0;
    std::int64_t nonFinite = 0;
    QStringList unscaled;
    QStringList emulated;
    SeriesColour scaled = SeriesColour::Reference;
    for (const LiveVariant& variant : m_variants) {
        skipped += variant.trace->skipped();
        nonFinite += variant.trace->nonFiniteLosses();
        if (!variant.trace->variant().usesScaler())
            unscaled << variant.name;
        else if (scaled == SeriesColour::Reference)
            scaled = variant.colour;
        if (formatClass(*variant.trace).word == QStringLiteral("emulated"))
            emulated << variant.name;
    }
    // Of losses the curves have their own marks; these are the validations'.
    nonFinite += std::ranges::count(m_loss->marks(), MarkKind::NonFinite, &PlotMark::kind);
    m_loss->setMarkKey(
        {{MarkKind::Skipped, tr("skipped: %1").arg(formatCount(static_cast<double>(skipped))),
             scaled},
            {MarkKind::NonFinite,
                tr("non-finite: %1").arg(formatCount(static_cast<double>(nonFinite))), scaled}});
    m_scale->setMarkKey({{MarkKind::Skipped, markWord(MarkKind::Skipped), scaled},
        {MarkKind::Growth, markWord(MarkKind::Growth), scaled},
        {MarkKind::BackOff, markWord(MarkKind::BackOff), scaled},
        {MarkKind::Edit, markWord(MarkKind::Edit), scaled}});
    m_scale->setNote(unscaled.isEmpty() ? QString()
            : unscaled.size() == 1      ? tr("%1 needs no scale").arg(unscaled.front())
                                        : tr("%1 need no scale").arg(joined(unscaled)));
    m_rate->setNote(emulated.isEmpty() ? QString()
            : emulated.size() == 1     ? tr("%1 is emulated on this device").arg(emulated.front())
                                   : tr("%1 are emulated on this device").arg(joined(emulated)));
}

void LivePlots::setXAxisKind(XAxisKind kind)
{
    if (kind == m_group.xAxisKind())
        return;
    m_group.setXAxisKind(kind);
    for (SeriesPlot* plot : plots()) {
        for (int curve = 0; curve < plot->curveCount(); ++curve)
            plot->setPoints(curve, {}, {});
        plot->clearMarks();
    }
    for (Curves& curves : m_curves)
        curves.marked = curves.validations = curves.edits = curves.disturbances = 0;
    refresh();
    m_group.fit();
}

void LivePlots::setSmoothing(double weight)
{
    for (SeriesPlot* plot : plots())
        plot->setSmoothing(weight);
}

void LivePlots::setRawVisible(bool visible)
{
    for (SeriesPlot* plot : plots())
        plot->setRawVisible(visible);
}

void LivePlots::setLogLoss(bool log)
{
    m_logLoss = log;
    m_loss->setYScale(log ? YScale::Log10 : YScale::Linear);
    updateTitles();
}

void LivePlots::setMarksVisible(bool visible)
{
    for (SeriesPlot* plot : plots())
        plot->setMarksVisible(visible);
}

void LivePlots::setVariantVisible(int variant, bool visible)
{
    const Curves& curves = m_curves.at(static_cast<std::size_t>(variant));
    m_loss->setCurveVisible(curves.loss, visible);
    if (curves.scale >= 0)
        m_scale->setCurveVisible(curves.scale, visible);
    m_rate->setCurveVisible(curves.rate, visible);
    m_memory->setCurveVisible(curves.memory, visible);
    m_group.dataChanged();
}

std::optional<double> LivePlots::stepAtCursor(int variant) const
{
    const auto index = static_cast<std::size_t>(variant);
    if (!m_group.cursor() || index >= m_curves.size())
        return std::nullopt;
    const auto point = m_loss->curve(m_curves[index].loss).nearest(*m_group.cursor());
    if (!point)
        return std::nullopt;
    const double step = m_variants[index].trace->series(series::kLoss).x[*point];
    // On the step axis a variant that has not come so far has no value.
    if (m_group.xAxisKind() == XAxisKind::Step && std::abs(step - *m_group.cursor()) > 0.5)
        return std::nullopt;
    return step;
}

std::optional<double> LivePlots::smoothedAt(int variant, double step) const
{
    const auto index = static_cast<std::size_t>(variant);
    const auto& steps = m_variants.at(index).trace->series(series::kLoss).x;
    const auto found = std::ranges::lower_bound(steps, step);
    const auto point = static_cast<std::size_t>(found - steps.begin());
    const PlotCurve& curve = m_loss->curve(m_curves.at(index).loss);
    if (found == steps.end() || *found != step || point >= curve.size())
        return std::nullopt;
    return curve.shown().y()[point];
}

void LivePlots::showStep(int variant, double step)
{
    const double x = xOf(*m_variants.at(static_cast<std::size_t>(variant)).trace, step);
    const AxisRange range = m_group.xRange();
    if (x < range.lower || x > range.upper)
        m_group.setXRange({x - range.span() / 2, x + range.span() / 2});
    m_group.setCursor(x);
}

} // namespace mantissa::ui
