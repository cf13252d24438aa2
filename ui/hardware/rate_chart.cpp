// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/rate_chart.h"

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

constexpr double kLegendHeight = 20;
constexpr double kLeft = 50;
constexpr double kUnder = 24; ///< names of the works

QString shortTitle(CheckWork work)
{
    switch (work) {
    case CheckWork::MatMulTall:
        return RateChart::tr("Matrix, tall");
    case CheckWork::Convolution:
        return RateChart::tr("Convolution");
    case CheckWork::LinearStep:
        return RateChart::tr("Linear step");
    default:
        return toQString(title(work));
    }
}

bool isHatched(FormatClass value)
{
    return value == FormatClass::Emulated;
}

/// The reference stands back behind what is compared with it.
QColor inkOf(CheckFormat format, const Colours& c)
{
    QColor ink = c.series(formatColour(format));
    if (format == CheckFormat::Fp64)
        ink.setAlphaF(0.55F);
    return ink;
}

void drawFill(QPainter& painter, const QRectF& place, FormatClass formatClass, const QColor& ink,
    const QColor& ground)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(place, isHatched(formatClass) ? ground : ink);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (!isHatched(formatClass))
        return;
    drawHatch(painter, place, ink);
    painter.setPen(QPen(ink, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(place);
}

} // namespace

RateChart::RateChart(QWidget* parent)
    : ChartWidget(tr("Speed"), parent)
{
}

void RateChart::set(const CapabilityCard& card)
{
    m_bars.clear();
    m_formats.clear();
    m_works.clear();
    for (const CheckWork work : kCheckWorks) {
        if (isBandwidth(work))
            continue;
        m_works.push_back(work);
        for (const CheckFormat format : kCheckFormats) {
            const CheckCell* cell = card.find(work, format);
            if (!cell || cell->points.empty())
                continue;
            const CheckPoint& point = cell->largest();
            const auto rate = [&](double ms) { return point.amount / (ms / 1000); };
            m_bars.push_back({work, format, cell->formatClass, point.rate(), rate(point.ms.upper),
                rate(point.ms.lower), toQString(point.shape), cellTip(*cell)});
            if (std::ranges::find(m_formats, format) == m_formats.end())
                m_formats.push_back(format);
        }
    }
    std::ranges::sort(m_formats);
    m_unit = flopUnit(m_bars.empty() ? 0 : std::ranges::max(m_bars, {}, &Bar::median).median);
    QStringList words;
    for (const Bar& bar : m_bars)
        words << QString(shortTitle(bar.work) + QLatin1Char(' ') + formatName(bar.format)
            + QStringLiteral(": ") + toQString(rateText(bar.median, false)));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

QRectF RateChart::frame(const QSizeF& size) const
{
    const double top = kHeaderHeight + kLegendHeight + 4;
    return {kLeft, top, size.width() - kLeft - 12, size.height() - top - kUnder};
}

LogAxis RateChart::axis(const QRectF& frame) const
{
    double lowest = 1e9;
    double highest = 1e12;
    if (!m_bars.empty()) {
        lowest = std::ranges::min_element(m_bars, {}, &Bar::median)->median;
        highest = std::ranges::max_element(m_bars, {}, &Bar::high)->high;
    }
    // Room for the number over the highest bar, and a foot under the lowest.
    const double top = std::clamp(26 / std::max(1.0, frame.height()), 0.05, 0.3);
    AxisRange range =
        paddedRange(lowest / m_unit.size, highest / m_unit.size, YScale::Log10, 0.16, top);
    return {range, frame.bottom(), frame.top()};
}

QRectF RateChart::barRect(std::size_t index, const QSizeF& size) const
{
    const Bar& bar = m_bars.at(index);
    const QRectF area = frame(size);
    const auto works = static_cast<double>(m_works.size());
    const auto group = static_cast<double>(std::ranges::find(m_works, bar.work) - m_works.begin());
    const auto place =
        static_cast<double>(std::ranges::find(m_formats, bar.format) - m_formats.begin());
    const double groupWidth = area.width() / works;
    const double slot = std::min(groupWidth * 0.88 / static_cast<double>(m_formats.size()), 34.0);
    const double left = area.left() + groupWidth * (group + 0.5)
        + slot * (place - static_cast<double>(m_formats.size()) / 2);
    const double top = std::round(axis(area).pixel(bar.median / m_unit.size));
    return {std::round(left), top, std::max(3.0, std::floor(slot) - 2), area.bottom() - top};
}

void RateChart::draw(QPainter& painter, const QSizeF& size) const
{
    const Colours& c = colours(palette());
    PlotHeader header{
        title(), tr("%1, log axis; bar: median, whisker: quartiles").arg(m_unit.name), {}};
    paintHeader(painter, QRectF(8, 0, size.width() - 16, kHeaderHeight), header, font(), c);
    drawLegend(painter, QRectF(kLeft, kHeaderHeight, size.width() - kLeft - 12, kLegendHeight));
    const QRectF area = frame(size);
    drawFrame(painter, area, axis(area));
    for (std::size_t i = 0; i < m_bars.size(); ++i)
        drawBar(painter, i, size);
    drawNumbers(painter, size);
    for (const CheckWork work : m_works)
        drawWork(painter, area, work);
}

void RateChart::drawLegend(QPainter& painter, const QRectF& place) const
{
    const Colours& c = colours(palette());
    const QFont hint = hintFont(font());
    const QFontMetricsF metrics(hint);
    double left = place.left();
    for (const CheckFormat format : m_formats) {
        const auto bar = std::ranges::find(m_bars, format, &Bar::format);
        QString text = formatName(format) + QLatin1Char(' ')
            + (format == CheckFormat::Fp64 ? tr("reference")
                                           : toQString(toString(bar->formatClass)));
        if (isHatched(bar->formatClass))
            text += tr(" (hatched)");
        const double width = metrics.horizontalAdvance(text);
        if (left + 18 + width > place.right())
            break; // the tooltips and the table name them, too
        drawFill(painter, QRectF(std::round(left), place.top() + 4, 11, 11), bar->formatClass,
            inkOf(format, c), c.panel);
        painter.setFont(hint);
        painter.setPen(c.text);
        painter.drawText(QRectF(left + 17, place.top(), width + 2, place.height()),
            Qt::AlignLeft | Qt::AlignVCenter, text);
        left += 17 + width + 18;
    }
}

void RateChart::drawBar(QPainter& painter, std::size_t index, const QSizeF& size) const
{
    const Colours& c = colours(palette());
    const Bar& bar = m_bars[index];
    const QRectF place = barRect(index, size);
    drawFill(painter, place, bar.formatClass, inkOf(bar.format, c), c.panel);
    const LogAxis y = axis(frame(size));
    const double middle = place.center().x();
    const double high = y.pixel(bar.high / m_unit.size);
    const double low = y.pixel(bar.low / m_unit.size);
    painter.setPen(QPen(c.text, 1));
    painter.drawLine(QPointF(middle, low), QPointF(middle, high));
    for (const double cap : {low, high})
        painter.drawLine(QPointF(middle - 3, cap), QPointF(middle + 3, cap));
}

void RateChart::drawNumbers(QPainter& painter, const QSizeF& size) const
{
    const LogAxis y = axis(frame(size));
    const QFont hint = hintFont(font());
    const QFontMetricsF metrics(hint);
    painter.setFont(hint);
    painter.setPen(colours(palette()).text);
    QRectF last;
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const QString number = formatSignificant(m_bars[i].median / m_unit.size, 3);
        const double width = metrics.horizontalAdvance(number) + 2;
        const QRectF bar = barRect(i, size);
        const double bottom = std::min(y.pixel(m_bars[i].high / m_unit.size), bar.top()) - 2;
        const QRectF place(bar.center().x() - width / 2, bottom - 15, width, 15);
        // Two numbers would run into each other: the tooltip has the second.
        if (place.intersects(last))
            continue;
        painter.drawText(place, Qt::AlignHCenter | Qt::AlignBottom, number);
        last = place;
    }
}

