// SPDX-License-Identifier: GPL-3.0-or-later
// GradScaler's rules, after the tests that PyTorch has for its own (named by number where they
// correspond: the values are theirs).
#include "tests/engine/scaler_rig.h"

#include "core/numerics/loss_scale_policy.h"
#include "tests/support/test_program.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>

#include <QTest>
#include <cmath>
#include <random>

using namespace mantissa;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

QString message(const Result<void>& result)
{
    return result ? QString() : QString::fromStdString(result.error().message);
}

} // namespace

class TestGradScaler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 1: ten lists of contiguous, transposed and sliced gradients with and without inf or NaN.
    void kernelUnscalesAndFindsNonFinite_data()
    {
        QTest::addColumn<QString>("layouts"); // c contiguous, t transposed, s sliced columns
        QTest::addColumn<int>("badIndex"); // which gradient gets it, -1 none
        QTest::addColumn<double>("bad");
        const double nan = std::nan("");
        QTest::newRow("cc") << "cc" << -1 << 0.0;
        QTest::newRow("ct") << "ct" << -1 << 0.0;
        QTest::newRow("tt") << "tt" << -1 << 0.0;
        QTest::newRow("cs") << "cs" << -1 << 0.0;
        QTest::newRow("ss") << "ss" << -1 << 0.0;
        QTest::newRow("inf in c of ct") << "ct" << 0 << kInf;
        QTest::newRow("inf in t of ct") << "ct" << 1 << kInf;
        QTest::newRow("nan in c of cs") << "cs" << 0 << nan;
        QTest::newRow("nan in s of cs") << "cs" << 1 << nan;
        QTest::newRow("-inf in s of ss") << "ss" << 1 << -kInf;
    }

    void kernelUnscalesAndFindsNonFinite()
    {
        QFETCH(QString, layouts);
        QFETCH(int, badIndex);
        QFETCH(double, bad);
        std::vector<at::Tensor> gradients;
        for (const QChar layout : layouts) {
            auto gradient = at::full({20, 20}, 4.0);
            if (layout == QLatin1Char('t'))
                gradient = gradient.t();
            if (layout == QLatin1Char('s'))
                gradient = gradient.slice(1, 0, 5);
            gradients.push_back(gradient);
        }
        if (badIndex >= 0)
            gradients[static_cast<std::size_t>(badIndex)][2][2].fill_(bad);
        auto foundInf = at::zeros({});
        at::_amp_foreach_non_finite_check_and_unscale_(gradients, foundInf, at::full({}, 0.25));
        QCOMPARE(foundInf.item<float>(), badIndex < 0 ? 0.0F : 1.0F);
        if (badIndex >= 0)
            return;
        for (const auto& gradient : gradients)
            QVERIFY(at::allclose(gradient, at::ones_like(gradient), 1e-5, 1e-7));
    }

    // 2
    void kernelTakesMixedTypes()
    {
        std::vector<at::Tensor> gradients{
            at::full({20, 20}, 4.0), at::full({20, 20}, 4.0).to(at::kHalf)};
        auto foundInf = at::zeros({});
        at::_amp_foreach_non_finite_check_and_unscale_(gradients, foundInf, at::full({}, 0.25));
        QCOMPARE(foundInf.item<float>(), 0.0F);
        for (const auto& gradient : gradients)
            QVERIFY(at::allclose(gradient, at::ones_like(gradient), 1e-5, 1e-7));
    }

    // 5
    void growsAndBacksOff()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(4, 2, 0.25, 2));
        const auto iterate = [&](double gradient) {
            scaler.scale(loss());
            rig.setGradient(gradient);
            const auto outcome = scaler.step(*rig.optimizer);
            QVERIFY(outcome.has_value());
            QVERIFY(*outcome
                == (std::isfinite(gradient) ? StepOutcome::Stepped : StepOutcome::Skipped));
            QVERIFY(scaler.update().has_value());
        };
        iterate(4);
        QCOMPARE(scaler.scaleValue(), 4.0);
        QCOMPARE(scaler.growthTracker(), std::int64_t{1});
        iterate(4);
        QCOMPARE(scaler.scaleValue(), 8.0);
        QCOMPARE(scaler.growthTracker(), std::int64_t{0});
        iterate(kInf);
        QCOMPARE(scaler.scaleValue(), 2.0);
        QCOMPARE(scaler.growthTracker(), std::int64_t{0});
    }

    // 7
    void stateDictGoesFromOneToAnother_data()
    {
        QTest::addColumn<bool>("used");
        QTest::newRow("before the first scale()") << false;
        QTest::newRow("after it") << true;
    }

    void stateDictGoesFromOneToAnother()
    {
        QFETCH(bool, used);
        GradScaler from(scalerConfig(3, 4, 0.5, 2));
        GradScaler to(scalerConfig(6, 7, 0.8, 1));
        QVERIFY(to.loadStateDict({{"scale", 6}, {"growth_factor", 7}, {"backoff_factor", 0.8},
                                     {"growth_interval", 1}, {"_growth_tracker", 7}})
                    .has_value());
        if (used)
            to.scale(loss());
        QCOMPARE(to.growthTracker(), std::int64_t{7});
        QVERIFY(to.loadStateDict(from.stateDict()).has_value());
        QCOMPARE(to.scaleValue(), 3.0);
        QCOMPARE(to.config().growthFactor, 4.0);
        QCOMPARE(to.config().backoffFactor, 0.5);
        QCOMPARE(to.config().growthInterval, std::int64_t{2});
        QCOMPARE(to.growthTracker(), std::int64_t{0});
    }

    void stateDictErrorsAreWords()
    {
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        QVERIFY(message(scaler.loadStateDict({})).contains("disabled scaler"));
        auto state = scaler.stateDict();
        state.erase("growth_interval");
        QVERIFY(message(scaler.loadStateDict(state)).contains("growth_interval"));
        GradScaler off(scalerConfig(4, 2, 0.5, 2), false);
        QVERIFY(off.stateDict().empty());
        QVERIFY(off.loadStateDict({}).has_value());
    }

    // 8
    void roundTripKeepsValuesAndStartsReady()
    {
        for (const bool used : {false, true}) {
            GradScaler scaler(scalerConfig(3, 4, 0.5, 2));
            if (used)
                scaler.scale(loss());
            GradScaler copy(scalerConfig(65536, 2, 0.9, 2000));
            QVERIFY(copy.loadStateDict(scaler.stateDict()).has_value());
            QCOMPARE(copy.scale(loss()).item<float>(), 12.0F);
            Rig rig;
            QVERIFY(copy.stage(*rig.optimizer) == GradScaler::Stage::Ready);
            QVERIFY(!copy.foundInf(*rig.optimizer).defined());
        }
    }

    // 18: the check is made when gradients are unscaled; what happens to them later is not seen.
    void damageAfterUnscaleIsNotSeen_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("value");
        QTest::newRow("sgd inf") << int(OptimizerKind::Sgd) << kInf;
        QTest::newRow("sgd nan") << int(OptimizerKind::Sgd) << std::nan("");
        QTest::newRow("adamw inf") << int(OptimizerKind::AdamW) << kInf;
        QTest::newRow("adamw nan") << int(OptimizerKind::AdamW) << std::nan("");
    }

    void damageAfterUnscaleIsNotSeen()
    {
        QFETCH(int, kind);
        QFETCH(double, value);
        Rig rig(4, static_cast<OptimizerKind>(kind));
        GradScaler scaler(scalerConfig(128, 2, 0.5, 1));
        scaler.scale(loss());
        QVERIFY(scaler.unscale(*rig.optimizer).has_value());
        rig.setGradient(value);
        const auto outcome = scaler.step(*rig.optimizer);
        QVERIFY(outcome.has_value() && *outcome == StepOutcome::Stepped);
        QVERIFY(!std::isfinite(rig.value()));
    }

    // 19
    void theScaleDoesNotOverflow()
    {
        Rig rig(1e-30, OptimizerKind::AdamW);
        GradScaler scaler(scalerConfig(1e38, 16, 0.5, 1));
        scaler.scale(loss());
        QVERIFY(scaler.step(*rig.optimizer).has_value());
        QVERIFY(scaler.update().has_value());
        QVERIFY(scaler.scaleValue() == double(1e38F));
    }

    void callsOutOfOrderAreErrorsInWords()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        QVERIFY(message(scaler.unscale(*rig.optimizer)).contains("before scale()"));
        QVERIFY(!scaler.step(*rig.optimizer).has_value());
        QVERIFY(message(scaler.update()).contains("before scale()"));
        scaler.scale(loss());
        QVERIFY(message(scaler.update()).contains("No inf checks were recorded prior to update"));
        QVERIFY(scaler.unscale(*rig.optimizer).has_value());
        QVERIFY(message(scaler.unscale(*rig.optimizer)).contains("already been called"));
        QVERIFY(scaler.stage(*rig.optimizer) == GradScaler::Stage::Unscaled);
        QVERIFY(scaler.step(*rig.optimizer).has_value());
        QVERIFY(message(scaler.unscale(*rig.optimizer)).contains("after step()"));
        const auto again = scaler.step(*rig.optimizer);
        QVERIFY(!again && again.error().message.find("already been called") != std::string::npos);
        QVERIFY(scaler.update().has_value());
        QVERIFY(scaler.stage(*rig.optimizer) == GradScaler::Stage::Ready);
    }

    void noGradientIsAnErrorOnlyAtTheStep()
    {
        Rig rig;
        rig.optimizer->zeroGrad();
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        scaler.scale(loss());
        QVERIFY(scaler.unscale(*rig.optimizer).has_value());
        const auto outcome = scaler.step(*rig.optimizer);
        QVERIFY(!outcome && outcome.error().message.find("No inf checks") != std::string::npos);
    }

    void fp16GradientsAreRefused()
    {
        auto parameter = at::ones({4}).to(at::kHalf).set_requires_grad(true);
        TrainConfig config;
        Sgd optimizer({parameter}, config);
        parameter.mutable_grad() = at::ones({4}).to(at::kHalf);
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        scaler.scale(loss());
        QVERIFY(message(scaler.unscale(optimizer)).contains("FP16 gradients"));
    }

    void updateWithAScaleKeepsTheTracker()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(4, 2, 0.5, 10));
        scaler.scale(loss());
        QVERIFY(scaler.step(*rig.optimizer).has_value());
        QVERIFY(scaler.update().has_value());
        QVERIFY(scaler.update(32.0).has_value());
        QCOMPARE(scaler.scaleValue(), 32.0);
        QCOMPARE(scaler.growthTracker(), std::int64_t{1});
        QVERIFY(message(scaler.update(0.0)).contains("allowed"));
    }

    void aDisabledScalerDoesNothing()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(4, 2, 0.5, 1), false);
        QCOMPARE(scaler.scale(loss()).item<float>(), 4.0F);
        QVERIFY(scaler.unscale(*rig.optimizer).has_value());
        const auto outcome = scaler.step(*rig.optimizer);
        QVERIFY(outcome && *outcome == StepOutcome::Stepped);
        QVERIFY(scaler.update().has_value());
        QCOMPARE(rig.value(), -3.0F);
        QCOMPARE(scaler.scaleValue(), 1.0);
        const SettingChange change{"growth_interval", 3};
        const auto set = scaler.set({&change, 1});
        QVERIFY(!set && set.error().reason.find("no GradScaler") != std::string::npos);
    }

    void floorCeilingAndStatic()
    {
        auto config = scalerConfig(16, 2, 0.5, 1);
        config.minScale = 6;
        config.maxScale = 40;
        Rig rig;
        GradScaler bounded(config);
        config = scalerConfig(1000, 2, 0.5, 1);
        config.policy = ScalerPolicy::Static;
        GradScaler fixed(config);
        const std::vector<std::pair<double, double>> steps{
            {1, 32}, {1, 40}, {kInf, 20}, {kInf, 10}, {kInf, 6}, {kInf, 6}, {1, 12}};
        for (const auto& [gradient, scale] : steps) {
            for (auto* scaler : {&bounded, &fixed}) {
                scaler->scale(loss());
                rig.setGradient(gradient);
                QVERIFY(scaler->step(*rig.optimizer).has_value());
                QVERIFY(scaler->update().has_value());
            }
            QCOMPARE(bounded.scaleValue(), scale);
            QCOMPARE(fixed.scaleValue(), 1000.0);
        }
    }

    void settingsChangeLive()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(8, 2, 0.5, 100));
        for (int i = 0; i < 7; ++i) {
            scaler.scale(loss());
            rig.setGradient(1);
            QVERIFY(scaler.step(*rig.optimizer).has_value());
            QVERIFY(scaler.update().has_value());
        }
        std::vector<SettingChange> changes{{"growth_interval", 3}, {"scale", 5}};
        const auto applied = scaler.set(changes);
        QVERIFY(applied && applied->at(0).oldValue == 100 && applied->at(1).oldValue == 8.0);
        QCOMPARE(scaler.growthTracker(), std::int64_t{0});
        QCOMPARE(scaler.scale(loss()).item<float>(), 20.0F);
        changes.push_back({"backoff_factor", 1});
        QVERIFY(!scaler.set(changes).has_value());
    }

    // The state machine of core/numerics and ATen's kernel are two programs for one rule.
    void policyAndKernelAgreeOnEveryStep()
    {
        std::mt19937 random(1);
        for (const double growth : {2.0, 1.001, 16.0}) {
            const auto config = scalerConfig(65536, growth, 0.37, 3);
            LossScalePolicy policy(config);
            auto scale = at::full({}, 65536.0);
            auto tracker = at::zeros({}, at::kInt);
            for (int step = 0; step < 300; ++step) {
                const bool foundInf = random() % 7 == 0;
                policy.update(foundInf);
                at::_amp_update_scale_(
                    scale, tracker, at::full({}, foundInf ? 1.0 : 0.0), growth, 0.37, 3);
                QVERIFY(policy.state().scale == scale.item<float>());
                QCOMPARE(policy.state().growthTracker, tracker.item<int>());
            }
        }
    }

    void theFusedPathDoesTheSameWithoutAHostRead_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("unscaleFirst");
        QTest::newRow("sgd") << int(OptimizerKind::Sgd) << false;
        QTest::newRow("sgd, unscaled") << int(OptimizerKind::Sgd) << true;
        QTest::newRow("adamw") << int(OptimizerKind::AdamW) << false;
        QTest::newRow("adamw, unscaled") << int(OptimizerKind::AdamW) << true;
    }

    void theFusedPathDoesTheSameWithoutAHostRead()
    {
        QFETCH(int, kind);
        QFETCH(bool, unscaleFirst);
        Rig plain(4, static_cast<OptimizerKind>(kind));
        Rig fused(4, static_cast<OptimizerKind>(kind));
        GradScaler plainScaler(scalerConfig(4, 2, 0.5, 2));
        GradScaler fusedScaler(scalerConfig(4, 2, 0.5, 2), true, GradScaler::Decision::Device);
        for (const double gradient : {4.0, 8.0, kInf, 2.0, 1.0}) {
            for (auto [rig, scaler] : {std::pair{&plain, &plainScaler}, {&fused, &fusedScaler}}) {
                scaler->scale(loss());
                rig->setGradient(gradient);
                if (unscaleFirst)
                    QVERIFY(scaler->unscale(*rig->optimizer).has_value());
                const auto outcome = scaler->step(*rig->optimizer);
                QVERIFY(outcome.has_value());
                QCOMPARE(*outcome == StepOutcome::FoundInfDecides, rig == &fused);
                QVERIFY(scaler->update().has_value());
            }
            QCOMPARE(fused.value(), plain.value());
            QCOMPARE(fusedScaler.scaleValue(), plainScaler.scaleValue());
        }
        if (auto* adamw = dynamic_cast<AdamW*>(fused.optimizer.get()))
            QCOMPARE(adamw->stateSteps().front().item<float>(), 4.0F);
    }

    // The shape for what follows: each optimizer decides for itself, the scale is shared.
    void eachOptimizerSkipsForItself()
    {
        Rig clean;
        Rig broken(kInf);
        GradScaler scaler(scalerConfig(4, 2, 0.5, 1));
        scaler.scale(loss());
        QVERIFY(*scaler.step(*clean.optimizer) == StepOutcome::Stepped);
        QVERIFY(*scaler.step(*broken.optimizer) == StepOutcome::Skipped);
        QVERIFY(scaler.update().has_value());
        QCOMPARE(clean.value(), 0.0F);
        QCOMPARE(broken.value(), 1.0F);
        QCOMPARE(scaler.scaleValue(), 2.0);
    }
};

MANTISSA_TEST(TestGradScaler)
#include "tst_grad_scaler.moc"
