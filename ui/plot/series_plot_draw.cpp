// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/series_plot_p.h"

#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"

#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

constexpr int kAxisHeight = 24; ///< numbers under the frame
constexpr double kRawOpacity = 0.22;

} // namespace

SeriesPlot::Private::Private(SeriesPlot& plot)
    : q(plot)
    , canvas(new PlotCanvas(&plot))
{
    const auto painter = [this](void (Private::*paint)(QPainter&) const) {
        return [this, paint](QCPPainter& p) { (this->*paint)(p); };
    };
    new PaintedLayerable(canvas, QStringLiteral("decoration"), painter(&Private::paintMarks));
    new PaintedLayerable(canvas, QStringLiteral("decoration"), painter(&Private::paintDecoration));
    new PaintedLayerable(canvas, QStringLiteral("overlay"), painter(&Private::paintOverlay));
    setTickers();
    connectCanvas();
}

void SeriesPlot::Private::connectCanvas()
{
    connect(canvas, &QCustomPlot::beforeReplot, &q, [this] { prepare(); });
    connect(canvas, &PlotCanvas::zoomed, &q,
        [this](const QPointF& at, double factor, bool vertical) { zoom(at, factor, vertical); });
    connect(canvas, &PlotCanvas::panned, &q, [this](const QPoint& pixels) { pan(pixels); });
    connect(canvas, &PlotCanvas::boxChosen, &q, [this](const QRect& box) { zoomTo(box); });
    connect(canvas, &PlotCanvas::fitWanted, &q, [this] {
        if (group)
            group->fit();
    });
    connect(canvas, &PlotCanvas::hovered, &q, [this](const QPointF& at) { hover(at); });
    connect(canvas, &PlotCanvas::gestureEnded, &q, [this] { q.scheduleReplot(); });
}

QString SeriesPlot::Private::yText(double y) const
{
    return format ? format(y) : formatAxisNumber(y);
}

void SeriesPlot::Private::setTickers()
{
    const auto xTicks = [this](const AxisRange& range) {
        const XAxisKind kind = group ? group->xAxisKind() : XAxisKind::Step;
        const int wanted =
            std::max(2, canvas->frame().width() / (kind == XAxisKind::Step ? 56 : 72));
        const double step = kind == XAxisKind::Step
            ? std::max(1.0, niceStep(range.span(), std::min(wanted, 10)))
            : niceTimeStep(range.span(), std::min(wanted, 10));
        FunctionTicker::Ticks ticks;
        ticks.major = linearTicks(range, step);
        for (const double tick : ticks.major)
            ticks.labels.push_back(xLabel(tick, kind, step));
        return ticks;
    };
    const auto yTicks = [this](const AxisRange& range) {
        const int wanted = std::max(2, canvas->frame().height() / 32);
        FunctionTicker::Ticks ticks;
        const double step = niceStep(range.span(), wanted);
        if (scale == YScale::Linear)
            ticks.major = linearTicks(range, step);
        else
            ticks.major =
                scale == YScale::Log10 ? log10Ticks(range, wanted) : log2Ticks(range, wanted);
        ticks.minor = minorTicks(range, scale);
        const bool plain = scale == YScale::Linear && !format && range.upper < 1e7 && step > 1e-4;
        for (const double tick : ticks.major)
            ticks.labels.push_back(plain ? formatFixed(tick, decimalsOfStep(step)) : yText(tick));
        return ticks;
    };
    canvas->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new FunctionTicker(xTicks)));
    canvas->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new FunctionTicker(yTicks)));
}

bool SeriesPlot::Private::hasRail(MarkKind kind) const
{
    if (!marksVisible)
        return false;
    if (kind == MarkKind::NonFinite) {
        return std::ranges::any_of(entries, [](const Entry& entry) {
            return entry.curve.visible && !entry.curve.raw().nonFinite().x.empty();
        });
    }
    return std::ranges::any_of(marks, [&](const PlotMark& mark) { return mark.kind == kind; });
}

AxisRange SeriesPlot::Private::fittedY() const
{
    const auto xRange = canvas->xAxis->range();
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    const auto include = [&](const CurvePyramid& curve) {
        const auto range = curve.range(xRange.lower, xRange.upper);
        lowest = std::min(lowest, range.lowest);
        highest = std::max(highest, range.highest);
    };
    for (const Entry& entry : entries) {
        if (!entry.curve.visible)
            continue;
        include(entry.curve.shown());
        if (rawVisible)
            include(entry.curve.raw());
        if (entry.curve.limit)
            highest = std::max(highest, *entry.curve.limit);
    }
    const double height = std::max(60, canvas->frame().height());
    double bottom = hasRail(MarkKind::Skipped) ? (kRailHeight + 10) / height : 0.06;
    const bool topRail = hasRail(MarkKind::NonFinite) || hasRail(MarkKind::Disturbed);
    double top = topRail ? (kRailHeight + 10) / height : 0.08;
    if (scale == YScale::Log2)
        top = std::max(top, 18 / height); // growth marks stand above their step
    if (scale == YScale::Linear && fromZero && lowest <= highest)
        return {0, highest > 0 ? highest / (1 - std::max(top, 0.1)) : 1};
    return paddedRange(lowest, highest, scale, bottom, top);
}

