// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/series_plot_p.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

SeriesPlot::SeriesPlot(QWidget* parent)
    : QWidget(parent)
    , m_d(std::make_unique<Private>(*this))
{
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(220, 140);
}

SeriesPlot::~SeriesPlot()
{
    // The canvas draws through m_d: it must go first.
    delete m_d->canvas;
}

void SeriesPlot::setTitle(const QString& title, const QString& detail)
{
    if (m_d->header.title == title && m_d->header.detail == detail)
        return;
    m_d->header.title = title;
    m_d->header.detail = detail;
    setAccessibleName(title);
    setAccessibleDescription(detail);
    scheduleReplot();
}

const QString& SeriesPlot::title() const
{
    return m_d->header.title;
}

void SeriesPlot::setYScale(YScale scale)
{
    if (m_d->scale == scale)
        return;
    m_d->scale = scale;
    m_d->manualY.reset();
    const bool log = scale != YScale::Linear;
    for (QCPAxis* axis : {m_d->canvas->yAxis, m_d->canvas->yAxis2})
        axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    scheduleReplot();
}

YScale SeriesPlot::yScale() const
{
    return m_d->scale;
}

void SeriesPlot::setYFromZero(bool fromZero)
{
    m_d->fromZero = fromZero;
    scheduleReplot();
}

void SeriesPlot::setYFormat(std::function<QString(double)> format)
{
    m_d->format = std::move(format);
    scheduleReplot();
}

void SeriesPlot::setMarkKey(std::vector<MarkKey> keys)
{
    m_d->header.keys = std::move(keys);
    scheduleReplot();
}

void SeriesPlot::setNote(const QString& note)
{
    m_d->note = note;
    scheduleReplot();
}

int SeriesPlot::addCurve(CurveSpec spec)
{
    PlotCurve curve(std::move(spec));
    curve.setSmoothing(m_d->smoothing);
    const auto line =
        curve.spec().shape == CurveShape::Steps ? QCPGraph::lsStepLeft : QCPGraph::lsLine;
    const auto addGraph = [&](const QString& layer) {
        QCPGraph* graph = m_d->canvas->addGraph();
        graph->setLayer(layer);
        graph->setLineStyle(line);
        graph->setAdaptiveSampling(false); // the pyramid has already decimated
        return graph;
    };
    m_d->entries.push_back(
        {std::move(curve), addGraph(QStringLiteral("main")), addGraph(QStringLiteral("curves"))});
    scheduleReplot();
    return curveCount() - 1;
}

void SeriesPlot::clear()
{
    m_d->canvas->clearGraphs();
    m_d->entries.clear();
    m_d->marks.clear();
    m_d->hovered = -1;
    m_d->manualY.reset();
    scheduleReplot();
}

int SeriesPlot::curveCount() const
{
    return static_cast<int>(m_d->entries.size());
}

const PlotCurve& SeriesPlot::curve(int index) const
{
    return m_d->entries.at(static_cast<std::size_t>(index)).curve;
}

void SeriesPlot::append(int curve, std::span<const double> x, std::span<const double> y)
{
    m_d->entries.at(static_cast<std::size_t>(curve)).curve.append(x, y);
    scheduleReplot();
}

void SeriesPlot::setPoints(int curve, std::span<const double> x, std::span<const double> y)
{
    m_d->entries.at(static_cast<std::size_t>(curve)).curve.clear();
    append(curve, x, y);
}

void SeriesPlot::setCurveVisible(int curve, bool visible)
{
    m_d->entries.at(static_cast<std::size_t>(curve)).curve.visible = visible;
    scheduleReplot();
}

void SeriesPlot::setLimit(int curve, std::optional<double> y)
{
    m_d->entries.at(static_cast<std::size_t>(curve)).curve.limit = y;
    scheduleReplot();
}

void SeriesPlot::addMark(const PlotMark& mark)
{
    m_d->marks.push_back(mark);
    scheduleReplot();
}

void SeriesPlot::clearMarks()
{
    m_d->marks.clear();
    scheduleReplot();
}

