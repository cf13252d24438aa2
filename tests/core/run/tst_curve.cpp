// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/curve.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace mantissa;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Steps with repetitions and jumps; walks with spikes and runs of non-finite values.
struct Sample {
    std::vector<double> x;
    std::vector<double> y;
};

Sample randomSample(std::mt19937& random, std::size_t count)
{
    std::uniform_real_distribution<double> uniform(0, 1);
    Sample sample;
    double x = -5;
    double walk = 0;
    bool broken = false;
    for (std::size_t i = 0; i < count; ++i) {
        x += uniform(random) < 0.1 ? 0 : std::floor(uniform(random) * 3);
        walk += uniform(random) - 0.5;
        broken = broken ? uniform(random) < 0.9 : uniform(random) < 0.01;
        double y = uniform(random) < 0.01 ? walk * 100 : walk;
        if (broken)
            y = uniform(random) < 0.5 ? kNaN : (uniform(random) < 0.5 ? kInf : -kInf);
        sample.x.push_back(x);
        sample.y.push_back(y);
    }
    return sample;
}

CurvePyramid pyramidOf(const Sample& sample)
{
    CurvePyramid pyramid;
    // Half of it in one piece, half point by point: both ways must agree.
    const auto half = sample.x.size() / 2;
    pyramid.append(std::span(sample.x).first(half), std::span(sample.y).first(half));
    for (auto i = half; i < sample.x.size(); ++i)
        pyramid.append(sample.x[i], sample.y[i]);
    return pyramid;
}

std::size_t columnOf(double x, double from, double to, std::size_t columns)
{
    const double width = (to - from) / static_cast<double>(columns);
    std::size_t column = 0;
    while (column + 1 < columns && x >= from + width * static_cast<double>(column + 1))
        ++column;
    return column;
}

/// Lowest and highest finite y of each column.
std::map<std::size_t, std::pair<double, double>> columnRanges(const std::vector<double>& x,
    const std::vector<double>& y, double from, double to, std::size_t columns)
{
    std::map<std::size_t, std::pair<double, double>> ranges;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] < from || x[i] > to || !std::isfinite(y[i]))
            continue;
        const auto column = columnOf(x[i], from, to, columns);
        const auto [at, isNew] = ranges.try_emplace(column, y[i], y[i]);
        at->second.first = std::min(at->second.first, y[i]);
        at->second.second = std::max(at->second.second, y[i]);
    }
    return ranges;
}

bool isSamplePoint(const Sample& sample, double x, double y)
{
    for (std::size_t i = 0; i < sample.x.size(); ++i) {
        if (sample.x[i] == x && sample.y[i] == y)
            return true;
    }
    return false;
}

} // namespace

