// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/svg_chart.h"

#include "core/report/svg_frame.h"
#include "core/report/xml_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace mantissa {

namespace {

/// A path through a curve, a new piece after each NaN.
std::string pathOf(const Curve& curve, const SvgFrame& frame, bool steps)
{
    std::string path;
    bool down = false;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (!frame.canShow(curve.y[i])) {
            down = false;
            continue;
        }
        const double x = frame.toX(curve.x[i]);
        const double y = frame.toY(curve.y[i]);
        if (!down)
            path += fmt::format("M{:.1f} {:.1f}", x, y);
        else if (steps)
            path += fmt::format("H{:.1f}V{:.1f}", x, y);
        else
            path += fmt::format("L{:.1f} {:.1f}", x, y);
        down = true;
    }
    return path;
}

std::string line(const std::string& path, const std::string& classes)
{
    return path.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", classes, path);
}

/// One path for all marks of a kind; those that fall on the same tenth of a pixel are one.
template <typename Draw>
std::string marks(const Curve& at, const SvgFrame& frame, const std::string& classes, Draw draw)
{
    std::set<std::pair<long, long>> drawn;
    std::string path;
    for (std::size_t i = 0; i < at.x.size(); ++i) {
        const double x = frame.toX(at.x[i]);
        const double y = at.y[i];
        if (std::isfinite(y) && drawn.emplace(std::lround(x * 10), std::lround(y * 10)).second)
            path += draw(x, y);
    }
    return line(path, classes);
}

Curve onRail(const std::vector<double>& x, double y)
{
    return {x, std::vector<double>(x.size(), y)};
}

Curve beside(const Curve& curve, const SvgFrame& frame, double offset)
{
    Curve moved = curve;
    for (auto& y : moved.y)
        y = frame.canShow(y) ? frame.toY(y) + offset : std::numeric_limits<double>::quiet_NaN();
    return moved;
}

std::string cross(double x, double y)
{
    return fmt::format("M{:.1f} {:.1f}l7 7m0 -7l-7 7", x - 3.5, y - 3.5);
}

std::string crossedCircle(double x, double y)
{
    return fmt::format(
        "M{:.1f} {:.1f}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0m1.2 -2.8l5.6 5.6m0 -5.6l-5.6 5.6", x - 4, y);
}

std::string square(double x, double y)
{
    return fmt::format("M{:.1f} {:.1f}h7v7h-7z", x - 3.5, y - 3.5);
}

std::string triangleUp(double x, double y)
{
    return fmt::format("M{:.1f} {:.1f}l4 7h-8z", x, y - 3.5);
}

std::string triangleDown(double x, double y)
{
    return fmt::format("M{:.1f} {:.1f}l4 -7h-8z", x, y + 3.5);
}

std::string seriesLines(const ChartSeries& series, const SvgFrame& frame)
{
    std::string svg = line(pathOf(series.raw, frame, false), "raw " + series.colour);
    for (const double limit : series.limits) {
        if (frame.canShow(limit)) {
            svg += line(
                fmt::format("M{:.1f} {:.1f}H{:.1f}", frame.left(), frame.toY(limit), frame.right()),
                "limit " + series.colour);
        }
    }
    return svg + line(pathOf(series.line, frame, series.steps), "line " + series.colour);
}

std::string seriesMarks(const ChartSeries& series, const SvgFrame& frame)
{
    const auto hollow = "mark hollow " + series.colour;
    return marks(onRail(series.skipped, frame.bottom() - 8), frame, hollow, cross)
        + marks(onRail(series.nonFinite, frame.top() + 8), frame, hollow, crossedCircle)
        + marks(onRail(series.disturbed, frame.top() + 8), frame, "mark solid warn", square)
        + marks(beside(series.grew, frame, -8), frame, "mark solid " + series.colour, triangleUp)
        + marks(beside(series.backedOff, frame, 8), frame, hollow, triangleDown);
}

/// Signs that the chart uses, explained at the right of its title.
std::string key(const Chart& chart, const SvgFrame& frame)
{
    const auto any = [&](auto has) {
        return std::any_of(chart.series.begin(), chart.series.end(), has);
    };
    std::vector<std::pair<std::string, std::string>> signs;
    double x = frame.right();
    const auto add = [&](const char* word, double width, auto draw, const char* fill) {
        x -= width;
        signs.emplace_back(fmt::format("<path class=\"mark {}\" d=\"{}\"/>", fill, draw(x, 16.0)),
            fmt::format(
                "<text class=\"small muted\" x=\"{:.1f}\" y=\"20\">{}</text>", x + 8, word));
    };
    if (any([](const auto& s) { return !s.backedOff.x.empty(); }))
        add("back-off", 62, triangleDown, "hollow");
    if (any([](const auto& s) { return !s.grew.x.empty(); }))
        add("growth", 58, triangleUp, "solid");
    if (any([](const auto& s) { return !s.nonFinite.empty(); }))
        add("non-finite", 72, crossedCircle, "hollow");
    if (any([](const auto& s) { return !s.skipped.empty(); }))
        add("skipped", 62, cross, "hollow");
    if (any([](const auto& s) { return !s.disturbed.empty(); }))
        add("throttled or other load", 136, square, "solid warn");
    std::string svg;
    for (const auto& [sign, word] : signs)
        svg += sign + word;
    return svg;
}

} // namespace

std::string renderSvg(const Chart& chart, const std::string& id)
{
    const SvgFrame frame(chart);
    auto svg = fmt::format("<svg class=\"chart\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
                           "aria-label=\"{2}\"><title>{2}</title>\n",
        SvgFrame::kWidth, SvgFrame::kHeight, escapeXml(chart.title));
    svg += frame.axes(chart);
    svg += fmt::format("<clipPath id=\"{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                       "height=\"{:.1f}\"/></clipPath>\n",
        id, frame.left(), frame.top(), frame.right() - frame.left(), frame.bottom() - frame.top());
    svg += fmt::format("<g clip-path=\"url(#{})\">\n", id);
    for (const auto& series : chart.series)
        svg += seriesLines(series, frame);
    svg += "</g>\n";
    // Marks are not clipped: one at the edge would be half a mark.
    for (const auto& series : chart.series)
        svg += seriesMarks(series, frame);
    svg += key(chart, frame) + frame.nameTags(chart);
    return svg + "</svg>\n";
}

} // namespace mantissa
