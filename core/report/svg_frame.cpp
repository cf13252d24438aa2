// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/svg_frame.h"

#include "core/report/xml_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace mantissa {

namespace {

constexpr int kTicksX = 6;
constexpr int kTicksY = 6;
constexpr int kTicksLog2 = 9;
constexpr double kTagSpacing = 13;
constexpr std::size_t kTagCharacters = 12;

double onAxis(double value, AxisScale scale)
{
    switch (scale) {
    case AxisScale::Log2:
        return std::log2(value);
    case AxisScale::Log10:
        return std::log10(value);
    case AxisScale::Linear:
        break;
    }
    return value;
}

double offAxis(double value, AxisScale scale)
{
    if (scale == AxisScale::Log2)
        return std::exp2(value);
    return scale == AxisScale::Log10 ? std::pow(10, value) : value;
}

/// At most `limit` characters of UTF-8, an ellipsis for the rest.
std::string shortened(const std::string& name, std::size_t limit)
{
    std::string kept;
    std::size_t characters = 0;
    for (const char c : name) {
        const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
        if (!continues && ++characters > limit)
            return kept + "\u2026";
        kept += c;
    }
    return name;
}

struct Tag {
    const ChartSeries* series;
    double end; ///< pixel of the last value
    double y; ///< pixel of the text
};

/// Moves tags apart, keeping their order and staying in the frame where there is room.
void spread(std::vector<Tag>& tags, double top, double bottom)
{
    std::sort(tags.begin(), tags.end(), [](const Tag& a, const Tag& b) { return a.end < b.end; });
    double least = top;
    for (auto& tag : tags) {
        tag.y = std::max(tag.end, least);
        least = tag.y + kTagSpacing;
    }
    double most = bottom;
    for (auto tag = tags.rbegin(); tag != tags.rend(); ++tag) {
        tag->y = std::min(tag->y, most);
        most = tag->y - kTagSpacing;
    }
}

} // namespace

SvgFrame::SvgFrame(const Chart& chart)
    : m_scale(chart.scale)
{
    fitX(chart);
    fitY(chart);
}

void SvgFrame::fitX(const Chart& chart)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const auto& series : chart.series) {
        for (const auto& xs : {series.line.x, series.raw.x, series.nonFinite, series.skipped}) {
            for (const double x : xs) {
                low = std::min(low, x);
                high = std::max(high, x);
            }
        }
    }
    if (!(low <= high))
        return;
    m_empty = false;
    // Steps count from 1, but an axis reads better from 0.
    m_lowX = low >= 0 && 2 * low < std::max(high, 2.0) ? 0 : low;
    high = std::max(high, chart.reachX);
    m_highX = high > m_lowX ? high : m_lowX + 1;
}

void SvgFrame::fitY(const Chart& chart)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const auto& series : chart.series) {
        for (const auto& ys : {series.line.y, series.raw.y, series.limits}) {
            for (const double y : ys) {
                if (canShow(y)) {
                    low = std::min(low, onAxis(y, m_scale));
                    high = std::max(high, onAxis(y, m_scale));
                }
            }
        }
    }
    if (!(low <= high)) {
        low = m_scale == AxisScale::Linear ? 0 : onAxis(1, m_scale);
        high = low + 1;
    }
    if (m_scale == AxisScale::Log2) {
        // Whole powers of two, with room for the marks.
        m_lowY = std::floor(low) - 1;
        m_highY = std::ceil(high) + 1;
        return;
    }
    if (chart.fromZero && m_scale == AxisScale::Linear)
        low = std::min(low, 0.0);
    const double range = high > low ? high - low : std::max(std::abs(high) * 0.1, 1e-12);
    m_lowY = low == 0 && chart.fromZero ? 0 : low - 0.08 * range;
    m_highY = high + 0.08 * range;
}

bool SvgFrame::canShow(double y) const
{
    return std::isfinite(y) && (m_scale == AxisScale::Linear || y > 0);
}

double SvgFrame::toX(double x) const
{
    return left() + (x - m_lowX) / (m_highX - m_lowX) * (right() - left());
}

double SvgFrame::toY(double y) const
{
    return bottom() - (onAxis(y, m_scale) - m_lowY) / (m_highY - m_lowY) * (bottom() - top());
}

std::string SvgFrame::axes(const Chart& chart) const
{
    auto svg = fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"20\">{}<tspan class=\"muted\" "
                           "dx=\"8\">{}</tspan></text>\n",
        left(), escapeXml(chart.title), escapeXml(chart.unit));
    for (const auto& tick : axisTicks(m_lowX, m_highX, kTicksX, AxisScale::Linear)) {
        svg += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>"
                           "<text class=\"number\" text-anchor=\"middle\" x=\"{0:.1f}\" "
                           "y=\"{3:.1f}\">{4}</text>\n",
            toX(tick.value), top(), bottom(), bottom() + 15, tick.label);
    }
    const double lowY = offAxis(m_lowY, m_scale);
    const double highY = offAxis(m_highY, m_scale);
    for (const auto& tick :
        axisTicks(lowY, highY, m_scale == AxisScale::Log2 ? kTicksLog2 : kTicksY, m_scale)) {
        svg += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/>"
                           "<text class=\"number\" text-anchor=\"end\" x=\"{3:.1f}\" "
                           "y=\"{4:.1f}\">{5}</text>\n",
            left(), toY(tick.value), right(), left() - 6, toY(tick.value) + 4, tick.label);
    }
    svg += fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                       "height=\"{:.1f}\"/>\n"
                       "<text class=\"number\" text-anchor=\"middle\" x=\"{:.1f}\" "
                       "y=\"{:.1f}\">{}</text>\n",
        left(), top(), right() - left(), bottom() - top(), (left() + right()) / 2, bottom() + 32,
        escapeXml(chart.xLabel));
    if (m_empty) {
        svg += fmt::format("<text class=\"muted\" text-anchor=\"middle\" x=\"{:.1f}\" "
                           "y=\"{:.1f}\">{}</text>\n",
            (left() + right()) / 2, (top() + bottom()) / 2, escapeXml(chart.whyEmpty));
    }
    return svg;
}

std::string SvgFrame::nameTags(const Chart& chart) const
{
    std::vector<Tag> tags;
    for (const auto& series : chart.series) {
        for (auto i = series.line.y.size(); i-- > 0;) {
            if (!canShow(series.line.y[i]))
                continue;
            const double end = std::clamp(toY(series.line.y[i]), top(), bottom());
            tags.push_back({&series, end, end});
            break;
        }
    }
    spread(tags, top() + 4, bottom() - 4);
    std::string svg;
    for (const auto& tag : tags) {
        svg += fmt::format("<path class=\"leader {0}\" d=\"M{1:.1f} {2:.1f}L{3:.1f} {4:.1f}\"/>"
                           "<path class=\"bar {0}\" d=\"M{3:.1f} {5:.1f}v11\"/>"
                           "<text class=\"small\" x=\"{6:.1f}\" y=\"{7:.1f}\">{8}</text>\n",
            tag.series->colour, right(), tag.end, right() + 9, tag.y, tag.y - 5.5, right() + 14,
            tag.y + 4, escapeXml(shortened(tag.series->name, kTagCharacters)));
    }
    return svg;
}

} // namespace mantissa
