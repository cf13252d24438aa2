// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/run_summary.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <numeric>

using namespace mantissa;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
} // namespace

class TestRunSummary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Expected: numpy.percentile(values, [25, 50, 75]).
    void quartilesEqualNumpys_data()
    {
        QTest::addColumn<std::vector<double>>("values");
        QTest::addColumn<double>("lower");
        QTest::addColumn<double>("median");
        QTest::addColumn<double>("upper");
        QTest::newRow("one") << std::vector<double>{7} << 7.0 << 7.0 << 7.0;
        QTest::newRow("two") << std::vector<double>{1, 2} << 1.25 << 1.5 << 1.75;
        QTest::newRow("four") << std::vector<double>{4, 1, 3, 2} << 1.75 << 2.5 << 3.25;
        QTest::newRow("six") << std::vector<double>{15, 20, 35, 40, 50, 7} << 16.25 << 27.5
                             << 38.75;
        QTest::newRow("non-finite")
            << std::vector<double>{kNaN, 4, 1, kInf, 3, 2, -kInf} << 1.75 << 2.5 << 3.25;
    }

    void quartilesEqualNumpys()
    {
        QFETCH(std::vector<double>, values);
        const auto found = quartiles(values);
        QVERIFY(found.has_value());
        QTEST(found->lower, "lower");
        QTEST(found->median, "median");
        QTEST(found->upper, "upper");
    }

    void quartilesOfNothingAreAbsent()
    {
        QVERIFY(!quartiles({}).has_value());
        QVERIFY(!quartiles({kNaN, kInf}).has_value());
    }

    void theFirstTenStepsOfEachBlockAreWarmUp()
    {
        const std::vector<std::int64_t> starts{1, 21, 45};
        const auto warmUp = warmUpSteps(50, starts);
        for (std::int64_t step = 1; step <= 50; ++step) {
            const bool expected =
                step <= 10 || (step >= 21 && step <= 30) || (step >= 45 && step <= 50);
            QCOMPARE(bool(warmUp[static_cast<std::size_t>(step - 1)]), expected);
        }
    }

    void withoutBlocksTheRunIsOneBlock()
    {
        const auto warmUp = warmUpSteps(12, {});
        QCOMPARE(std::accumulate(warmUp.begin(), warmUp.end(), 0), 10);
        QVERIFY(!warmUp[10]);
        QCOMPARE(warmUpSteps(3, {}).size(), std::size_t(3));
    }

    void leavesWarmUpAndTheFirstStepsMemoryOut()
    {
        std::vector<double> stepMs(10, 1000.0);
        std::vector<double> rate(10, 1.0);
        std::vector<double> memory(15, 100.0);
        memory[0] = 900;
        memory[7] = 300;
        for (double ms : {1.0, 2.0, 3.0, 4.0, 5.0}) {
            stepMs.push_back(ms);
            rate.push_back(64 / ms);
        }
        SummaryInput input;
        input.stepMs = stepMs;
        input.samplesPerSecond = rate;
        input.peakMemoryBytes = memory;
        const auto summary = summarize(input);
        QCOMPARE(summary.stepMs->lower, 2.0);
        QCOMPARE(summary.stepMs->median, 3.0);
        QCOMPARE(summary.stepMs->upper, 4.0);
        QCOMPARE(*summary.samplesPerSecond, 64.0 / 3);
        QCOMPARE(*summary.peakMemoryBytes, 300.0);
        QCOMPARE(summary.stepsMeasured, 5);
    }

    void tellsFinalFiguresAlsoWhenNotFinite()
    {
        const std::vector<double> loss{1, kNaN, kInf, 0.5, kNaN};
        const std::vector<double> metric{0.1, 0.8};
        const std::vector<double> scale{4, 2};
        SummaryInput input;
        input.loss = loss;
        input.metric = metric;
        input.scale = scale;
        auto summary = summarize(input);
        QVERIFY(std::isnan(*summary.finalLoss));
        QCOMPARE(summary.nonFiniteLosses, 3);
        QCOMPARE(*summary.finalMetric, 0.8);
        QVERIFY(!summary.finalScale.has_value()); // no scaler: the scale says nothing
        input.usesScaler = true;
        QCOMPARE(*summarize(input).finalScale, 2.0);
    }

    void whatWasNotMeasuredIsAbsent()
    {
        const std::vector<double> three{1, 2, 3};
        SummaryInput input;
        input.stepMs = three; // warm-up only
        input.usesScaler = true;
        const auto summary = summarize(input);
        QVERIFY(!summary.stepMs && !summary.samplesPerSecond && !summary.peakMemoryBytes);
        QVERIFY(!summary.finalLoss && !summary.finalMetric && !summary.finalScale);
        QCOMPARE(summary.stepsMeasured, 0);
        QCOMPARE(summary.nonFiniteLosses, 0);
    }
};

MANTISSA_TEST(TestRunSummary)
#include "tst_run_summary.moc"
