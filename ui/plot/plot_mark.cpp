// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_mark.h"

#include <QPainter>
#include <QPolygonF>

namespace mantissa::ui {

namespace {

constexpr double kHalf = 3.5;

void drawCross(QPainter& painter, const QPointF& c, double half)
{
    painter.drawLine(c + QPointF(-half, -half), c + QPointF(half, half));
    painter.drawLine(c + QPointF(-half, half), c + QPointF(half, -half));
}

QPolygonF triangle(const QPointF& c, bool up)
{
    const double dy = up ? -kHalf : kHalf;
    return QPolygonF({c + QPointF(0, dy), c + QPointF(-4, -dy), c + QPointF(4, -dy)});
}

} // namespace

QColor markColour(MarkKind kind, SeriesColour series, const Colours& colours)
{
    return kind == MarkKind::Disturbed ? colours.warn : colours.series(series);
}

void drawMark(QPainter& painter, MarkKind kind, const QPointF& c, const QColor& colour)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 1.4));
    switch (kind) {
    case MarkKind::Skipped:
        drawCross(painter, c, kHalf);
        break;
    case MarkKind::NonFinite:
        painter.setPen(QPen(colour, 1.1));
        painter.drawEllipse(c, 4, 4);
        drawCross(painter, c, 2.4);
        break;
    case MarkKind::Growth:
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(triangle(c, true));
        break;
    case MarkKind::BackOff:
        painter.setPen(QPen(colour, 1.1));
        painter.drawPolygon(triangle(c, false));
        break;
    case MarkKind::Edit:
        painter.setPen(QPen(colour, 1.1));
        painter.drawPolygon(QPolygonF(
            {c + QPointF(0, -4), c + QPointF(4, 0), c + QPointF(0, 4), c + QPointF(-4, 0)}));
        break;
    case MarkKind::Disturbed:
        painter.fillRect(QRectF(c - QPointF(kHalf, kHalf), c + QPointF(kHalf, kHalf)), colour);
        break;
    }
}

QString markWord(MarkKind kind)
{
    switch (kind) {
    case MarkKind::Skipped:
        return QStringLiteral("skipped");
    case MarkKind::NonFinite:
        return QStringLiteral("non-finite");
    case MarkKind::Growth:
        return QStringLiteral("growth");
    case MarkKind::BackOff:
        return QStringLiteral("back-off");
    case MarkKind::Edit:
        return QStringLiteral("edit");
    case MarkKind::Disturbed:
        return QStringLiteral("disturbed");
    }
    return {};
}

} // namespace mantissa::ui
