// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/curve.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mantissa {

double Smoother::add(double value)
{
    if (!std::isfinite(value))
        return value;
    if (m_count++ == 0)
        m_first = value;
    m_constant = m_constant && value == m_first;
    m_last = m_last * m_weight + (1 - m_weight) * value;
    m_weightPower *= m_weight;
    return m_constant ? value : m_last / (1 - m_weightPower);
}

std::vector<double> smooth(std::span<const double> values, double weight)
{
    Smoother smoother(weight);
    std::vector<double> smoothed;
    smoothed.reserve(values.size());
    for (const double value : values)
        smoothed.push_back(smoother.add(value));
    return smoothed;
}

void CurvePyramid::append(double x, double y)
{
    m_x.push_back(x);
    m_y.push_back(y);
    append1(m_y.size() - 1);
}

void CurvePyramid::append(std::span<const double> x, std::span<const double> y)
{
    const auto count = std::min(x.size(), y.size());
    m_x.insert(m_x.end(), x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
    m_y.insert(m_y.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(count));
    for (auto index = m_y.size() - count; index < m_y.size(); ++index)
        append1(index);
}

void CurvePyramid::clear()
{
    *this = CurvePyramid();
}

bool CurvePyramid::isFinite(std::size_t index) const
{
    return std::isfinite(m_y[index]);
}

void CurvePyramid::append1(std::size_t index)
{
    if (!isFinite(index)) {
        m_nonFinite.x.push_back(m_x[index]);
        m_nonFinite.y.push_back(m_y[index]);
    }
    const double y = m_y[index];
    auto bucket = index / kFanOut;
    for (std::size_t level = 0;; ++level, bucket /= kFanOut) {
        // A level exists as soon as the one below has two buckets.
        if (level == m_levels.size()) {
            if (level > 0 && m_levels[level - 1].size() < 2)
                return;
            m_levels.emplace_back();
            if (level > 0)
                m_levels[level].push_back(m_levels[level - 1].front());
        }
        auto& buckets = m_levels[level];
        if (bucket == buckets.size())
            buckets.emplace_back();
        if (!isFinite(index))
            continue;
        auto& extremes = buckets[bucket];
        if (!extremes.hasFinite)
            extremes = {index, index, true};
        if (y < m_y[extremes.lowest])
            extremes.lowest = index;
        if (y > m_y[extremes.highest])
            extremes.highest = index;
    }
}

CurvePyramid::Extremes CurvePyramid::extremes(std::size_t begin, std::size_t end) const
{
    Extremes found;
    const auto take = [&](const Extremes& part) {
        if (!part.hasFinite)
            return;
        if (!found.hasFinite || m_y[part.lowest] < m_y[found.lowest])
            found.lowest = part.lowest;
        if (!found.hasFinite || m_y[part.highest] > m_y[found.highest])
            found.highest = part.highest;
        found.hasFinite = true;
    };
    while (begin < end) {
        // The largest bucket that begins here and ends in the range.
        std::size_t size = 1;
        std::size_t level = 0;
        while (level < m_levels.size() && begin % (size * kFanOut) == 0
            && begin + size * kFanOut <= end) {
            size *= kFanOut;
            ++level;
        }
        take(level == 0 ? Extremes{begin, begin, isFinite(begin)}
                        : m_levels[level - 1][begin / size]);
        begin += size;
    }
    return found;
}

std::size_t CurvePyramid::firstFinite(std::size_t begin, std::size_t end) const
{
    while (begin < end) {
        if (isFinite(begin))
            return begin;
        std::size_t step = 1;
        std::size_t size = kFanOut;
        for (const auto& buckets : m_levels) {
            if (begin % size != 0 || buckets[begin / size].hasFinite)
                break;
            step = size;
            size *= kFanOut;
        }
        begin += step;
    }
    return kNone;
}

std::size_t CurvePyramid::lastFinite(std::size_t begin, std::size_t end) const
{
    while (begin < end) {
        if (isFinite(end - 1))
            return end - 1;
        std::size_t step = 1;
        std::size_t size = kFanOut;
        for (const auto& buckets : m_levels) {
            if (end % size != 0 || buckets[end / size - 1].hasFinite)
                break;
            step = size;
            size *= kFanOut;
        }
        end -= std::min(step, end - begin);
    }
    return kNone;
}

std::pair<std::size_t, std::size_t> CurvePyramid::indices(double fromX, double toX) const
{
    const auto begin = std::lower_bound(m_x.begin(), m_x.end(), fromX);
    const auto end = std::upper_bound(begin, m_x.end(), toX);
    return {
        static_cast<std::size_t>(begin - m_x.begin()), static_cast<std::size_t>(end - m_x.begin())};
}

/// Adds point `index`, after a NaN where nothing finite lies between it and the one before.
void CurvePyramid::emit(Curve& curve, std::size_t& previous, std::size_t index) const
{
    if (previous != kNone && index > previous + 1 && firstFinite(previous + 1, index) == kNone) {
        curve.x.push_back(m_x[previous + 1]);
        curve.y.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    curve.x.push_back(m_x[index]);
    curve.y.push_back(m_y[index]);
    previous = index;
}

void CurvePyramid::emitColumn(
    Curve& curve, std::size_t& previous, std::size_t begin, std::size_t end) const
{
    const auto found = extremes(begin, end);
    if (!found.hasFinite)
        return;
    std::array<std::size_t, 4> kept{
        firstFinite(begin, end), found.lowest, found.highest, lastFinite(begin, end)};
    std::sort(kept.begin(), kept.end());
    for (const auto index : kept) {
        if (previous == kNone || index > previous)
            emit(curve, previous, index);
    }
}

void CurvePyramid::emitColumns(
    Curve& curve, std::size_t& previous, double fromX, double toX, std::size_t columns) const
{
    const auto [begin, end] = indices(fromX, toX);
    const double width = (toX - fromX) / static_cast<double>(columns);
    auto columnBegin = begin;
    for (std::size_t column = 1; column <= columns; ++column) {
        const double edge = fromX + width * static_cast<double>(column);
        const auto from = m_x.begin() + static_cast<std::ptrdiff_t>(columnBegin);
        const auto to = m_x.begin() + static_cast<std::ptrdiff_t>(end);
        const auto columnEnd = column == columns
            ? end
            : static_cast<std::size_t>(std::lower_bound(from, to, edge) - m_x.begin());
        emitColumn(curve, previous, columnBegin, columnEnd);
        columnBegin = columnEnd;
    }
}

Curve CurvePyramid::decimate(double fromX, double toX, std::size_t columns) const
{
    Curve curve;
    if (m_x.empty() || !(fromX <= toX))
        return curve;
    fromX = std::isfinite(fromX) ? fromX : m_x.front();
    toX = std::isfinite(toX) ? toX : m_x.back();
    columns = std::max<std::size_t>(columns, 1);
    const auto [begin, end] = indices(fromX, toX);
    std::size_t previous = kNone;
    if (const auto before = lastFinite(0, begin); before != kNone)
        emit(curve, previous, before);
    if (end - begin <= 4 * columns) {
        for (auto index = begin; index < end; ++index) {
            if (isFinite(index))
                emit(curve, previous, index);
        }
    } else {
        emitColumns(curve, previous, fromX, toX, columns);
    }
    if (const auto after = firstFinite(end, m_y.size()); after != kNone)
        emit(curve, previous, after);
    return curve;
}

CurvePyramid::Range CurvePyramid::range(double fromX, double toX) const
{
    Range range;
    if (m_x.empty() || !(fromX <= toX))
        return range;
    const auto [begin, end] = indices(fromX, toX);
    const auto found = extremes(begin, end);
    if (found.hasFinite)
        range = {m_y[found.lowest], m_y[found.highest]};
    return range;
}

} // namespace mantissa