class TestCurve : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // sum of w^(n-i) (1-w) v_i / (1 - w^n), written down directly.
    void smoothingEqualsTheWeightedMean()
    {
        std::mt19937 random(7);
        std::normal_distribution<double> normal(2, 3);
        for (const double weight : {0.0, 0.3, 0.6, 0.9, 0.999}) {
            std::vector<double> values(200);
            std::generate(values.begin(), values.end(), [&] { return normal(random); });
            const auto smoothed = smooth(values, weight);
            for (std::size_t n = 1; n <= values.size(); ++n) {
                double sum = 0;
                double weights = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    const double share = std::pow(weight, static_cast<double>(n - 1 - i));
                    sum += share * values[i];
                    weights += share;
                }
                QVERIFY(std::abs(smoothed[n - 1] - sum / weights) <= 1e-9 * (1 + std::abs(sum)));
            }
        }
    }

    // By hand, weight 0.5: 1; (0.5*1/2 + 2/2)/(1-1/4) = 5/3; (1.25/2 + 4/2)/(1-1/8) = 3.
    void smoothingOfThreeNumbersByHand()
    {
        const std::vector<double> values{1, 2, 4};
        const auto smoothed = smooth(values, 0.5);
        QCOMPARE(smoothed[0], 1.0);
        QCOMPARE(smoothed[1], 5.0 / 3);
        QCOMPARE(smoothed[2], 3.0);
    }

    void nonFiniteValuesPassThroughAndDoNotCount()
    {
        const std::vector<double> with{1, kNaN, 2, kInf, -kInf, 4};
        const auto smoothed = smooth(with, 0.5);
        QVERIFY(std::isnan(smoothed[1]));
        QCOMPARE(smoothed[3], kInf);
        QCOMPARE(smoothed[4], -kInf);
        QCOMPARE(smoothed[2], 5.0 / 3);
        QCOMPARE(smoothed[5], 3.0);
    }

    void aConstantSeriesIsUntouched()
    {
        const std::vector<double> values(5000, 0.1);
        QVERIFY(smooth(values, 0.999) == values);
    }

    void aNewCurveIsEmpty()
    {
        const CurvePyramid pyramid;
        QCOMPARE(pyramid.size(), std::size_t(0));
        QVERIFY(pyramid.decimate(0, 10, 100).x.empty());
        const auto range = pyramid.range(-kInf, kInf);
        QVERIFY(range.lowest > range.highest);
    }

    void decimationKeepsEverySpike()
    {
        std::mt19937 random(11);
        for (const std::size_t count : {1u, 2u, 15u, 16u, 17u, 300u, 4096u, 5000u}) {
            const auto sample = randomSample(random, count);
            const auto pyramid = pyramidOf(sample);
            const double last = sample.x.back();
            for (const auto& [from, to] : {std::pair(-10.0, last + 1), std::pair(0.0, last / 2),
                     std::pair(last / 3, last / 3 + 40), std::pair(last, last),
                     std::pair(3.5, 3.6)}) {
                if (from > to)
                    continue;
                for (const std::size_t columns : {1u, 7u, 100u})
                    compareColumns(sample, pyramid, from, to, columns);
            }
        }
    }

    void everyNonFinitePointIsKept()
    {
        std::mt19937 random(13);
        const auto sample = randomSample(random, 3000);
        const auto pyramid = pyramidOf(sample);
        std::size_t found = 0;
        for (std::size_t i = 0; i < sample.x.size(); ++i) {
            if (std::isfinite(sample.y[i]))
                continue;
            QVERIFY(found < pyramid.nonFinite().x.size());
            QCOMPARE(pyramid.nonFinite().x[found], sample.x[i]);
            const double y = pyramid.nonFinite().y[found++];
            QVERIFY(std::isnan(sample.y[i]) ? std::isnan(y) : y == sample.y[i]);
        }
        QVERIFY(found > 100);
        QCOMPARE(pyramid.nonFinite().x.size(), found);
    }

    void aGapGivesOneNaN()
    {
        CurvePyramid pyramid;
        const std::vector<double> y{kNaN, 1, 2, kNaN, kInf, kNaN, 3, kNaN};
        for (std::size_t i = 0; i < y.size(); ++i)
            pyramid.append(static_cast<double>(i), y[i]);
        const auto curve = pyramid.decimate(0, 7, 100);
        QVERIFY((curve.x == std::vector<double>{1, 2, 3, 6}));
        QVERIFY(std::isnan(curve.y[2]));
        QCOMPARE(curve.y[3], 3.0);
    }

    void aWideGapBreaksADecimatedLineOnce()
    {
        CurvePyramid pyramid;
        for (int i = 0; i < 100'000; ++i)
            pyramid.append(i, i >= 30'000 && i < 70'000 ? kNaN : i % 97);
        const auto curve = pyramid.decimate(0, 99'999, 50);
        QCOMPARE(
            std::count_if(curve.y.begin(), curve.y.end(), [](double v) { return std::isnan(v); }),
            1);
        QVERIFY(curve.x.size() <= 4 * 50 + 1);
    }

    void aLineLeavesThePlotAtItsEdge()
    {
        CurvePyramid pyramid;
        for (int i = 0; i < 100; ++i)
            pyramid.append(10 * i, i);
        const auto curve = pyramid.decimate(101, 118, 10);
        QVERIFY((curve.x == std::vector<double>{100, 110, 120}));
    }

    void rangesEqualBruteForce()
    {
        std::mt19937 random(17);
        const auto sample = randomSample(random, 2000);
        const auto pyramid = pyramidOf(sample);
        std::uniform_real_distribution<double> any(-10, sample.x.back() + 5);
        for (int i = 0; i < 500; ++i) {
            const double a = any(random);
            const double b = any(random);
            const auto expected =
                columnRanges(sample.x, sample.y, std::min(a, b), std::max(a, b), 1);
            const auto range = pyramid.range(std::min(a, b), std::max(a, b));
            QCOMPARE(range.lowest <= range.highest, !expected.empty());
            if (!expected.empty()) {
                QCOMPARE(range.lowest, expected.at(0).first);
                QCOMPARE(range.highest, expected.at(0).second);
            }
        }
    }

private:
    void compareColumns(const Sample& sample, const CurvePyramid& pyramid, double from, double to,
        std::size_t columns)
    {
        const auto curve = pyramid.decimate(from, to, columns);
        QVERIFY(std::is_sorted(curve.x.begin(), curve.x.end()));
        QVERIFY(columnRanges(sample.x, sample.y, from, to, columns)
            == columnRanges(curve.x, curve.y, from, to, columns));
        std::size_t inside = 0;
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            if (!std::isfinite(curve.y[i]))
                continue;
            QVERIFY(isSamplePoint(sample, curve.x[i], curve.y[i]));
            inside += curve.x[i] >= from && curve.x[i] <= to;
        }
        QVERIFY(inside <= 4 * columns);
    }
};

MANTISSA_TEST(TestCurve)
#include "tst_curve.moc"
