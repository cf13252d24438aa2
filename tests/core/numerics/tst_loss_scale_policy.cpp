// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/loss_scale_policy.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

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

bool is(const LossScaleState& state, float scale, int tracker)
{
    return state.scale == scale && state.growthTracker == tracker;
}

} // namespace

class TestLossScalePolicy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void growsAtTheIntervalAndBacksOffAtAnOverflow()
    {
        LossScalePolicy policy(pytorchConfig(4, 2, 0.25, 2));
        QVERIFY(is(policy.update(false), 4, 1));
        QVERIFY(is(policy.update(false), 8, 0));
        QVERIFY(is(policy.update(true), 2, 0));
    }

    void stopsGrowingBeforeInfinity()
    {
        LossScalePolicy policy(pytorchConfig(65536, 2, 0.5, 1));
        for (int i = 0; i < 111; ++i)
            policy.update(false);
        QVERIFY(policy.state().scale == std::ldexp(1.0F, 127));
        QVERIFY(is(policy.update(false), std::ldexp(1.0F, 127), 0));
    }

    void withoutAFloorTheScaleVanishes()
    {
        LossScalePolicy policy(pytorchConfig(65536, 2, 0.5, 2000));
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
        LossScalePolicy policy(config);
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
        QVERIFY(LossScalePolicy(config).state().scale == 1024.0F);
    }

    void staticNeverMoves()
    {
        auto config = pytorchConfig(1000, 2, 0.5, 1);
        config.policy = ScalerPolicy::Static;
        LossScalePolicy policy(config);
        for (bool foundInf : {false, true, true, false, false})
            QVERIFY(is(policy.update(foundInf), 1000, 0));
    }
};

MANTISSA_TEST(TestLossScalePolicy)
#include "tst_loss_scale_policy.moc"
