// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_decoration.h"

#include "ui/plot/axis_scale.h"
#include "ui/theme/fonts.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr double kTagDistance = 13;
constexpr double kTagGap = 6; ///< frame to bar
constexpr double kTagBar = 3;

/// Draws the key from the right; returns its left edge.
double paintKeys(QPainter& painter, const QRectF& place, const std::vector<MarkKey>& keys,
    const QFont& font, const Colours& c)
{
    const QFontMetricsF metrics(font);
    double right = place.right();
    for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
        const double width = metrics.horizontalAdvance(key->text);
        if (right - width - 20 < place.left() + place.width() * 0.4)
            break;
        const QRectF text(right - width, place.top(), width + 1, place.height());
        painter.setFont(font);
        painter.setPen(c.mutedText);
        painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft, key->text);
        drawMark(painter, key->kind, QPointF(text.left() - 9, place.center().y() + 0.5),
            markColour(key->kind, key->colour, c));
        right = text.left() - 24;
    }
    return right;
}

} // namespace

void paintHeader(QPainter& painter, const QRectF& place, const PlotHeader& header,
    const QFont& base, const Colours& c)
{
    const QFont titleFont = semibold(tableFont(base));
    const QFont detailFont = tableFont(base);
    const double end = paintKeys(painter, place, header.keys, hintFont(base), c);
    const double titleWidth = QFontMetricsF(titleFont).horizontalAdvance(header.title);
    painter.setFont(titleFont);
    painter.setPen(c.text);
    painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft, header.title);
    QRectF rest = place;
    rest.setLeft(place.left() + titleWidth + 6);
    rest.setRight(end);
    painter.setFont(detailFont);
    painter.setPen(c.mutedText);
    painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft,
        QFontMetricsF(detailFont).elidedText(header.detail, Qt::ElideRight, rest.width()));
}

int nameTagWidth(const std::vector<NameTag>& tags, const QFont& base)
{
    const QFontMetricsF metrics(hintFont(base));
    double width = 0;
    for (const NameTag& tag : tags)
        width = std::max(width, metrics.horizontalAdvance(tag.name));
    return static_cast<int>(std::min(width, 110.0) + kTagGap + kTagBar + 12);
}

void paintNameTags(QPainter& painter, const QRectF& frame, std::vector<NameTag> tags,
    const QFont& base, const Colours& c)
{
    std::ranges::stable_sort(tags, {}, &NameTag::y);
    std::vector<double> wishes;
    for (const NameTag& tag : tags)
        wishes.push_back(tag.y);
    const auto places = spreadApart(wishes, kTagDistance, frame.top() + 6, frame.bottom() - 6);
    const QFont font = hintFont(base);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    for (std::size_t i = 0; i < tags.size(); ++i) {
        const double y = places[i];
        const double bar = frame.right() + kTagGap + 1;
        const double end = std::clamp(tags[i].y, frame.top(), frame.bottom());
        painter.setPen(QPen(tags[i].colour, 1));
        painter.drawLine(QPointF(frame.right() + 1, end), QPointF(bar, y));
        painter.fillRect(QRectF(bar, y - 6, kTagBar, 12), tags[i].colour);
        painter.setPen(c.text);
        const QRectF text(bar + kTagBar + 4, y - 9, 110, 18);
        painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
            metrics.elidedText(tags[i].name, Qt::ElideRight, 110));
    }
}

std::vector<QRectF> notePlaces(const QRectF& frame, const QString& note, const QFont& base)
{
    const QFontMetricsF metrics(hintFont(base));
    const QSizeF size(metrics.horizontalAdvance(note) + 4, metrics.height());
    const double right = frame.right() - 6 - size.width();
    const double left = frame.left() + 8;
    const double top = frame.top() + kRailHeight;
    const double bottom = frame.bottom() - kRailHeight - 4 - size.height();
    const double middle = frame.center().y() - size.height() / 2;
    std::vector<QRectF> places;
    for (const QPointF& corner :
        {QPointF(right, bottom), QPointF(right, top), QPointF(left, bottom), QPointF(left, top),
            QPointF(right, middle), QPointF(left, middle)})
        places.emplace_back(corner, size);
    return places;
}

void paintNote(QPainter& painter, const QRectF& place, const QString& note, const QFont& base,
    const Colours& c)
{
    painter.setFont(hintFont(base));
    painter.setPen(c.mutedText);
    painter.drawText(place, Qt::AlignCenter, note);
}

void paintCursor(QPainter& painter, const QRectF& frame, double x, const QString& label,
    const std::vector<std::pair<double, QString>>& axisTexts, const std::vector<CursorDot>& dots,
    const QFont& base, const Colours& c)
{
    if (x < frame.left() - 0.5 || x > frame.right() + 0.5)
        return;
    QPen pen(c.text, 1);
    pen.setDashPattern({3, 2});
    painter.setPen(pen);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.drawLine(QPointF(x, frame.top()), QPointF(x, frame.bottom()));
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const CursorDot& dot : dots) {
        painter.setPen(QPen(dot.colour, 1.2));
        painter.setBrush(c.panel);
        painter.drawEllipse(dot.at, 3, 3);
    }
    const QFont font = hintFont(base);
    const QFontMetricsF metrics(font);
    const double width = std::max(metrics.horizontalAdvance(label) + 12, 36.0);
    QRectF box(x - width / 2, frame.bottom() + 4, width, metrics.height() + 1);
    for (const auto& [centre, text] : axisTexts) {
        const double half = metrics.horizontalAdvance(text) / 2 + 1;
        if (centre + half > box.left() - 3 && centre - half < box.right() + 3)
            painter.fillRect(QRectF(centre - half, box.top(), 2 * half, box.height() + 2), c.panel);
    }
    painter.fillRect(box, c.text);
    painter.setFont(font);
    painter.setPen(c.panel);
    painter.drawText(box, Qt::AlignCenter, label);
}

void paintBox(QPainter& painter, const QRectF& box, const Colours& c)
{
    QColor fill = c.accent;
    fill.setAlphaF(0.15F);
    painter.setPen(QPen(c.accent, 1));
    painter.setBrush(fill);
    painter.drawRect(box);
}

} // namespace mantissa::ui