void SeriesPlot::Private::prepare()
{
    pending = false;
    if (group)
        canvas->xAxis->setRange(group->xRange().lower, group->xRange().upper);
    const AxisRange y = manualY ? *manualY : fittedY();
    canvas->yAxis->setRange(y.lower, y.upper);
    updateMargins();
    updateGraphs();
}

void SeriesPlot::Private::updateMargins()
{
    const QFontMetrics metrics(hintFont(canvas->font()));
    FunctionTicker* ticker = dynamic_cast<FunctionTicker*>(canvas->yAxis->ticker().data());
    QVector<double> ticks;
    QVector<QString> labels;
    ticker->generate(
        canvas->yAxis->range(), QLocale::c(), QLatin1Char('g'), 6, ticks, nullptr, &labels);
    int left = 36;
    for (const QString& label : labels)
        left = std::max(left, metrics.horizontalAdvance(label));
    left += 14;
    int right = nameTagWidth(nameTags(), canvas->font());
    if (group) {
        left = group->sharedLeft(left);
        right = group->sharedRight(right);
    }
    const QMargins margins(left, kHeaderHeight, right, kAxisHeight);
    if (canvas->axisRect()->margins() != margins)
        canvas->axisRect()->setMargins(margins);
}

void SeriesPlot::Private::updateGraphs()
{
    const Colours& c = colours(canvas->palette());
    const QCPRange x = canvas->xAxis->range();
    const auto columns = static_cast<std::size_t>(std::max(16, canvas->frame().width()));
    const double column = x.size() / static_cast<double>(columns);
    const auto fill = [&](QCPGraph* graph, const CurvePyramid& pyramid, double gap) {
        Curve curve = pyramid.decimate(x.lower, x.upper, columns);
        if (gap > 0)
            curve = brokenAtGaps(curve, std::max(gap, 2 * column), 3 * column);
        if (scale != YScale::Linear) {
            // A logarithmic axis has no place for zero and below.
            for (double& y : curve.y)
                y = y > 0 ? y : std::numeric_limits<double>::quiet_NaN();
        }
        graph->setData(QVector<double>(curve.x.begin(), curve.x.end()),
            QVector<double>(curve.y.begin(), curve.y.end()), true);
    };
    // Wide lines are slow unless drawn piece by piece.
    canvas->setPlottingHint(QCP::phFastPolylines, hovered >= 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        Entry& entry = entries[i];
        QColor colour = c.series(entry.curve.spec().colour);
        const bool raw = entry.curve.visible && rawVisible && entry.curve.isSmoothed();
        entry.shown->setVisible(entry.curve.visible);
        entry.raw->setVisible(raw);
        entry.shown->setPen(
            QPen(colour, static_cast<int>(i) == hovered ? 2 : 1, entry.curve.spec().pen));
        colour.setAlphaF(static_cast<float>(kRawOpacity));
        entry.raw->setPen(QPen(colour, 1));
        if (entry.curve.visible)
            fill(entry.shown, entry.curve.shown(), entry.curve.spec().gap);
        if (raw)
            fill(entry.raw, entry.curve.raw(), entry.curve.spec().gap);
    }
}

std::vector<NameTag> SeriesPlot::Private::nameTags() const
{
    const Colours& c = colours(canvas->palette());
    std::vector<NameTag> tags;
    for (const Entry& entry : entries) {
        const auto& shown = entry.curve.shown();
        if (!entry.curve.visible || !entry.curve.spec().tagged || shown.size() == 0)
            continue;
        // The last value in view, so that the tag names the curve also when zoomed in.
        const auto xs = shown.x();
        auto index = std::ranges::upper_bound(xs, canvas->xAxis->range().upper) - xs.begin();
        while (index > 0 && !std::isfinite(shown.y()[static_cast<std::size_t>(index - 1)]))
            --index;
        if (index == 0)
            continue;
        const double y = shown.y()[static_cast<std::size_t>(index - 1)];
        tags.push_back({entry.curve.spec().name, c.series(entry.curve.spec().colour),
            scale != YScale::Linear && y <= 0 ? canvas->frame().bottom() : toPixelY(y)});
    }
    return tags;
}

QPointF SeriesPlot::Private::markPlace(const PlotMark& mark) const
{
    const QRectF frame = canvas->frame();
    const double x = toPixelX(mark.x);
    switch (mark.kind) {
    case MarkKind::Skipped:
        return {x, frame.bottom() - kRailHeight / 2.0};
    case MarkKind::NonFinite:
    case MarkKind::Edit:
    case MarkKind::Disturbed:
        return {x, frame.top() + kRailHeight / 2.0};
    case MarkKind::Growth:
        return {x, toPixelY(mark.y) - 8};
    case MarkKind::BackOff:
        return {x, toPixelY(mark.y) + 8};
    }
    return {x, frame.center().y()};
}

