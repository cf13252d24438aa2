// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/chart_widget.h"

#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

double LogAxis::pixel(double value) const
{
    const double share = std::log(value / range.lower) / std::log(range.upper / range.lower);
    return from + (to - from) * share;
}

ChartWidget::ChartWidget(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(title)
{
    setAccessibleName(title);
    setMinimumSize(260, 180);
    setFocusPolicy(Qt::StrongFocus);
}

Drawing ChartWidget::drawing() const
{
    const QSize shown = size();
    return {m_title, shown, [this, shown](QPaintDevice& device) { drawOn(device, shown); },
        [this] { return csv(); }};
}

void ChartWidget::drawOn(QPaintDevice& device, const QSize& size) const
{
    QPainter painter(&device);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(QRect(QPoint(0, 0), size), colours(palette()).panel);
    draw(painter, size);
}

void ChartWidget::drawFrame(QPainter& painter, const QRectF& frame, const LogAxis& y) const
{
    const Colours& c = colours(palette());
    const int wanted = std::max(2, static_cast<int>(frame.height()) / 32);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(c.minorGrid, 1));
    for (const double value : minorTicks(y.range, YScale::Log10)) {
        const double at = std::round(y.pixel(value));
        painter.drawLine(QPointF(frame.left(), at), QPointF(frame.right(), at));
    }
    painter.setFont(hintFont(font()));
    for (const double value : log10Ticks(y.range, wanted)) {
        const double at = std::round(y.pixel(value));
        painter.setPen(QPen(c.grid, 1));
        painter.drawLine(QPointF(frame.left(), at), QPointF(frame.right(), at));
        painter.setPen(QPen(c.axisTicks, 1));
        painter.drawLine(QPointF(frame.left() - 4, at), QPointF(frame.left(), at));
        painter.setPen(c.mutedText);
        painter.drawText(QRectF(0, at - 9, frame.left() - 7, 18), Qt::AlignRight | Qt::AlignVCenter,
            formatAxisNumber(value));
    }
    painter.setPen(QPen(c.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(frame);
    painter.setRenderHint(QPainter::Antialiasing, true);
}

bool ChartWidget::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = tipAt(help->pos());
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), tip, this);
    return true;
}

void ChartWidget::paintEvent(QPaintEvent*)
{
    drawOn(*this, size());
    if (!hasFocus())
        return;
    QPainter painter(this);
    painter.setPen(colours(palette()).accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void ChartWidget::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        update();
}

void drawHatch(QPainter& painter, const QRectF& place, const QColor& colour)
{
    constexpr double kDistance = 5;
    painter.setPen(QPen(colour, 1));
    // x + y is constant along a line; each is cut to the rectangle by hand, because vector files
    // do not clip.
    const double first = place.left() + place.top();
    const double last = place.right() + place.bottom();
    for (double sum = first + kDistance; sum < last; sum += kDistance) {
        const double x0 = std::max(place.left(), sum - place.bottom());
        const double x1 = std::min(place.right(), sum - place.top());
        painter.drawLine(QPointF(x0, sum - x0), QPointF(x1, sum - x1));
    }
}

} // namespace mantissa::ui