void RateChart::drawWork(QPainter& painter, const QRectF& area, CheckWork work) const
{
    const auto index = static_cast<double>(std::ranges::find(m_works, work) - m_works.begin());
    const double width = area.width() / static_cast<double>(m_works.size());
    painter.setFont(hintFont(font()));
    painter.setPen(colours(palette()).text);
    painter.drawText(QRectF(area.left() + width * index, area.bottom() + 4, width, 18),
        Qt::AlignCenter,
        QFontMetricsF(painter.font()).elidedText(shortTitle(work), Qt::ElideRight, width - 4));
}

QString RateChart::tipAt(const QPointF& place) const
{
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        // The whole column: an emulated format's bar is a few pixels high.
        QRectF column = barRect(i, size());
        column.setTop(frame(size()).top());
        if (column.contains(place))
            return m_bars[i].tip;
    }
    return {};
}

QString RateChart::csv() const
{
    const auto number = [](double value) { return QString::fromStdString(toText(value)); };
    QString text =
        QStringLiteral("work,format,class,shape,flop_per_s,quartile_low,quartile_high\n");
    for (const Bar& bar : m_bars) {
        QStringList fields{toQString(toString(bar.work)), formatName(bar.format),
            toQString(toString(bar.formatClass)),
            QString(QLatin1Char('"') + bar.shape + QLatin1Char('"')), number(bar.median),
            number(bar.low), number(bar.high)};
        text += fields.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return text;
}

} // namespace mantissa::ui