void SeriesPlot::Private::paintMarks(QPainter& painter) const
{
    if (!marksVisible)
        return;
    const Colours& c = colours(canvas->palette());
    const QRectF frame = canvas->frame();
    painter.save();
    painter.setClipRect(frame.adjusted(-4, 0, 5, 1));
    QPointF last(-1e9, -1e9);
    const auto paint = [&](const PlotMark& mark, const QColor& colour) {
        const QPointF at = markPlace(mark);
        // Marks that would cover each other to the pixel are drawn once.
        if (at.x() < frame.left() - 4 || at.x() > frame.right() + 4
            || (at - last).manhattanLength() < 0.5)
            return;
        last = at;
        drawMark(painter, mark.kind, at, colour);
    };
    for (const Entry& entry : entries) {
        const Curve& points = entry.curve.raw().nonFinite();
        for (std::size_t i = 0; entry.curve.visible && i < points.x.size(); ++i)
            paint(
                {MarkKind::NonFinite, points.x[i], 0, 0, {}}, c.series(entry.curve.spec().colour));
    }
    for (const PlotMark& mark : marks) {
        const auto index = static_cast<std::size_t>(mark.curve);
        if (index >= entries.size() || !entries[index].curve.visible)
            continue;
        paint(mark, markColour(mark.kind, entries[index].curve.spec().colour, c));
    }
    painter.restore();
}

void SeriesPlot::Private::paintDecoration(QPainter& painter) const
{
    const Colours& c = colours(canvas->palette());
    const QRectF frame = canvas->frame();
    const QRectF head(8, 0, frame.right() - 8, kHeaderHeight);
    paintHeader(painter, head, header, canvas->font(), c);
    for (const Entry& entry : entries) {
        if (!entry.curve.visible || !entry.curve.limit)
            continue;
        QPen pen(c.series(entry.curve.spec().colour), 1);
        pen.setDashPattern({4, 3});
        painter.setPen(pen);
        const double y = std::round(toPixelY(*entry.curve.limit)) + 0.5;
        if (y > frame.top() && y < frame.bottom())
            painter.drawLine(QPointF(frame.left() + 1, y), QPointF(frame.right(), y));
    }
    paintFreeNote(painter);
    paintNameTags(painter, frame, nameTags(), canvas->font(), c);
}

bool SeriesPlot::Private::isFree(const QRectF& place) const
{
    for (const Entry& entry : entries) {
        if (!entry.curve.visible)
            continue;
        const auto points = entry.shown->data();
        const bool steps = entry.curve.spec().shape == CurveShape::Steps;
        QPointF last(-1, -1);
        for (auto point = points->constBegin(); point != points->constEnd(); ++point) {
            const QPointF at(toPixelX(point->key), toPixelY(point->value));
            const bool across =
                last.x() >= 0 && at.x() >= place.left() && last.x() <= place.right();
            const double low = steps ? last.y() : std::min(last.y(), at.y());
            const double high = steps ? last.y() : std::max(last.y(), at.y());
            if (across && high >= place.top() && low <= place.bottom())
                return false;
            last = at;
        }
    }
    return std::ranges::none_of(marks,
        [&](const PlotMark& mark) { return marksVisible && place.contains(markPlace(mark)); });
}

void SeriesPlot::Private::paintFreeNote(QPainter& painter) const
{
    if (note.isEmpty())
        return;
    const auto places = notePlaces(canvas->frame(), note, canvas->font());
    const auto free = std::ranges::find_if(places, [this](const QRectF& p) { return isFree(p); });
    paintNote(painter, free != places.end() ? *free : places.front(), note, canvas->font(),
        colours(canvas->palette()));
}

void SeriesPlot::Private::paintOverlay(QPainter& painter) const
{
    const Colours& c = colours(canvas->palette());
    if (const auto box = canvas->box())
        paintBox(painter, *box, c);
    if (!group || !group->cursor() || exporting)
        return;
    const double x = *group->cursor();
    std::vector<CursorDot> dots;
    for (const Entry& entry : entries) {
        const auto index = entry.curve.nearest(x);
        if (!entry.curve.visible || !index)
            continue;
        const double y = entry.curve.shown().y()[*index];
        const double px = toPixelX(entry.curve.shown().x()[*index]);
        // A curve that has not come so far, or jumped over this place, has no value here.
        if (!std::isfinite(y) || std::abs(px - toPixelX(x)) > 4
            || (scale != YScale::Linear && y <= 0))
            continue;
        const QPointF at(toPixelX(x), toPixelY(y));
        if (QRectF(canvas->frame()).adjusted(-1, -1, 1, 1).contains(at))
            dots.push_back({at, c.series(entry.curve.spec().colour)});
    }
    std::vector<std::pair<double, QString>> axisTexts;
    const auto ticks = canvas->xAxis->tickVector();
    const auto labels = canvas->xAxis->tickVectorLabels();
    for (int i = 0; i < std::min(ticks.size(), labels.size()); ++i)
        axisTexts.emplace_back(toPixelX(ticks[i]), labels[i]);
    paintCursor(painter, canvas->frame(), toPixelX(x), xLabel(x, group->xAxisKind(), 0), axisTexts,
        dots, canvas->font(), c);
}

} // namespace mantissa::ui
