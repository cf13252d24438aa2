// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_curve.h"

#include <algorithm>
#include <limits>

namespace mantissa::ui {

PlotCurve::PlotCurve(CurveSpec spec)
    : m_spec(std::move(spec))
{
}

void PlotCurve::append(std::span<const double> x, std::span<const double> y)
{
    const std::size_t count = std::min(x.size(), y.size());
    m_raw.append(x.first(count), y.first(count));
    if (!isSmoothed())
        return;
    for (std::size_t i = 0; i < count; ++i)
        m_smoothed.append(x[i], m_smoother.add(y[i]));
}

void PlotCurve::clear()
{
    m_raw.clear();
    m_smoothed.clear();
    m_smoother = Smoother(m_weight);
}

void PlotCurve::setSmoothing(double weight)
{
    if (weight == m_weight)
        return;
    m_weight = weight;
    m_smoother = Smoother(weight);
    m_smoothed.clear();
    if (!isSmoothed())
        return;
    std::vector<double> values;
    values.reserve(m_raw.size());
    for (const double y : m_raw.y())
        values.push_back(m_smoother.add(y));
    m_smoothed.append(m_raw.x(), values);
}

std::optional<std::size_t> PlotCurve::nearest(double x) const
{
    const auto xs = m_raw.x();
    if (xs.empty())
        return std::nullopt;
    const auto above = std::ranges::upper_bound(xs, x);
    if (above == xs.begin())
        return 0;
    const auto index = static_cast<std::size_t>(above - xs.begin());
    if (above == xs.end())
        return index - 1;
    return x - xs[index - 1] <= xs[index] - x ? index - 1 : index;
}

Curve brokenAtGaps(const Curve& curve, double gap, double dot)
{
    Curve broken;
    const auto add = [&broken](double x, double y) {
        broken.x.push_back(x);
        broken.y.push_back(y);
    };
    const std::size_t count = curve.x.size();
    for (std::size_t i = 0; i < count; ++i) {
        const bool begins = i == 0 || curve.x[i] - curve.x[i - 1] > gap;
        const bool ends = i + 1 == count || curve.x[i + 1] - curve.x[i] > gap;
        if (begins && i > 0)
            add((curve.x[i - 1] + curve.x[i]) / 2, std::numeric_limits<double>::quiet_NaN());
        add(curve.x[i], curve.y[i]);
        if (begins && ends)
            add(curve.x[i] + dot, curve.y[i]);
    }
    return broken;
}

} // namespace mantissa::ui
