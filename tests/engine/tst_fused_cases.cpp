// SPDX-License-Identifier: GPL-3.0-or-later
// Bugs that people had with fused optimizers under a GradScaler, on both paths: the host reads
// found_inf, or the kernel does.
#include "core/engine/clip.h"
#include "core/engine/grad_scaler.h"
#include "core/engine/optimizer.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>
#include <QTest>
#include <cmath>

using namespace mantissa;

namespace {

TrainConfig adamw()
{
    TrainConfig config;
    config.optimizer = OptimizerKind::AdamW;
    config.lr = 0.1;
    config.weightDecay = 0.05;
    return config;
}

ScalerConfig scaler1024()
{
    ScalerConfig config;
    config.initScale = 1024;
    return config;
}

struct Rig {
    explicit Rig(GradScaler::Decision decision)
        : scaler(scaler1024(), true, decision)
    {
        scaler.scale(at::ones({}));
    }

    /// One step with `gradient` in true units, as backward() would have left it: scaled.
    Result<StepOutcome> step(double gradient, double clip)
    {
        parameter.mutable_grad() = at::full({4}, gradient * scaler.scaleValue());
        if (clip > 0) {
            if (auto unscaled = scaler.unscale(optimizer); !unscaled)
                return tl::unexpected(unscaled.error());
            auto gradients = optimizer.gradients();
            norm = globalNorm(gradients).item<double>();
            clipByNorm(gradients, globalNorm(gradients), clip);
        }
        auto outcome = scaler.step(optimizer);
        foundInf = scaler.foundInf(optimizer).item<double>();
        scaler.scale(at::ones({}));
        if (auto updated = scaler.update(); !updated)
            return tl::unexpected(updated.error());
        return outcome;
    }

    double value() const { return parameter.detach()[2].item<double>(); }

    at::Tensor parameter = at::ones({4}).set_requires_grad(true);
    AdamW optimizer{{parameter}, adamw()};
    GradScaler scaler;
    double norm = 0;
    double foundInf = 0;
};

void bothPaths()
{
    QTest::addColumn<int>("decision");
    QTest::newRow("host") << int(GradScaler::Decision::Host);
    QTest::newRow("device") << int(GradScaler::Decision::Device);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace

class TestFusedCases : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The fused step is called even when its kernel skips: the skip must come from found_inf.
    void case33_aSkipIsSeenInFoundInf_data() { bothPaths(); }
    void case33_aSkipIsSeenInFoundInf()
    {
        QFETCH(int, decision);
        Rig rig(static_cast<GradScaler::Decision>(decision));
        const auto outcome = rig.step(kInfinity, 0);
        QVERIFY(outcome.has_value());
        const bool onDevice = *outcome == StepOutcome::FoundInfDecides;
        QCOMPARE(onDevice, decision == int(GradScaler::Decision::Device));
        QVERIFY(onDevice || *outcome == StepOutcome::Skipped);
        QCOMPARE(rig.foundInf, 1.0);
        QCOMPARE(rig.optimizer.stateSteps()[0].item<double>(), 0.0);
        QCOMPARE(rig.value(), 1.0);
        QVERIFY(rig.step(0.5, 0).has_value());
        QCOMPARE(rig.foundInf, 0.0);
        QCOMPARE(rig.optimizer.stateSteps()[0].item<double>(), 1.0);
    }

    // Unscaled for clipping, then an infinite gradient: nothing may move. Otherwise the update is
    // that of the formula, divided by the scale once.
    void case40_unscaledOnceAndUntouchedByInf_data() { bothPaths(); }
    void case40_unscaledOnceAndUntouchedByInf()
    {
        QFETCH(int, decision);
        Rig rig(static_cast<GradScaler::Decision>(decision));
        double p = 1;
        double m = 0;
        double v = 0;
        double n = 0;
        for (const double gradient : {0.5, kInfinity, -0.25, 2.0}) {
            const double before = rig.value();
            QVERIFY(rig.step(gradient, 3.0).has_value());
            if (std::isinf(gradient)) {
                QCOMPARE(rig.value(), before);
                continue;
            }
            // Four equal values: the norm is twice one of them.
            const double g = gradient * std::min(1.0, 3.0 / (2 * std::abs(gradient) + 1e-6));
            ++n;
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            p = p * (1 - 0.1 * 0.05)
                - 0.1 * m / (1 - std::pow(0.9, n))
                    / (std::sqrt(v / (1 - std::pow(0.999, n))) + 1e-8);
            QVERIFY2(std::abs(rig.value() - p) < 1e-6, qPrintable(QString::number(p)));
        }
    }

    // Clipped after a wrong unscale, gradients came out near zero.
    void case43_theNormIsInTrueUnits_data() { bothPaths(); }
    void case43_theNormIsInTrueUnits()
    {
        QFETCH(int, decision);
        Rig rig(static_cast<GradScaler::Decision>(decision));
        QVERIFY(rig.step(0.5, 10).has_value());
        QCOMPARE(rig.norm, 1.0);
        QVERIFY(std::abs(rig.optimizer.expAvgs()[0][0].item<double>() - 0.05) < 1e-7);
    }
};

MANTISSA_TEST(TestFusedCases)
#include "tst_fused_cases.moc"