const std::vector<PlotMark>& SeriesPlot::marks() const
{
    return m_d->marks;
}

void SeriesPlot::setSmoothing(double weight)
{
    m_d->smoothing = weight;
    for (Private::Entry& entry : m_d->entries)
        entry.curve.setSmoothing(weight);
    scheduleReplot();
}

void SeriesPlot::setRawVisible(bool visible)
{
    m_d->rawVisible = visible;
    scheduleReplot();
}

void SeriesPlot::setMarksVisible(bool visible)
{
    m_d->marksVisible = visible;
    scheduleReplot();
}

void SeriesPlot::setYRange(std::optional<AxisRange> range)
{
    m_d->manualY = range;
    scheduleReplot();
}

AxisRange SeriesPlot::yRange() const
{
    return {m_d->canvas->yAxis->range().lower, m_d->canvas->yAxis->range().upper};
}

std::optional<AxisRange> SeriesPlot::xExtent() const
{
    std::optional<AxisRange> all;
    for (const Private::Entry& entry : m_d->entries) {
        const auto x = entry.curve.raw().x();
        if (!entry.curve.visible || x.empty())
            continue;
        all = all ? AxisRange{std::min(all->lower, x.front()), std::max(all->upper, x.back())}
                  : AxisRange{x.front(), x.back()};
    }
    return all;
}

QRect SeriesPlot::frame() const
{
    return m_d->canvas->frame().translated(m_d->canvas->pos());
}

QPointF SeriesPlot::pixelOf(double x, double y) const
{
    return {m_d->toPixelX(x), m_d->toPixelY(y)};
}

Curve SeriesPlot::drawnPoints(int curve) const
{
    Curve result;
    const auto points = m_d->entries.at(static_cast<std::size_t>(curve)).shown->data();
    for (auto point = points->constBegin(); point != points->constEnd(); ++point) {
        result.x.push_back(point->key);
        result.y.push_back(point->value);
    }
    return result;
}

void SeriesPlot::scheduleReplot()
{
    m_d->pending = true;
    if (isVisible())
        m_d->canvas->replot(QCustomPlot::rpQueuedReplot);
}

void SeriesPlot::replotCursor()
{
    if (isVisible() && !m_d->pending)
        m_d->canvas->layer(QStringLiteral("overlay"))->replot();
}

bool SeriesPlot::dragging() const
{
    return m_d->canvas->dragging();
}

void SeriesPlot::setGroup(PlotGroup* group)
{
    m_d->group = group;
    m_d->setTickers();
}

double SeriesPlot::replotMs() const
{
    return m_d->canvas->replotTime();
}

void SeriesPlot::keyPressEvent(QKeyEvent* event)
{
    PlotGroup* group = m_d->group;
    const int step = (event->modifiers() & Qt::ShiftModifier) != 0 ? 10 : 1;
    if (!group)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        return group->moveCursor(-step);
    case Qt::Key_Right:
        return group->moveCursor(step);
    case Qt::Key_Home:
        return group->cursorToStart();
    case Qt::Key_End:
        return group->cursorToEnd();
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return m_d->zoom(frame().center(), 0.8, false);
    case Qt::Key_Minus:
        return m_d->zoom(frame().center(), 1.25, false);
    case Qt::Key_Escape:
        return group->setCursor(std::nullopt);
    default:
        QWidget::keyPressEvent(event);
    }
}

void SeriesPlot::resizeEvent(QResizeEvent* event)
{
    m_d->canvas->resize(size());
    QWidget::resizeEvent(event);
    // QCustomPlot has replotted for its new size, but prepared with the old frame.
    scheduleReplot();
}

void SeriesPlot::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_d->pending)
        scheduleReplot();
}

void SeriesPlot::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    QWidget::mousePressEvent(event);
}

bool SeriesPlot::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QString text = m_d->markTextAt(help->pos());
        // In a narrow plot the title line is cut.
        if (text.isEmpty() && help->pos().y() < kHeaderHeight && !m_d->header.detail.isEmpty())
            text = m_d->header.title + QStringLiteral(": ") + m_d->header.detail;
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace mantissa::ui
