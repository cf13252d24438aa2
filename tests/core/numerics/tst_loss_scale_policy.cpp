// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/loss_scale_policy.h"

#include <QTest>
#include <cmath>
#include <string>

using namespace mantissa;

namespace {

ScalerConfig pytorchConfig(double init, double growth, double backoff, std::int64_t interval)
{
    ScalerConfig config;
    config.policy = ScalerPolicy::Pytorch;
    config.initScale = init;
    config.growthFactor = growth;
    config.backoffFactor = backoff;
    config.growthInterval = interval;
    return config;
}

} // namespace

class TestLossScalePolicy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void growsAtTheIntervalAndBacksOffAtAnOverflow()
    {
        PytorchLossScale policy(pytorchConfig(4, 2, 0.25, 2));
        QVERIFY(policy.update(false) == (LossScaleState{4, 1}));
        QVERIFY(policy.update(false) == (LossScaleState{8, 0}));
        QVERIFY(policy.update(true) == (LossScaleState{2, 0}));
    }

    // Sequences F = clean, X = overflow; log2 of the scale and the tracker
    // after each step, computed apart from this code.
    void followsThePublishedTrace_data()
    {
        QTest::addColumn<QString>("steps");
        QTest::addColumn<int>("interval");
        QTest::addColumn<QList<int>>("log2Scale");
        QTest::newRow("A") << "FFXFXXFFFFFXFFFF" << 3
                           << QList<int>{
                                  16, 16, 15, 15, 14, 13, 13, 13, 14, 14, 14, 13, 13, 13, 14, 14};
        QTest::newRow("B") << "FFFFXFXXFFFFFFFFXFFFFF" << 4
                           << QList<int>{16, 16, 16, 17, 16, 16, 15, 14, 14, 14, 14, 15, 15, 15, 15,
                                  16, 15, 15, 15, 15, 16, 16};
    }

    void followsThePublishedTrace()
    {
        QFETCH(QString, steps);
        QFETCH(int, interval);
        QFETCH(QList<int>, log2Scale);
        QCOMPARE(steps.size(), log2Scale.size());
        const auto policy = makeLossScalePolicy(pytorchConfig(65536, 2, 0.5, interval));
        for (int i = 0; i < steps.size(); ++i) {
            policy->update(steps[i] == QLatin1Char('X'));
            QVERIFY2(
                policy->state().scale == std::ldexp(1.0F, log2Scale[i]), qPrintable(steps.left(i)));
        }
    }

    void stopsGrowingBeforeInfinity()
    {
        PytorchLossScale policy(pytorchConfig(65536, 2, 0.5, 1));
        for (int i = 0; i < 111; ++i)
            policy.update(false);
        QVERIFY(policy.state().scale == std::ldexp(1.0F, 127));
        QVERIFY(policy.update(false) == (LossScaleState{std::ldexp(1.0F, 127), 0}));
    }

    void withoutAFloorTheScaleVanishes()
    {
        PytorchLossScale policy(pytorchConfig(65536, 2, 0.5, 2000));
        for (int i = 0; i < 165; ++i)
            policy.update(true);
        QVERIFY(policy.state().scale == std::ldexp(1.0F, -149));
        QVERIFY(policy.update(true).scale == 0.0F);
    }

    void floorAndCeilingHold()
    {
        auto config = pytorchConfig(16, 2, 0.5, 1);
        config.minScale = 6.0;
        config.maxScale = 40.0;
        PytorchLossScale policy(config);
        QVERIFY(policy.update(false).scale == 32.0F);
        QVERIFY(policy.update(false).scale == 40.0F);
        QVERIFY(policy.update(true).scale == 20.0F);
        QVERIFY(policy.update(true).scale == 10.0F);
        QVERIFY(policy.update(true).scale == 6.0F);
        QVERIFY(policy.update(true).scale == 6.0F);
    }

    void initialScaleIsMovedIntoTheBounds()
    {
        auto config = pytorchConfig(65536, 2, 0.5, 10);
        config.maxScale = 1024;
        QVERIFY(PytorchLossScale(config).state().scale == 1024.0F);
    }

    void staticNeverMoves()
    {
        auto config = pytorchConfig(1000, 2, 0.5, 1);
        config.policy = ScalerPolicy::Static;
        const auto policy = makeLossScalePolicy(config);
        for (bool foundInf : {false, true, true, false, false})
            QVERIFY(policy->update(foundInf) == (LossScaleState{1000, 0}));
    }

    void editingTheIntervalResetsTheTracker()
    {
        PytorchLossScale policy(pytorchConfig(8, 2, 0.5, 10));
        for (int i = 0; i < 5; ++i)
            policy.update(false);
        QCOMPARE(*policy.set("growth_interval", 3), 10.0);
        QCOMPARE(policy.state().growthTracker, 0);
        policy.update(false);
        policy.update(false);
        QVERIFY(policy.update(false) == (LossScaleState{16, 0}));
    }

    void settingTheScaleKeepsTheTracker()
    {
        PytorchLossScale policy(pytorchConfig(8, 2, 0.5, 10));
        policy.update(false);
        QCOMPARE(*policy.set("scale", 3.0), 8.0);
        QVERIFY(policy.state() == (LossScaleState{3, 1}));
    }

    void refusesBadSettings_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<double>("value");
        const double nan = std::nan("");
        QTest::newRow("growth 1") << "growth_factor" << 1.0;
        QTest::newRow("growth nan") << "growth_factor" << nan;
        QTest::newRow("backoff 0") << "backoff_factor" << 0.0;
        QTest::newRow("backoff 1") << "backoff_factor" << 1.0;
        QTest::newRow("interval 0") << "growth_interval" << 0.0;
        QTest::newRow("interval 2.5") << "growth_interval" << 2.5;
        QTest::newRow("interval 2^31") << "growth_interval" << 2147483648.0;
        QTest::newRow("floor 0") << "min_scale" << 0.0;
        QTest::newRow("floor above ceiling") << "min_scale" << 2048.0;
        QTest::newRow("ceiling inf") << "max_scale" << double(INFINITY);
        QTest::newRow("scale 0") << "scale" << 0.0;
        QTest::newRow("scale nan") << "scale" << nan;
        QTest::newRow("scale 1e39") << "scale" << 1e39;
        QTest::newRow("scale above ceiling") << "scale" << 1025.0;
        QTest::newRow("unknown") << "grwth_factor" << 2.0;
    }

    void refusesBadSettings()
    {
        QFETCH(QString, key);
        QFETCH(double, value);
        auto config = pytorchConfig(64, 2, 0.5, 10);
        config.maxScale = 1024;
        PytorchLossScale policy(config);
        const auto result = policy.set(key.toStdString(), value);
        QVERIFY(!result.has_value());
        QVERIFY(QString::fromStdString(result.error().message).contains(key));
        QVERIFY(QString::fromStdString(result.error().message).contains("allowed: "));
        QVERIFY(policy.config() == config);
        QVERIFY(policy.state() == (LossScaleState{64, 0}));
    }

    void nanRemovesABound()
    {
        auto config = pytorchConfig(64, 2, 0.5, 1);
        config.maxScale = 64;
        PytorchLossScale policy(config);
        QVERIFY(policy.update(false).scale == 64.0F);
        QCOMPARE(*policy.set("max_scale", std::nan("")), 64.0);
        QVERIFY(policy.update(false).scale == 128.0F);
    }
};

QTEST_GUILESS_MAIN(TestLossScalePolicy)
#include "tst_loss_scale_policy.moc"
