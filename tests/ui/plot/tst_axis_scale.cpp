// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "ui/plot/axis_scale.h"

#include <QTest>
#include <algorithm>
#include <random>

using namespace mantissa::ui;

class TestAxisScale : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void niceStepIsRoundAndFits();
    void axisEndsAtTheNextNiceValue();
    void linearTicksLieInTheRange();
    void log10TicksAreOneTwoFive();
    void log2TicksAreSparse();
    void paddingKeepsItsFraction();
    void emptyAndFlatRangesHaveALength();
    void labelsOfTheXAxis();
    void tagsKeepOrderAndDistance();
};

void TestAxisScale::niceStepIsRoundAndFits()
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> exponent(-9, 12);
    for (int i = 0; i < 2000; ++i) {
        const double span = std::pow(10.0, exponent(random));
        const double step = niceStep(span, 8);
        const double mantissa = step / std::pow(10.0, std::floor(std::log10(step * 1.0000001)));
        const bool round = std::ranges::any_of(std::vector{1.0, 2.0, 2.5, 5.0},
            [&](double m) { return std::abs(m - mantissa) < 1e-6; });
        QVERIFY2(round, qPrintable(QString::number(step)));
        QVERIFY(span / step <= 8.0001);
        QVERIFY(span / step > 3);
    }
}

void TestAxisScale::axisEndsAtTheNextNiceValue()
{
    QCOMPARE(decimalsOfStep(250), 0);
    QCOMPARE(decimalsOfStep(2.5), 1);
    QCOMPARE(decimalsOfStep(0.25), 2);
    QCOMPARE(decimalsOfStep(0.001), 3);
    QCOMPARE(niceEnd(1987), 2000.0);
    QCOMPARE(niceEnd(2000), 2000.0);
    QCOMPARE(niceEnd(2001), 2500.0);
    QCOMPARE(niceEnd(10), 10.0);
}

void TestAxisScale::linearTicksLieInTheRange()
{
    QCOMPARE(linearTicks({0, 1}, 0.25), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
    QCOMPARE(linearTicks({-3, 4}, 2), (std::vector<double>{-2, 0, 2, 4}));
    QVERIFY(linearTicks({0, 1e9}, 1).empty()); // never a million ticks
}

void TestAxisScale::log10TicksAreOneTwoFive()
{
    const auto ticks = log10Ticks({0.12, 2.5}, 6);
    QCOMPARE(ticks.size(), std::size_t{4});
    QCOMPARE(ticks[0], 0.2);
    QCOMPARE(ticks[1], 0.5);
    QCOMPARE(ticks[2], 1.0);
    QCOMPARE(ticks[3], 2.0);
    const auto decades = log10Ticks({50, 50000}, 6);
    QCOMPARE(decades, (std::vector<double>{100, 1000, 10000}));
    QVERIFY(log10Ticks({1e-30, 1e30}, 6).size() <= 7);
    QVERIFY(log10Ticks({0, 10}, 6).empty());
    QVERIFY(log10Ticks({0.24, 0.27}, 6).size() >= 3); // a narrow range still has numbers
}

void TestAxisScale::log2TicksAreSparse()
{
    QCOMPARE(log2Ticks({16384, 131072}, 8), (std::vector<double>{16384, 32768, 65536, 131072}));
    const auto wide = log2Ticks({1, std::exp2(40)}, 8);
    QVERIFY(wide.size() <= 8 && wide.size() >= 4);
    for (const double tick : wide)
        QCOMPARE(std::log2(tick), std::round(std::log2(tick)));
}

void TestAxisScale::paddingKeepsItsFraction()
{
    const AxisRange linear = paddedRange(10, 20, YScale::Linear, 0.1, 0.2);
    QVERIFY(std::abs((10 - linear.lower) / linear.span() - 0.1) < 1e-9);
    QVERIFY(std::abs((linear.upper - 20) / linear.span() - 0.2) < 1e-9);
    const AxisRange log = paddedRange(0.1, 10, YScale::Log10, 0.25, 0.25);
    const double length = std::log10(log.upper) - std::log10(log.lower);
    QVERIFY(std::abs((std::log10(0.1) - std::log10(log.lower)) / length - 0.25) < 1e-9);
}

void TestAxisScale::emptyAndFlatRangesHaveALength()
{
    const double infinity = std::numeric_limits<double>::infinity();
    for (const YScale scale : {YScale::Linear, YScale::Log10, YScale::Log2}) {
        for (const auto& [low, high] :
            std::vector<std::pair<double, double>>{{infinity, -infinity}, {5, 5}, {0, 0}, {0, 4}}) {
            const AxisRange range = paddedRange(low, high, scale, 0.1, 0.1);
            QVERIFY(std::isfinite(range.lower) && std::isfinite(range.upper));
            QVERIFY(range.upper > range.lower);
            QVERIFY(scale == YScale::Linear || range.lower > 0);
        }
    }
}

void TestAxisScale::labelsOfTheXAxis()
{
    QCOMPARE(xLabel(1204, XAxisKind::Step, 0), QStringLiteral("1,204"));
    QCOMPARE(xLabel(510, XAxisKind::RelativeTime, 30), QStringLiteral("8:30"));
    QCOMPARE(xLabel(0.5, XAxisKind::RelativeTime, 0.25), QStringLiteral("0.5 s"));
    QCOMPARE(xLabel(7.39, XAxisKind::RelativeTime, 0), QStringLiteral("7.4 s"));
}

void TestAxisScale::tagsKeepOrderAndDistance()
{
    QCOMPARE(spreadApart({10, 50}, 13, 0, 100), (std::vector<double>{10, 50}));
    QCOMPARE(spreadApart({50, 50}, 10, 0, 100), (std::vector<double>{45, 55}));
    const auto top = spreadApart({1, 2, 3}, 13, 6, 200);
    QCOMPARE(top, (std::vector<double>{6, 19, 32}));
    const auto bottom = spreadApart({198, 199, 200}, 13, 6, 200);
    QCOMPARE(bottom, (std::vector<double>{174, 187, 200}));
    std::mt19937 random(3);
    std::uniform_real_distribution<double> place(0, 300);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> wishes(8);
        for (double& wish : wishes)
            wish = place(random);
        std::ranges::sort(wishes);
        const auto places = spreadApart(wishes, 13, 0, 300);
        for (std::size_t i = 1; i < places.size(); ++i)
            QVERIFY(places[i] - places[i - 1] >= 13 - 1e-9);
        QVERIFY(places.front() >= -1e-9 && places.back() <= 300 + 1e-9);
    }
}

MANTISSA_TEST(TestAxisScale)
#include "tst_axis_scale.moc"
