// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

/// Curves for plots: smoothing on full data first, decimation for the screen second. Pure, any
/// thread.
namespace mantissa {

/// TensorBoard's debiased exponential moving average, incremental. Non-finite values pass through
/// and are not counted. weight in [0, 1); 0 = the values themselves. A series whose values are all
/// equal comes out unchanged.
class Smoother {
public:
    explicit Smoother(double weight)
        : m_weight(weight)
    {
    }
    double add(double value);

private:
    double m_weight;
    double m_first = 0;
    double m_last = 0;
    double m_weightPower = 1; ///< weight^count, for the debias term 1 - weight^count
    bool m_constant = true; ///< all finite values so far equal m_first
    std::size_t m_count = 0;
};

std::vector<double> smooth(std::span<const double> values, double weight);

struct Curve {
    std::vector<double> x;
    std::vector<double> y;
};

/// A min/max pyramid over appended points: decimates any x range to a few points per pixel column
/// in time proportional to the columns, not to the points. Every column keeps its first, lowest,
/// highest and last finite value, so that no spike is lost; x must not decrease.
/// Non-finite points are never dropped: see nonFinite().
class CurvePyramid {
public:
    void append(double x, double y);
    void append(std::span<const double> x, std::span<const double> y);
    void clear();
    std::size_t size() const { return m_x.size(); }
    std::span<const double> x() const { return m_x; }
    std::span<const double> y() const { return m_y; }

    /// At most 4 finite points a column, for the points with fromX <= x <= toX plus the nearest
    /// finite one on each side (so that a line leaves the plot at its edge). Where only non-finite
    /// points lie between two of them, one NaN stands there.
    Curve decimate(double fromX, double toX, std::size_t columns) const;
    /// x and y of every non-finite point, in order.
    const Curve& nonFinite() const { return m_nonFinite; }
    /// Lowest and highest finite y with fromX <= x <= toX; lowest > highest if there is none.
    struct Range {
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -std::numeric_limits<double>::infinity();
    };
    Range range(double fromX, double toX) const;

private:
    struct Extremes {
        std::size_t lowest = 0; ///< index of the lowest finite y
        std::size_t highest = 0;
        bool hasFinite = false;
    };
    static constexpr std::size_t kFanOut = 16;
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    bool isFinite(std::size_t index) const;
    std::pair<std::size_t, std::size_t> indices(double fromX, double toX) const;
    Extremes extremes(std::size_t begin, std::size_t end) const;
    /// Index of the first or last finite y in [begin, end), else kNone.
    std::size_t firstFinite(std::size_t begin, std::size_t end) const;
    std::size_t lastFinite(std::size_t begin, std::size_t end) const;
    void append1(std::size_t index);
    void emit(Curve& curve, std::size_t& previous, std::size_t index) const;
    void emitColumns(
        Curve& curve, std::size_t& previous, double fromX, double toX, std::size_t columns) const;
    void emitColumn(Curve& curve, std::size_t& previous, std::size_t begin, std::size_t end) const;

    std::vector<double> m_x;
    std::vector<double> m_y;
    std::vector<std::vector<Extremes>> m_levels; ///< level k summarises kFanOut^(k+1) points
    Curve m_nonFinite;
};

} // namespace mantissa
