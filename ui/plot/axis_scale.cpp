// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/axis_scale.h"

#include "ui/theme/value_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mantissa::ui {

namespace {

bool isLog(YScale scale)
{
    return scale != YScale::Linear;
}

constexpr double kEdge = 1e-9; ///< tolerance for a tick on the very edge

std::vector<double> decadeTicks(const AxisRange& range, const std::vector<double>& mantissas)
{
    std::vector<double> ticks;
    const int first = static_cast<int>(std::floor(std::log10(range.lower)));
    const int last = static_cast<int>(std::ceil(std::log10(range.upper)));
    for (int decade = first; decade <= last; ++decade) {
        for (const double mantissa : mantissas) {
            const double tick = mantissa * std::pow(10.0, decade);
            if (tick >= range.lower * (1 - kEdge) && tick <= range.upper * (1 + kEdge))
                ticks.push_back(tick);
        }
    }
    return ticks;
}

} // namespace

double niceStep(double span, int wanted)
{
    if (!(span > 0) || wanted < 1)
        return 1;
    const double rough = span / wanted;
    const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
        if (factor * magnitude >= rough * (1 - kEdge))
            return factor * magnitude;
    }
    return 10 * magnitude;
}

double niceEnd(double last, int wanted)
{
    if (!(last > 0))
        return 1;
    const double step = niceStep(last, wanted);
    return std::ceil(last / step * (1 - kEdge)) * step;
}

double niceTimeStep(double span, int wanted)
{
    const double rough = span / std::max(1, wanted);
    if (rough <= 1)
        return niceStep(span, wanted);
    static constexpr std::array<double, 20> kSteps{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900,
        1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800};
    const auto found = std::ranges::lower_bound(kSteps, rough * (1 - kEdge));
    return found != kSteps.end() ? *found : niceStep(span, wanted);
}

std::vector<double> linearTicks(const AxisRange& range, double step)
{
    std::vector<double> ticks;
    if (!(step > 0) || range.span() / step > 1000)
        return ticks;
    const double tolerance = step * 1e-6;
    for (double k = std::ceil((range.lower - tolerance) / step);
         k * step <= range.upper + tolerance; ++k)
        ticks.push_back(k * step);
    return ticks;
}

std::vector<double> log10Ticks(const AxisRange& range, int wanted)
{
    if (!(range.lower > 0) || !(range.upper > range.lower))
        return {};
    if (range.upper / range.lower < 4)
        return linearTicks(range, niceStep(range.span(), wanted));
    const double decades = std::log10(range.upper / range.lower);
    if (decades * 3 <= wanted + 2)
        return decadeTicks(range, {1, 2, 5});
    const int every = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
    std::vector<double> ticks = decadeTicks(range, {1});
    std::erase_if(ticks,
        [&](double tick) { return static_cast<int>(std::lround(std::log10(tick))) % every != 0; });
    return ticks;
}

std::vector<double> log2Ticks(const AxisRange& range, int wanted)
{
    if (!(range.lower > 0) || !(range.upper > range.lower))
        return {};
    const int first = static_cast<int>(std::ceil(std::log2(range.lower) - kEdge));
    const int last = static_cast<int>(std::floor(std::log2(range.upper) + kEdge));
    int every = 1;
    while ((last - first) / every >= std::max(1, wanted))
        every *= 2;
    std::vector<double> ticks;
    for (int exponent = first; exponent <= last; ++exponent) {
        if (exponent % every == 0)
            ticks.push_back(std::exp2(exponent));
    }
    return ticks;
}

std::vector<double> minorTicks(const AxisRange& range, YScale scale)
{
    if (scale != YScale::Log10 || !(range.lower > 0) || range.upper / range.lower < 4
        || range.upper / range.lower > 1e6)
        return {};
    return decadeTicks(range, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}

AxisRange paddedRange(
    double lowest, double highest, YScale scale, double bottomFraction, double topFraction)
{
    const auto forward = [&](double v) { return isLog(scale) ? std::log2(v) : v; };
    const auto back = [&](double v) { return isLog(scale) ? std::exp2(v) : v; };
    if (!(lowest <= highest) || (isLog(scale) && !(highest > 0)))
        return scale == YScale::Log2 ? AxisRange{0.7, 24}
                                     : AxisRange{isLog(scale) ? 0.08 : 0, isLog(scale) ? 4 : 1.1};
    if (isLog(scale) && !(lowest > 0))
        lowest = highest / 16;
    double a = forward(lowest);
    double b = forward(highest);
    const double least =
        isLog(scale) ? (scale == YScale::Log2 ? 4.0 : 0.5) : std::max(std::abs(b) * 0.02, 1e-12);
    if (b - a < least) {
        const double middle = (a + b) / 2;
        a = middle - least / 2;
        b = middle + least / 2;
    }
    const double inner = std::max(0.1, 1 - bottomFraction - topFraction);
    const double length = (b - a) / inner;
    return {back(a - length * bottomFraction), back(b + length * topFraction)};
}

int decimalsOfStep(double step)
{
    int decimals = 0;
    while (decimals < 9 && std::abs(step - std::round(step)) > 1e-6 * step) {
        step *= 10;
        ++decimals;
    }
    return decimals;
}

QString xLabel(double x, XAxisKind kind, double step)
{
    switch (kind) {
    case XAxisKind::Step:
        return formatAxisNumber(step >= 1 || step == 0 ? std::round(x) : x);
    case XAxisKind::RelativeTime:
        if (step > 0 && step < 1)
            return formatAxisNumber(x) + QStringLiteral(" s");
        return step == 0 && x < 60 ? formatFixed(x, 1) + QStringLiteral(" s") : formatClock(x);
    case XAxisKind::WallTime:
        return formatTimeOfDay(x);
    }
    return {};
}

std::vector<double> spreadApart(
    const std::vector<double>& wishes, double distance, double from, double to)
{
    // Clusters of tags that touch share one centre: the mean of their wishes. Merge until none
    // touch, as in isotonic regression.
    struct Cluster {
        double sum;
        int count;
        double first(double d) const { return sum / count - d * (count - 1) / 2; }
        double last(double d) const { return sum / count + d * (count - 1) / 2; }
    };
    std::vector<Cluster> clusters;
    for (const double wish : wishes) {
        clusters.push_back({std::clamp(wish, from, std::max(from, to)), 1});
        while (clusters.size() > 1) {
            const Cluster& top = clusters.back();
            Cluster& below = clusters[clusters.size() - 2];
            if (top.first(distance) - below.last(distance) >= distance)
                break;
            below.sum += top.sum;
            below.count += top.count;
            clusters.pop_back();
        }
    }
    std::vector<double> result;
    for (const Cluster& cluster : clusters) {
        for (int i = 0; i < cluster.count; ++i)
            result.push_back(cluster.first(distance) + i * distance);
    }
    // Push back inside the frame from both ends.
    double least = from;
    for (double& place : result) {
        place = std::max(place, least);
        least = place + distance;
    }
    double most = to;
    for (auto place = result.rbegin(); place != result.rend(); ++place) {
        *place = std::min(*place, most);
        most = *place - distance;
    }
    return result;
}

} // namespace mantissa::ui
