// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/lr_schedule.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

using namespace mantissa;

class TestLrSchedule : public QObject {
    Q_OBJECT

private:
    static LrScheduleFunction make(LrSchedule kind, std::int64_t warmup, std::int64_t total)
    {
        TrainConfig config;
        config.schedule = kind;
        config.lr = 0.8;
        config.warmupSteps = warmup;
        return {config, total};
    }

private Q_SLOTS:
    void constantStaysAfterWarmup()
    {
        const auto schedule = make(LrSchedule::Constant, 4, 10);
        QCOMPARE(schedule.at(0), 0.2);
        QCOMPARE(schedule.at(1), 0.4);
        QCOMPARE(schedule.at(3), 0.8);
        QCOMPARE(schedule.at(4), 0.8);
        QCOMPARE(schedule.at(1000), 0.8);
    }

    void stepDropsEveryStepSize()
    {
        TrainConfig config;
        config.schedule = LrSchedule::Step;
        config.lr = 0.8;
        config.warmupSteps = 2;
        config.stepSize = 3;
        config.gamma = 0.5;
        const LrScheduleFunction schedule(config, 10);
        const std::vector<double> rates{0.4, 0.8, 0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.2};
        for (std::size_t i = 0; i < rates.size(); ++i)
            QCOMPARE(schedule.at(static_cast<std::int64_t>(i)), rates[i]);
    }

    void cosineIsHalfInTheMiddleAndZeroAtTheEnd()
    {
        const auto schedule = make(LrSchedule::Cosine, 0, 100);
        QCOMPARE(schedule.at(0), 0.8);
        QVERIFY(std::abs(schedule.at(50) - 0.4) < 1e-15);
        QVERIFY(std::abs(schedule.at(25) - 0.8 * (1 + std::sqrt(0.5)) / 2) < 1e-15);
        QCOMPARE(schedule.at(100), 0.0);
        QCOMPARE(schedule.at(101), 0.0);
    }

    void cosineBeginsAtTheFullRateAfterWarmup()
    {
        const auto schedule = make(LrSchedule::Cosine, 20, 100);
        QCOMPARE(schedule.at(0), 0.04);
        QCOMPARE(schedule.at(19), 0.8);
        QCOMPARE(schedule.at(20), 0.8);
        QVERIFY(std::abs(schedule.at(60) - 0.4) < 1e-15);
    }

    void warmupLongerThanTheRunIsNoDivisionByZero()
    {
        const auto schedule = make(LrSchedule::Cosine, 50, 10);
        QCOMPARE(schedule.at(9), 0.16);
        QVERIFY(std::isfinite(schedule.at(50)));
    }
};

MANTISSA_TEST(TestLrSchedule)
#include "tst_lr_schedule.moc"
