// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_group.h"

#include "ui/plot/series_plot.h"

#include <algorithm>
#include <cmath>

namespace mantissa::ui {

PlotGroup::PlotGroup(QObject* parent)
    : QObject(parent)
{
}

void PlotGroup::add(SeriesPlot* plot)
{
    m_plots.push_back(plot);
    plot->setGroup(this);
    connect(plot, &QObject::destroyed, this, [this, plot] { std::erase(m_plots, plot); });
}

std::optional<AxisRange> PlotGroup::extent() const
{
    std::optional<AxisRange> all;
    for (const SeriesPlot* plot : m_plots) {
        const auto extent = plot->xExtent();
        if (!extent)
            continue;
        all = all
            ? AxisRange{std::min(all->lower, extent->lower), std::max(all->upper, extent->upper)}
            : *extent;
    }
    return all;
}

void PlotGroup::showAll()
{
    const auto all = extent();
    if (!all) {
        m_range = {0, m_kind == XAxisKind::Step ? 100.0 : 10.0};
    } else if (m_kind == XAxisKind::Step) {
        m_range = {all->lower <= 1 ? 0 : all->lower, niceEnd(std::max(all->upper, 10.0))};
    } else {
        // Time axes grow in whole ticks, so that the curves do not creep at every tick.
        const double lower = m_kind == XAxisKind::RelativeTime ? 0 : all->lower;
        const double span = std::max(all->upper - lower, 1.0);
        const double step = niceTimeStep(span, 8);
        m_range = {lower, lower + std::ceil(span / step) * step};
    }
    Q_EMIT rangeChanged();
}

void PlotGroup::dataChanged()
{
    if (m_follow)
        showAll();
    replotAll();
}

void PlotGroup::replotAll()
{
    for (SeriesPlot* plot : m_plots)
        plot->scheduleReplot();
}

void PlotGroup::setXRange(const AxisRange& range)
{
    if (!(range.upper > range.lower) || !std::isfinite(range.span()))
        return;
    const double least = m_kind == XAxisKind::Step ? 2 : 1e-3;
    if (range.span() < least && range.span() < m_range.span())
        return;
    m_range = range;
    if (m_follow) {
        m_follow = false;
        Q_EMIT followChanged(false);
    }
    Q_EMIT rangeChanged();
    replotAll();
}

void PlotGroup::fit()
{
    for (SeriesPlot* plot : m_plots)
        plot->setYRange(std::nullopt);
    showAll();
    replotAll();
}

void PlotGroup::setFollow(bool follow)
{
    if (m_follow == follow)
        return;
    m_follow = follow;
    if (follow)
        fit();
    Q_EMIT followChanged(follow);
}

void PlotGroup::setXAxisKind(XAxisKind kind)
{
    m_kind = kind;
    m_cursor.reset();
    for (SeriesPlot* plot : m_plots)
        plot->scheduleReplot();
    Q_EMIT cursorChanged();
}

void PlotGroup::setCursor(std::optional<double> x)
{
    if (x && m_kind == XAxisKind::Step)
        x = std::round(*x);
    if (const auto all = extent(); x && all)
        x = std::clamp(*x, all->lower, all->upper);
    else
        x.reset();
    if (x == m_cursor)
        return;
    m_cursor = x;
    for (SeriesPlot* plot : m_plots)
        plot->replotCursor();
    Q_EMIT cursorChanged();
}

std::span<const double> PlotGroup::cursorPlaces() const
{
    // The longest curve knows the most places; the others are subsets of it or nearly so.
    std::span<const double> longest;
    for (const SeriesPlot* plot : m_plots) {
        for (int i = 0; i < plot->curveCount(); ++i) {
            const auto x = plot->curve(i).raw().x();
            if (plot->curve(i).visible && x.size() > longest.size())
                longest = x;
        }
    }
    return longest;
}

void PlotGroup::moveCursor(int points)
{
    const auto places = cursorPlaces();
    if (places.empty())
        return;
    if (!m_cursor)
        return setCursor(points > 0 ? places.front() : places.back());
    const auto found = std::ranges::lower_bound(places, *m_cursor);
    const auto last = static_cast<std::ptrdiff_t>(places.size()) - 1;
    const auto index = std::clamp(found - places.begin() + points, std::ptrdiff_t{0}, last);
    setCursor(places[static_cast<std::size_t>(index)]);
}

void PlotGroup::cursorToStart()
{
    if (const auto all = extent())
        setCursor(all->lower);
}

void PlotGroup::cursorToEnd()
{
    if (const auto all = extent())
        setCursor(all->upper);
}

int PlotGroup::sharedLeft(int wanted)
{
    if (wanted > m_left) {
        m_left = wanted;
        replotAll();
    }
    return m_left;
}

int PlotGroup::sharedRight(int wanted)
{
    if (wanted > m_right) {
        m_right = wanted;
        replotAll();
    }
    return m_right;
}

bool PlotGroup::dragging() const
{
    return std::ranges::any_of(m_plots, [](const SeriesPlot* plot) { return plot->dragging(); });
}

} // namespace mantissa::ui
