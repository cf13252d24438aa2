// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/roofline_plot.h"

#include "core/base/number_text.h"
#include "ui/hardware/card_text.h"
#include "ui/plot/plot_decoration.h"
#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

constexpr double kLeftMargin = 50;
constexpr double kBottomMargin = 40; ///< numbers and the name of the x axis
constexpr double kLeastIntensity = 0.25;
constexpr double kMostIntensity = 512;
constexpr double kDot = 4;
constexpr double kTextDistance = 14;

QPen roofPen(FormatClass value, const QColor& colour)
{
    QPen pen(colour, 1);
    if (value == FormatClass::Emulated)
        pen.setDashPattern({4, 3});
    return pen;
}

} // namespace

RooflinePlot::RooflinePlot(QWidget* parent)
    : ChartWidget(tr("Roofline"), parent)
    , m_unitName(flopUnit(0).name)
{
}

void RooflinePlot::set(const Roofline& roofline)
{
    m_data = roofline;
    const FlopUnit unit = flopUnit(highestRoof());
    m_unit = unit.size;
    m_unitName = unit.name;
    QStringList words;
    for (const Roofline::Roof& roof : m_data.roofs)
        words << QString(tr("roof of %1: ").arg(formatName(roof.format))
            + toQString(rateText(roof.rate, false)));
    for (const Roofline::Point& point : m_data.points)
        words << pointText(point);
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

void RooflinePlot::setTheoryShown(bool shown)
{
    m_theory = shown;
    update();
}

double RooflinePlot::highestRoof() const
{
    double highest = 0;
    for (const Roofline::Roof& roof : m_data.roofs)
        highest = std::max(highest, roof.rate);
    return highest;
}

RooflinePlot::Axes RooflinePlot::axes(const QSizeF& size) const
{
    const double top = kHeaderHeight + 8;
    const QRectF frame(
        kLeftMargin, top, size.width() - kLeftMargin - 16, size.height() - top - kBottomMargin);
    double most = kMostIntensity;
    if (m_data.bandwidth > 0 && highestRoof() > 0)
        most =
            std::max(most, std::exp2(std::ceil(std::log2(4 * highestRoof() / m_data.bandwidth))));
    double lowest = 1e9;
    double highest = 1e12;
    if (!m_data.roofs.empty()) {
        highest = highestRoof();
        lowest = m_data.bandwidth > 0 ? m_data.bandwidth * kLeastIntensity : highest;
        for (const Roofline::Roof& roof : m_data.roofs) {
            lowest = std::min(lowest, roof.rate);
            highest = std::max(highest, m_theory ? roof.published.value_or(0) : 0);
        }
        for (const Roofline::Point& point : m_data.points)
            lowest = std::min(lowest, point.rate);
    }
    const AxisRange y = paddedRange(lowest / m_unit, highest / m_unit, YScale::Log10, 0.12, 0.1);
    return {frame, {{kLeastIntensity, most}, frame.left(), frame.right()},
        {y, frame.bottom(), frame.top()}};
}

void RooflinePlot::draw(QPainter& painter, const QSizeF& size) const
{
    const Colours& c = colours(palette());
    QString detail = tr("%1, measured roofs").arg(m_unitName);
    if (!m_data.points.empty())
        detail += tr("; dots: one step of %1").arg(toQString(m_data.experiment));
    paintHeader(
        painter, QRectF(8, 0, size.width() - 16, kHeaderHeight), {title(), detail, {}}, font(), c);
    const Axes all = axes(size);
    drawIntensityAxis(painter, all);
    drawFrame(painter, all.frame, all.y);
    if (m_data.bandwidth > 0 && !m_data.roofs.empty())
        drawMemoryRoof(painter, all);
    drawRoofs(painter, all);
    drawPoints(painter, all);
}

void RooflinePlot::drawIntensityAxis(QPainter& painter, const Axes& all) const
{
    const Colours& c = colours(palette());
    const int wanted = std::max(2, static_cast<int>(all.frame.width()) / 40);
    painter.setFont(hintFont(font()));
    for (const double value : log2Ticks(all.x.range, wanted)) {
        const double at = std::round(all.x.pixel(value));
        painter.setPen(QPen(c.grid, 1));
        painter.drawLine(QPointF(at, all.frame.top()), QPointF(at, all.frame.bottom()));
        painter.setPen(QPen(c.axisTicks, 1));
        painter.drawLine(QPointF(at, all.frame.bottom()), QPointF(at, all.frame.bottom() + 4));
        painter.setPen(c.mutedText);
        painter.drawText(QRectF(at - 30, all.frame.bottom() + 5, 60, 16), Qt::AlignCenter,
            formatAxisNumber(value));
    }
    painter.drawText(QRectF(all.frame.left(), all.frame.bottom() + 21, all.frame.width(), 16),
        Qt::AlignCenter, tr("arithmetic intensity, FLOP a byte"));
}

void RooflinePlot::drawMemoryRoof(QPainter& painter, const Axes& all) const
{
    const double ridge = highestRoof() / m_data.bandwidth;
    const auto place = [&](double intensity) {
        return QPointF(all.x.pixel(intensity), all.y.pixel(m_data.bandwidth * intensity / m_unit));
    };
    const double end = std::clamp(ridge, all.x.range.lower, all.x.range.upper);
    const QPointF from = place(all.x.range.lower);
    const QPointF to = place(end);
    painter.setPen(QPen(colours(palette()).text, 1));
    painter.drawLine(from, to);
    painter.setFont(hintFont(font()));
    const QString text = tr("memory %1").arg(toQString(rateText(m_data.bandwidth, true)));
    const double length = std::hypot(to.x() - from.x(), to.y() - from.y());
    if (QFontMetricsF(painter.font()).horizontalAdvance(text) + 30 > length)
        return;
    constexpr double kDegrees = 57.29577951308232;
    painter.save();
    painter.translate(from);
    painter.rotate(std::atan2(to.y() - from.y(), to.x() - from.x()) * kDegrees);
    painter.drawText(QRectF(12, -18, length - 20, 16), Qt::AlignLeft | Qt::AlignVCenter, text);
    painter.restore();
}

void RooflinePlot::drawRoofs(QPainter& painter, const Axes& all) const
{
    const Colours& c = colours(palette());
    const QFont hint = hintFont(font());
    std::vector<Roofline::Roof> roofs = m_data.roofs;
    std::ranges::sort(roofs, std::ranges::greater(), &Roofline::Roof::rate);
    std::vector<double> wishes;
    for (const Roofline::Roof& roof : roofs) {
        const QColor ink = c.series(formatColour(roof.format));
        const double y = all.y.pixel(roof.rate / m_unit);
        const double ridge = m_data.bandwidth > 0 ? roof.rate / m_data.bandwidth : 0;
        const double start = std::clamp(ridge, all.x.range.lower, all.x.range.upper);
        painter.setPen(roofPen(roof.formatClass, ink));
        painter.drawLine(QPointF(all.x.pixel(start), y), QPointF(all.frame.right(), y));
        if (m_theory && roof.published) {
            QPen pen(ink, 1);
            pen.setDashPattern({4, 3});
            painter.setPen(pen);
            const double at = all.y.pixel(*roof.published / m_unit);
            painter.drawLine(
                QPointF(all.frame.right() - all.frame.width() / 6, at), {all.frame.right(), at});
        }
        wishes.push_back(y - 8);
    }
    const auto places =
        spreadApart(wishes, kTextDistance, all.frame.top() + 8, all.frame.bottom() - 8);
    painter.setFont(hint);
    painter.setPen(c.text);
    for (std::size_t i = 0; i < roofs.size(); ++i) {
        QString text = formatName(roofs[i].format) + QLatin1Char(' ')
            + formatSignificant(roofs[i].rate / m_unit, 3);
        if (roofs[i].formatClass == FormatClass::Emulated)
            text += tr(", emulated");
        // Where roofs are close, a label would stand on another's line.
        const double width = QFontMetricsF(hint).horizontalAdvance(text) + 4;
        const QRectF place(all.frame.right() - width - 3, places[i] - 7, width, 14);
        painter.fillRect(place, c.panel);
        painter.drawText(place, Qt::AlignCenter, text);
    }
}

QPointF RooflinePlot::pointPlace(const Roofline::Point& point, const QSizeF& size) const
{
    const Axes all = axes(size);
    const double x = std::clamp(point.intensity, all.x.range.lower, all.x.range.upper);
    return {all.x.pixel(x), all.y.pixel(point.rate / m_unit)};
}

QString RooflinePlot::pointText(const Roofline::Point& point) const
{
    return tr("%1 %2: %3 of its roof")
        .arg(formatName(point.format), formatSignificant(point.rate / m_unit, 2),
            formatPercent(point.share));
}

void RooflinePlot::drawPoints(QPainter& painter, const Axes& all) const
{
    const Colours& c = colours(palette());
    std::vector<Roofline::Point> points = m_data.points;
    std::ranges::sort(points, std::ranges::greater(), &Roofline::Point::rate);
    std::vector<double> wishes;
    for (const Roofline::Point& point : points)
        wishes.push_back(all.y.pixel(point.rate / m_unit));
    const auto places =
        spreadApart(wishes, kTextDistance, all.frame.top() + 8, all.frame.bottom() - 8);
    painter.setFont(hintFont(font()));
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double x =
            all.x.pixel(std::clamp(points[i].intensity, all.x.range.lower, all.x.range.upper));
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.series(formatColour(points[i].format)));
        painter.drawEllipse(QPointF(x, wishes[i]), kDot, kDot);
        const QString text = pointText(points[i]);
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 2;
        const bool left = x + 9 + width > all.frame.right();
        painter.setPen(c.text);
        painter.drawText(QRectF(left ? x - 9 - width : x + 9, places[i] - 8, width, 16),
            Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

QString RooflinePlot::tipAt(const QPointF& place) const
{
    for (const Roofline::Point& point : m_data.points) {
        const QPointF at = pointPlace(point, size());
        if (std::hypot(at.x() - place.x(), at.y() - place.y()) <= 8)
            return tr("One step of %1 in %2\n%3 at %4 FLOP a byte: %5 of what bandwidth and peak "
                      "allow there")
                .arg(toQString(m_data.experiment), formatName(point.format),
                    toQString(rateText(point.rate, false)), formatSignificant(point.intensity, 3),
                    formatPercent(point.share));
    }
    return {};
}

QString RooflinePlot::csv() const
{
    const auto number = [](double value) { return QString::fromStdString(toText(value)); };
    const auto line = [](const QStringList& fields) -> QString {
        return fields.join(QLatin1Char(',')) + QLatin1Char('\n');
    };
    QString text = QStringLiteral("what,format,flop_per_byte,flop_per_s,bytes_per_s\n");
    if (m_data.bandwidth > 0)
        text += line({QStringLiteral("memory"), {}, {}, {}, number(m_data.bandwidth)});
    for (const Roofline::Roof& roof : m_data.roofs)
        text += line({QStringLiteral("roof"), formatName(roof.format), {}, number(roof.rate), {}});
    for (const Roofline::Point& point : m_data.points)
        text += line({QStringLiteral("step"), formatName(point.format), number(point.intensity),
            number(point.rate), {}});
    return text;
}

} // namespace mantissa::ui
