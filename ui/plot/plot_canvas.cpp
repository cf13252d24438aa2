// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_canvas.h"

#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"

#include <cmath>

namespace mantissa::ui {

FunctionTicker::FunctionTicker(Source source)
    : m_source(std::move(source))
{
}

void FunctionTicker::generate(const QCPRange& range, const QLocale&, QChar, int,
    QVector<double>& ticks, QVector<double>* subTicks, QVector<QString>* tickLabels)
{
    const Ticks made = m_source({range.lower, range.upper});
    ticks = QVector<double>(made.major.begin(), made.major.end());
    if (subTicks)
        *subTicks = QVector<double>(made.minor.begin(), made.minor.end());
    if (tickLabels)
        *tickLabels = QVector<QString>(made.labels.begin(), made.labels.end());
}

PaintedLayerable::PaintedLayerable(QCustomPlot* plot, const QString& layer, Paint paint)
    : QCPLayerable(plot, layer)
    , m_paint(std::move(paint))
{
}

void PaintedLayerable::applyDefaultAntialiasingHint(QCPPainter* painter) const
{
    painter->setAntialiasing(true);
}

void PaintedLayerable::draw(QCPPainter* painter)
{
    m_paint(*painter);
}

PlotCanvas::PlotCanvas(QWidget* parent)
    : QCustomPlot(parent)
{
    setFocusPolicy(Qt::NoFocus);
    setMouseTracking(true);
    setInteractions(QCP::Interactions());
    setNoAntialiasingOnDrag(true);
    axisRect()->setAutoMargins(QCP::msNone);
    axisRect()->setupFullAxesBox();
    addLayer(QStringLiteral("curves"), layer(QStringLiteral("main")));
    addLayer(QStringLiteral("decoration"), layer(QStringLiteral("legend")));
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTickLength(0, 4);
        axis->setSubTickLength(0, 0);
        axis->setTickLabelPadding(4);
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->grid()->setSubGridVisible(true);
    }
    for (QCPAxis* axis : {xAxis2, yAxis2}) {
        axis->setTicks(false);
        axis->setTickLabels(false);
    }
    applyColours();
}

void PlotCanvas::applyColours()
{
    const Colours& c = colours(palette());
    setBackground(QBrush(c.panel));
    for (QCPAxis* axis : {xAxis, yAxis, xAxis2, yAxis2}) {
        axis->setBasePen(QPen(c.border, 1));
        axis->setTickPen(QPen(c.axisTicks, 1));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(c.mutedText);
        axis->setTickLabelFont(hintFont(font()));
        axis->grid()->setPen(QPen(c.grid, 1));
        axis->grid()->setSubGridPen(QPen(c.minorGrid, 1));
    }
}

void PlotCanvas::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange)
        return;
    applyColours();
    replot(QCustomPlot::rpQueuedReplot);
}

std::optional<QRect> PlotCanvas::box() const
{
    if (m_drag != Drag::Box || !m_moved)
        return std::nullopt;
    return QRect(m_start, m_last).normalized() & frame();
}

void PlotCanvas::mousePressEvent(QMouseEvent* event)
{
    m_moved = false;
    m_start = m_last = event->pos();
    if (event->button() != Qt::LeftButton || !frame().contains(event->pos()))
        m_drag = Drag::None;
    else
        m_drag = (event->modifiers() & Qt::ShiftModifier) != 0 ? Drag::Box : Drag::Pan;
    event->ignore(); // the SeriesPlot takes the focus
}

void PlotCanvas::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint delta = event->pos() - m_last;
    if (m_drag != Drag::None && !m_moved)
        m_moved = (event->pos() - m_start).manhattanLength() >= 4;
    if (m_drag == Drag::None || !m_moved) {
        if (frame().contains(event->pos()))
            Q_EMIT hovered(event->position());
        return;
    }
    m_last = event->pos();
    if (m_drag == Drag::Pan)
        Q_EMIT panned(delta);
    else
        layer(QStringLiteral("overlay"))->replot();
}

void PlotCanvas::mouseReleaseEvent(QMouseEvent*)
{
    const auto chosen = box();
    m_drag = Drag::None;
    if (chosen && chosen->width() >= 4 && chosen->height() >= 4)
        Q_EMIT boxChosen(*chosen);
    else if (chosen)
        layer(QStringLiteral("overlay"))->replot();
    Q_EMIT gestureEnded();
}

void PlotCanvas::mouseDoubleClickEvent(QMouseEvent*)
{
    m_drag = Drag::None;
    Q_EMIT fitWanted();
}

void PlotCanvas::wheelEvent(QWheelEvent* event)
{
    const double steps = event->angleDelta().y() / 120.0;
    if (steps == 0 || !frame().contains(event->position().toPoint()))
        return event->ignore();
    Q_EMIT zoomed(
        event->position(), std::pow(0.8, steps), (event->modifiers() & Qt::ControlModifier) != 0);
    event->accept();
}

} // namespace mantissa::ui
