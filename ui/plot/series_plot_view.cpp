// SPDX-License-Identifier: GPL-3.0-or-later
// Zooming and panning, tooltips of marks, and drawing into other devices.
#include "ui/plot/series_plot_p.h"

#include <cmath>

namespace mantissa::ui {

namespace {

constexpr qsizetype kMostTexts = 6; ///< of marks in one tooltip

} // namespace

void SeriesPlot::Private::syncAxes()
{
    // Several gestures may come before the next replot: each starts where the last one ended.
    if (group)
        canvas->xAxis->setRange(group->xRange().lower, group->xRange().upper);
    if (manualY)
        canvas->yAxis->setRange(manualY->lower, manualY->upper);
}

void SeriesPlot::Private::zoom(const QPointF& at, double factor, bool vertical)
{
    syncAxes();
    QCPAxis* axis = vertical ? canvas->yAxis : canvas->xAxis;
    const double centre = axis->pixelToCoord(vertical ? at.y() : at.x());
    const QCPRange range = axis->range();
    AxisRange zoomed{
        centre - (centre - range.lower) * factor, centre + (range.upper - centre) * factor};
    if (vertical && scale != YScale::Linear) {
        zoomed.lower = centre * std::pow(range.lower / centre, factor);
        zoomed.upper = centre * std::pow(range.upper / centre, factor);
    }
    if (vertical)
        q.setYRange(zoomed);
    else if (group)
        group->setXRange(zoomed);
}

void SeriesPlot::Private::pan(const QPoint& pixels)
{
    syncAxes();
    const auto moved = [](const QCPAxis* axis, int by) {
        const QCPRange range = axis->range();
        return AxisRange{axis->pixelToCoord(axis->coordToPixel(range.lower) - by),
            axis->pixelToCoord(axis->coordToPixel(range.upper) - by)};
    };
    // A y axis that fits itself stays fitted while x is dragged.
    if (manualY && pixels.y() != 0)
        q.setYRange(moved(canvas->yAxis, pixels.y()));
    if (group && pixels.x() != 0)
        group->setXRange(moved(canvas->xAxis, pixels.x()));
}

void SeriesPlot::Private::zoomTo(const QRect& box)
{
    syncAxes();
    const AxisRange y{
        canvas->yAxis->pixelToCoord(box.bottom()), canvas->yAxis->pixelToCoord(box.top())};
    const AxisRange x{
        canvas->xAxis->pixelToCoord(box.left()), canvas->xAxis->pixelToCoord(box.right())};
    if (y.upper > y.lower)
        q.setYRange(y);
    if (group)
        group->setXRange(x);
}

int SeriesPlot::Private::curveAt(const QPointF& at) const
{
    double least = 7;
    int found = -1;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const PlotCurve& curve = entries[i].curve;
        const auto point = curve.nearest(canvas->xAxis->pixelToCoord(at.x()));
        if (!curve.visible || !point)
            continue;
        const double distance = std::abs(toPixelY(curve.shown().y()[*point]) - at.y());
        if (distance < least) {
            least = distance;
            found = static_cast<int>(i);
        }
    }
    return found;
}

void SeriesPlot::Private::hover(const QPointF& at)
{
    syncAxes();
    if (const int now = curveAt(at); now != hovered) {
        hovered = now;
        q.scheduleReplot();
    }
    if (group)
        group->setCursor(canvas->xAxis->pixelToCoord(at.x()));
}

QString SeriesPlot::Private::markTextAt(const QPoint& at) const
{
    if (!marksVisible)
        return {};
    // Marks of several curves may stand at one place.
    QStringList texts;
    for (const PlotMark& mark : marks) {
        if (!mark.text.isEmpty() && !texts.contains(mark.text) && texts.size() < kMostTexts
            && (markPlace(mark) - QPointF(at)).manhattanLength() < 8)
            texts << mark.text;
    }
    return texts.join(QLatin1Char('\n'));
}

void SeriesPlot::renderTo(QPaintDevice& device, const QSize& size)
{
    m_d->prepare();
    m_d->exporting = true;
    QCPPainter painter;
    if (painter.begin(&device)) {
        m_d->canvas->toPainter(&painter, size.width(), size.height());
        painter.end();
    }
    m_d->exporting = false;
    scheduleReplot();
}

} // namespace mantissa::ui
