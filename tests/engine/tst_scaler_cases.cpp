// SPDX-License-Identifier: GPL-3.0-or-later
// Mistakes and accidents that people reported of loss scalers (resources/docs/cases.md), and what
// GradScaler does beyond one optimizer with dense gradients.
#include "core/engine/clip.h"
#include "core/engine/module.h"
#include "core/numerics/scaler_trace.h"
#include "tests/engine/scaler_rig.h"
#include "tests/support/test_program.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/sparse_coo_tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>

#include <QTest>
#include <cmath>
#include <set>

using namespace mantissa;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Any gradient, dense or sparse: parameter -= gradient.
class PlainStep : public Optimizer {
public:
    using Optimizer::Optimizer;
    std::vector<NamedTensor> state() const override { return {}; }

protected:
    void update(const std::vector<std::size_t>& indices, const std::vector<at::Tensor>& gradients,
        const StepControl&) override
    {
        for (std::size_t i = 0; i < indices.size(); ++i)
            at::Tensor(parameters()[indices[i]]).sub_(gradients[i]);
    }
};

template <typename T> QString message(const Result<T>& result)
{
    return result ? QString() : QString::fromStdString(result.error().message);
}

/// One iteration of `optimizer`; what step() said.
StepOutcome iterate(GradScaler& scaler, Optimizer& optimizer, bool unscaleFirst = false)
{
    scaler.scale(loss());
    if (unscaleFirst && !scaler.unscale(optimizer))
        qFatal("unscale");
    const auto outcome = scaler.step(optimizer);
    if (!outcome || !scaler.update())
        qFatal("step or update");
    return *outcome;
}

at::Tensor sparse(const std::vector<double>& values, const std::vector<std::int64_t>& columns,
    at::ScalarType type)
{
    const auto count = static_cast<std::int64_t>(values.size());
    auto indices = at::zeros({2, count}, at::kLong);
    for (std::int64_t i = 0; i < count; ++i)
        indices[1][i].fill_(columns[static_cast<std::size_t>(i)]);
    return at::sparse_coo_tensor(indices, at::tensor(values).to(type), {2, 3});
}

template <typename Scaler>
concept TakesClosures = requires(Scaler& scaler, Optimizer& optimizer)
{
    scaler.step(optimizer, [] { return 0.0; });
};

} // namespace

class TestScalerCases : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Tensors of four numbers: a second thread would only wait for the first.
    void initTestCase() { at::set_num_threads(1); }

    void case3_aScaleThatVanishesIsAnErrorAndAFloorPreventsIt()
    {
        Rig rig(kInf);
        GradScaler bare(scalerConfig(65536, 2, 0.5, 2000));
        Result<StepOutcome> outcome;
        int steps = 0;
        for (; steps < 200 && outcome; ++steps) {
            bare.scale(loss());
            rig.setGradient(steps < 150 ? kInf : 1.0);
            outcome = bare.step(*rig.optimizer);
            if (outcome)
                QVERIFY(bare.update().has_value());
        }
        // 2^16 halved 144 times is 2^-128, whose reciprocal is no fp32 number.
        QCOMPARE(steps, 145);
        QVERIFY(message(outcome).contains("scaler.min_scale"));
        QCOMPARE(rig.value(), 1.0F);
        auto config = scalerConfig(65536, 2, 0.5, 2000);
        config.minScale = 1e-4;
        GradScaler floored(config);
        for (int i = 0; i < 200; ++i)
            QVERIFY(iterate(floored, *rig.optimizer) == StepOutcome::Skipped);
        QVERIFY(floored.scaleValue() == double(1e-4F));
    }

    void case12_theScaleIsFp32WhateverTheLossIs()
    {
        Rig rig(kInf);
        GradScaler scaler(scalerConfig(65536, 2, 0.5, 2000));
        const auto half = at::full({}, 0.5, at::kHalf);
        for (int i = 0; i < 60; ++i) {
            scaler.scale(half);
            QVERIFY(*scaler.step(*rig.optimizer) == StepOutcome::Skipped);
            QVERIFY(scaler.update().has_value());
        }
        QVERIFY(scaler.scaleTensor().scalar_type() == at::kFloat);
        QVERIFY(scaler.scaleValue() == std::ldexp(1.0, 16 - 60)); // fp16 ends at 2^-24
    }

    void case13_aTinyLossDoesNotGrowTheScaleToInfinity()
    {
        Rig rig(0);
        GradScaler scaler(scalerConfig(65536, 2, 0.5, 1));
        for (int i = 0; i < 150; ++i) {
            iterate(scaler, *rig.optimizer);
            QVERIFY(scaler.scaleValue() <= std::ldexp(1.0, 127));
        }
        QVERIFY(scaler.scaleValue() == std::ldexp(1.0, 127));
        const SettingChange ceiling{"max_scale", 1024};
        QVERIFY(scaler.set({&ceiling, 1}).has_value());
        iterate(scaler, *rig.optimizer);
        QCOMPARE(scaler.scaleValue(), 1024.0);
    }

    void case17_unscaleInEachMicroBatchIsRefused()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        scaler.scale(loss());
        QVERIFY(scaler.unscale(*rig.optimizer).has_value());
        scaler.scale(loss());
        const auto again = message(scaler.unscale(*rig.optimizer));
        QVERIFY(again.contains("once a step, after the last micro-batch"));
        QVERIFY(at::equal(rig.parameter.grad(), at::ones({4}))); // divided once: 4 / 4
    }

    void case20_parametersThatTheModelNoLongerHasAreNamed()
    {
        const auto weight = at::ones({2}).set_requires_grad(true);
        const auto bias = at::ones({2}).set_requires_grad(true);
        PlainStep optimizer({weight, bias});
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        scaler.nameParameters({{"fc.weight", weight}, {"fc.bias", bias}});
        // The model was moved: it trains copies, the optimizer still holds the first tensors.
        const auto moved = weight.detach().clone().set_requires_grad(true);
        scaler.scale(moved.sum()).backward();
        const auto text = message(scaler.step(optimizer));
        QVERIFY2(text.startsWith("No inf checks were recorded for this optimizer: none of its 2 "
                                 "parameters has a gradient"),
            qPrintable(text));
        QVERIFY(text.contains("fc.weight, fc.bias") && text.contains("before the model was moved"));
    }

    void case21_frozenParametersAreToldFromUnreachedOnes()
    {
        const auto frozen = at::ones({2});
        const auto trainable = at::ones({2}).set_requires_grad(true);
        PlainStep optimizer({frozen, trainable});
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        scaler.nameParameters({{"body", frozen}, {"head", trainable}});
        scaler.scale(loss());
        const auto text = message(scaler.step(optimizer));
        QVERIFY(text.contains("Frozen (requires_grad is false): body."));
        QVERIFY(text.contains("backward() did not reach them: head"));
    }

    void case22_aLossRebuiltAsANewTensorHasNoPath()
    {
        Rig rig;
        rig.optimizer->zeroGrad();
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        const auto real = rig.parameter.sum();
        const auto rebuilt = at::full({}, real.item<double>()).set_requires_grad(true);
        scaler.scale(rebuilt).backward();
        const auto text = message(scaler.step(*rig.optimizer));
        QVERIFY(text.contains("no path to them") && text.contains("rebuilt as a new tensor"));
    }

    void case24_updateWithoutAStepIsAClearError()
    {
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        scaler.scale(loss());
        QVERIFY(message(scaler.update()).contains("call step() or unscale()"));
    }

    void case26_halfPrecisionParametersAreListed()
    {
        const auto good = at::ones({4}).set_requires_grad(true);
        const auto bad = at::ones({4}).to(at::kHalf).set_requires_grad(true);
        PlainStep optimizer({good, bad});
        GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
        scaler.nameParameters({{"conv.weight", good}, {"act.weight", bad}});
        scaler.scale(good.sum().add(bad.to(at::kFloat).sum())).backward();
        for (const auto& text :
            {message(scaler.unscale(optimizer)), message(scaler.step(optimizer))}) {
            QVERIFY(text.startsWith("Attempting to unscale FP16 gradients of 1 parameters"));
            QVERIFY(text.contains("(act.weight)") && text.contains("fp32 master copy"));
        }
    }

    void case28_closuresAreRefused()
    {
        // Not a matter of run time: it does not compile.
        QVERIFY(!TakesClosures<GradScaler>);
    }

    void case32_stepSaysWhatItDid()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(std::ldexp(1.0, 40), 2, 0.5, 1));
        rig.setGradient(kInf);
        QVERIFY(iterate(scaler, *rig.optimizer) == StepOutcome::Skipped);
        rig.setGradient(1);
        QVERIFY(iterate(scaler, *rig.optimizer) == StepOutcome::Stepped);
        GradScaler fused(scalerConfig(4, 2, 0.5, 1), true, GradScaler::Decision::Device);
        QVERIFY(iterate(fused, *rig.optimizer) == StepOutcome::FoundInfDecides);
        GradScaler off(scalerConfig(4, 2, 0.5, 1), false);
        QVERIFY(iterate(off, *rig.optimizer) == StepOutcome::Stepped);
    }

    void case33_aStepSkippedByTheKernelIsKnownFromFoundInf()
    {
        Rig rig(kInf, OptimizerKind::AdamW);
        GradScaler scaler(scalerConfig(4, 2, 0.5, 1), true, GradScaler::Decision::Device);
        scaler.scale(loss());
        QVERIFY(scaler.step(*rig.optimizer).has_value());
        QCOMPARE(scaler.foundInf(*rig.optimizer).item<float>(), 1.0F);
        QCOMPARE(rig.value(), 1.0F);
        const auto& adamw = dynamic_cast<AdamW&>(*rig.optimizer);
        QCOMPARE(adamw.stateSteps().front().item<float>(), 0.0F);
    }

    // Reading a number from the device makes the host wait for everything before it.
    void case34_theFusedPathReadsNothing()
    {
        // Only what is called from here: CPU kernels read their one number from memory by item().
        static std::set<std::string> seen;
        static int depth = 0;
        seen.clear();
        const auto begin =
            [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
            if (depth++ == 0)
                seen.insert(function.name());
            return nullptr;
        };
        const auto end = [](const at::RecordFunction&, at::ObserverContext*) { --depth; };
        const auto handle = at::addThreadLocalCallback(
            at::RecordFunctionCallback(begin, end).scopes({at::RecordScope::FUNCTION}));
        Rig rig(4, OptimizerKind::AdamW);
        GradScaler scaler(scalerConfig(4, 2, 0.5, 1), true, GradScaler::Decision::Device);
        iterate(scaler, *rig.optimizer);
        iterate(scaler, *rig.optimizer, true);
        at::removeCallback(handle);
        QVERIFY(seen.contains("aten::_amp_update_scale_"));
        for (const char* reading : {"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero",
                 "aten::equal", "aten::nonzero"})
            QVERIFY2(!seen.contains(reading), reading);
    }

    void case35_case43_clippingAndNormAreInTrueUnits()
    {
        for (const double scale : {1024.0, 65536.0}) {
            Rig rig(0.25 * scale); // 4 values: norm 0.5 once unscaled
            GradScaler scaler(scalerConfig(scale, 2, 0.5, 100));
            scaler.scale(loss());
            QVERIFY(scaler.unscale(*rig.optimizer).has_value());
            auto gradients = rig.optimizer->gradients();
            const auto norm = globalNorm(gradients);
            QCOMPARE(norm.item<float>(), 0.5F);
            clipByNorm(gradients, norm, 1.0);
            QVERIFY(at::equal(rig.parameter.grad(), at::full({4}, 0.25)));
            QVERIFY(scaler.step(*rig.optimizer).has_value());
            QCOMPARE(rig.value(), 0.75F);
        }
    }

    void case37_oneScalerOrTwoForAGan()
    {
        for (const bool shared : {true, false}) {
            Rig generator(1);
            Rig discriminator(kInf);
            GradScaler first(scalerConfig(8, 2, 0.5, 100));
            GradScaler second(scalerConfig(8, 2, 0.5, 100));
            GradScaler& other = shared ? first : second;
            first.scale(loss());
            other.scale(loss());
            QVERIFY(*first.step(*discriminator.optimizer) == StepOutcome::Skipped);
            QVERIFY(*other.step(*generator.optimizer) == StepOutcome::Stepped);
            QVERIFY(first.update().has_value());
            if (!shared)
                QVERIFY(second.update().has_value());
            QCOMPARE(first.scaleValue(), 4.0);
            QCOMPARE(other.scaleValue(), shared ? 4.0 : 8.0);
            QCOMPARE(discriminator.value(), 1.0F);
            QCOMPARE(generator.value(), 0.875F);
        }
    }

    void case39_theScaleIsConstantWithinAStep()
    {
        Rig rig;
        rig.optimizer->zeroGrad();
        GradScaler scaler(scalerConfig(16, 2, 0.5, 1));
        for (int step = 0; step < 3; ++step) {
            const double scale = scaler.scaleValue();
            for (int microBatch = 0; microBatch < 2; ++microBatch)
                scaler.scale(rig.parameter.sum()).backward();
            QVERIFY(at::equal(rig.parameter.grad(), at::full({4}, 2 * scale)));
            QVERIFY(scaler.step(*rig.optimizer).has_value());
            QVERIFY(scaler.update().has_value());
            QCOMPARE(scaler.scaleValue(), 2 * scale);
            rig.optimizer->zeroGrad();
        }
    }

    void case40_fusedAdamWAfterUnscaleAndClip_data()
    {
        QTest::addColumn<bool>("unscaleFirst");
        QTest::newRow("divided by the kernel") << false;
        QTest::newRow("unscaled and clipped") << true;
    }

    void case40_fusedAdamWAfterUnscaleAndClip()
    {
        QFETCH(bool, unscaleFirst);
        Rig plain(4, OptimizerKind::AdamW);
        Rig fused(4, OptimizerKind::AdamW);
        GradScaler plainScaler(scalerConfig(64, 2, 0.5, 2));
        GradScaler fusedScaler(scalerConfig(64, 2, 0.5, 2), true, GradScaler::Decision::Device);
        for (const double gradient : {40.0, kInf, std::nan(""), 8.0}) {
            const float before = fused.value();
            for (auto [rig, scaler] : {std::pair{&plain, &plainScaler}, {&fused, &fusedScaler}}) {
                rig->setGradient(gradient);
                scaler->scale(loss());
                if (unscaleFirst) {
                    QVERIFY(scaler->unscale(*rig->optimizer).has_value());
                    auto gradients = rig->optimizer->gradients();
                    clipByNorm(gradients, globalNorm(gradients), 0.5);
                }
                QVERIFY(scaler->step(*rig->optimizer).has_value());
                QVERIFY(scaler->update().has_value());
            }
            QCOMPARE(fused.value(), plain.value());
            QCOMPARE(fused.value() == before, !std::isfinite(gradient));
        }
    }

    void case42_severalFoundInfsAreOneForTheKernel()
    {
        const auto one = at::ones({});
        for (const std::vector<at::Tensor>& found : {std::vector{one}, {one, one}}) {
            Rig rig(4, OptimizerKind::AdamW);
            StepControl control;
            control.foundInf = combineFoundInf(found, at::kCPU);
            QCOMPARE(control.foundInf->item<float>(), 1.0F);
            rig.optimizer->step(control);
            QCOMPARE(rig.value(), 1.0F);
        }
        QCOMPARE(combineFoundInf({at::zeros({}), at::zeros({})}, at::kCPU).item<float>(), 0.0F);
    }

    void case45_aStateMayBeLoadedBeforeTheScalerIsUsed()
    {
        for (const auto policy : {ScalerPolicy::Pytorch, ScalerPolicy::Hysteresis,
                 ScalerPolicy::Deepspeed, ScalerPolicy::Fairseq, ScalerPolicy::Smooth}) {
            for (const bool used : {false, true}) {
                auto config = scalerConfig(1024, 1.5, 0.4, 3);
                config.policy = policy;
                config.tolerance = policy == ScalerPolicy::Fairseq ? 0.3 : 0;
                Rig rig;
                GradScaler first(config);
                const auto feed = [&](GradScaler& scaler, int step) {
                    rig.setGradient(step % 4 == 3 || step % 7 == 5 ? kInf : 1.0);
                    iterate(scaler, *rig.optimizer);
                };
                for (int step = 0; step < 10; ++step)
                    feed(first, step);
                GradScaler second(scalerConfig(7, 2, 0.5, 2000));
                if (used)
                    feed(second, 0);
                QVERIFY(second.loadStateDict(first.stateDict()).has_value());
                QVERIFY(second.scaleValue() == first.scaleValue());
                for (int step = 10; step < 40; ++step) {
                    feed(first, step);
                    feed(second, step);
                    QVERIFY(second.scaleValue() == first.scaleValue());
                    QCOMPARE(second.growthTracker(), first.growthTracker());
                }
            }
        }
    }

    void pytorchsStateDictWillDo()
    {
        const std::map<std::string, double> saved{{"scale", 512}, {"growth_factor", 2},
            {"backoff_factor", 0.5}, {"growth_interval", 100}, {"_growth_tracker", 7}};
        GradScaler scaler(scalerConfig(65536, 3, 0.1, 2000));
        QVERIFY(scaler.loadStateDict(saved).has_value());
        QCOMPARE(scaler.scale(loss()).item<float>(), 2048.0F);
        QCOMPARE(scaler.growthTracker(), std::int64_t{7});
        for (const auto& [key, bad] :
            std::map<std::string, double>{{"scale", std::nan("")}, {"growth_interval", 2.5},
                {"_growth_tracker", 1e10}, {"growth_factor", 1}, {"backoff_factor", 1}}) {
            auto broken = saved;
            broken[key] = bad;
            QVERIFY(message(scaler.loadStateDict(broken)).contains("allowed"));
        }
        QCOMPARE(scaler.scaleValue(), 512.0);
    }

    // 27: 2^16, interval 1, an overflow at every even step.
    void everySecondStepOverflows()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(65536, 2, 0.5, 1));
        for (const double scale : {32768.0, 65536.0, 32768.0, 65536.0}) {
            rig.setGradient(scale < 65536 ? kInf : 1);
            iterate(scaler, *rig.optimizer);
            QCOMPARE(scaler.scaleValue(), scale);
        }
    }

    // 6
    void sparseGradientsAreUnscaledInTheirValues()
    {
        const auto step = [](const at::Tensor& gradient, GradScaler::Decision decision) {
            const auto parameter = at::zeros({2, 3}, gradient.scalar_type());
            at::Tensor(parameter).set_requires_grad(true).mutable_grad() = gradient;
            PlainStep optimizer({parameter});
            GradScaler scaler(scalerConfig(4, 2, 0.5, 2), true, decision);
            scaler.scale(loss());
            if (!scaler.step(optimizer))
                qFatal("step");
            return std::pair(scaler.foundInf(optimizer).item<float>(), parameter.detach());
        };
        using enum GradScaler::Decision;
        const auto [found, after] = step(sparse({16, 32, 64}, {0, 1, 2}, at::kFloat), Host);
        QCOMPARE(found, 0.0F);
        QVERIFY(at::equal(after[0], at::tensor({-4.0F, -8.0F, -16.0F})));
        QCOMPARE(step(sparse({16, kInf, 64}, {0, 1, 2}, at::kFloat), Host).first, 1.0F);
        QCOMPARE(step(sparse({std::nan(""), 32, 64}, {0, 1, 2}, at::kFloat), Host).first, 1.0F);
        // fp16: looked at only, as the fused path does; 64000 twice at one index overflows.
        QCOMPARE(step(sparse({16, 32, 64}, {0, 1, 2}, at::kHalf), Device).first, 0.0F);
        QCOMPARE(step(sparse({64000, 64000, 1}, {1, 1, 2}, at::kHalf), Device).first, 1.0F);
    }

    // 4, as far as one device can: an inf in any of several shapes and layouts is found once.
    void anInfAnywhereIsFound()
    {
        for (int bad = -1; bad < 3; ++bad) {
            std::vector<at::Tensor> parameters;
            for (int i = 0; i < 3; ++i) {
                auto parameter = at::zeros({20, 20}).set_requires_grad(true);
                auto gradient = at::full({20, 20}, 4.0);
                if (i == 1)
                    gradient = gradient.t();
                if (i == 2)
                    gradient = at::full({20, 40}, 4.0).slice(1, 0, 20);
                if (i == bad)
                    gradient[2][2].fill_(kInf);
                parameter.mutable_grad() = gradient;
                parameters.push_back(parameter);
            }
            PlainStep optimizer(parameters);
            GradScaler scaler(scalerConfig(4, 2, 0.5, 2));
            scaler.scale(loss());
            QVERIFY(scaler.unscale(optimizer).has_value());
            QCOMPARE(scaler.foundInf(optimizer).item<float>(), bad < 0 ? 0.0F : 1.0F);
            for (int i = 0; i < 3 && bad < 0; ++i)
                QVERIFY(at::equal(optimizer.gradients()[std::size_t(i)], at::ones({20, 20})));
        }
    }

    // 14: D is looked at and clipped, G is not.
    void twoOptimizersOneUnscaled()
    {
        Rig first(16);
        Rig second(16);
        GradScaler scaler(scalerConfig(16, 2, 0.5, 1));
        scaler.scale(std::vector{loss(), loss()});
        QVERIFY(scaler.unscale(*first.optimizer).has_value());
        QVERIFY(*scaler.step(*first.optimizer) == StepOutcome::Stepped);
        QVERIFY(*scaler.step(*second.optimizer) == StepOutcome::Stepped);
        QVERIFY(scaler.update().has_value());
        QCOMPARE(first.value(), 0.0F);
        QCOMPARE(second.value(), 0.0F);
        QCOMPARE(scaler.scaleValue(), 32.0);
    }

    void aListIsScaledItemByItem()
    {
        GradScaler scaler(scalerConfig(2, 2, 0.5, 1));
        const auto scaled = scaler.scale(std::vector{loss(), at::full({3}, 4.0)});
        QVERIFY(
            at::equal(scaled[0], at::full({}, 8.0)) && at::equal(scaled[1], at::full({3}, 8.0)));
        GradScaler off(scalerConfig(2, 2, 0.5, 1), false);
        const auto list = std::vector{loss()};
        QVERIFY(off.scale(list)[0].is_same(list[0])); // the very same tensor
    }

    // 32
    void parametersOutliveFiftyBadSteps()
    {
        Rig rig(1, OptimizerKind::AdamW);
        GradScaler scaler(scalerConfig(128, 2, 0.5, 1));
        for (int i = 0; i < 50; ++i) {
            rig.setGradient(i % 2 == 0 ? kInf : std::nan(""));
            iterate(scaler, *rig.optimizer, i % 3 == 0);
        }
        QCOMPARE(rig.value(), 1.0F);
    }

    void recheckSeesDamageBetweenUnscaleAndStep_data()
    {
        QTest::addColumn<bool>("fused");
        QTest::newRow("plain") << false;
        QTest::newRow("fused") << true;
    }

    void recheckSeesDamageBetweenUnscaleAndStep()
    {
        QFETCH(bool, fused);
        auto config = scalerConfig(128, 2, 0.5, 1);
        config.recheck = true;
        using enum GradScaler::Decision;
        for (const double damage : {kInf, std::nan(""), 2.0}) {
            Rig rig(128);
            GradScaler scaler(config, true, fused ? Device : Host);
            scaler.scale(loss());
            QVERIFY(scaler.unscale(*rig.optimizer).has_value());
            rig.setGradient(damage);
            QVERIFY(scaler.step(*rig.optimizer).has_value());
            QVERIFY(scaler.update().has_value());
            QCOMPARE(rig.value(), std::isfinite(damage) ? -1.0F : 1.0F);
            QCOMPARE(scaler.scaleValue(), std::isfinite(damage) ? 256.0 : 64.0);
        }
        // What unscale() found stays found, even if it is gone by now.
        Rig rig(kInf);
        GradScaler scaler(config);
        scaler.scale(loss());
        QVERIFY(scaler.unscale(*rig.optimizer).has_value());
        rig.setGradient(1);
        QVERIFY(*scaler.step(*rig.optimizer) == StepOutcome::Skipped);
    }

    void everyPolicyDrivesTheTensors_data()
    {
        QTest::addColumn<int>("policy");
        QTest::newRow("static") << int(ScalerPolicy::Static);
        QTest::newRow("pytorch") << int(ScalerPolicy::Pytorch);
        QTest::newRow("hysteresis") << int(ScalerPolicy::Hysteresis);
        QTest::newRow("deepspeed") << int(ScalerPolicy::Deepspeed);
        QTest::newRow("fairseq") << int(ScalerPolicy::Fairseq);
        QTest::newRow("smooth") << int(ScalerPolicy::Smooth);
    }

    void everyPolicyDrivesTheTensors()
    {
        QFETCH(int, policy);
        auto config = scalerConfig(1000, 1.5, 0.4, 3);
        config.policy = static_cast<ScalerPolicy>(policy);
        OverflowTrace trace;
        for (int i = 0; i < 40; ++i)
            trace.push_back(i % 5 == 3 || i % 7 == 6);
        const auto expected = replayScaler(config, trace);
        using enum GradScaler::Decision;
        for (const auto decision : {Host, Device}) {
            Rig rig;
            GradScaler scaler(config, true, decision);
            QCOMPARE(scaler.readsFoundInf(), policy > int(ScalerPolicy::Pytorch));
            for (std::size_t i = 0; i < trace.size(); ++i) {
                rig.setGradient(trace[i] ? kInf : 1.0);
                iterate(scaler, *rig.optimizer);
                QVERIFY(scaler.scaleTensor().item<float>() == expected.states[i].scale);
                QCOMPARE(scaler.trackerTensor().item<int>(), expected.states[i].growthTracker);
            }
        }
    }

    void aPolicyMayChangeInBetween()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(64, 2, 0.5, 2));
        iterate(scaler, *rig.optimizer);
        iterate(scaler, *rig.optimizer);
        QCOMPARE(scaler.scaleValue(), 128.0); // on the tensors
        std::vector<SettingChange> changes{{"policy", "hysteresis"}, {"hysteresis", 3}};
        QVERIFY(scaler.set(changes).has_value());
        rig.setGradient(kInf);
        iterate(scaler, *rig.optimizer);
        iterate(scaler, *rig.optimizer);
        QCOMPARE(scaler.scaleValue(), 128.0);
        iterate(scaler, *rig.optimizer);
        QCOMPARE(scaler.scaleValue(), 64.0);
        changes = {{"policy", "pytorch"}};
        QVERIFY(scaler.set(changes).has_value());
        iterate(scaler, *rig.optimizer);
        QCOMPARE(scaler.scaleValue(), 32.0);
    }

    void aPolicyThatGivesUpSaysSo()
    {
        auto config = scalerConfig(2, 2, 0.5, 2);
        config.policy = ScalerPolicy::Deepspeed;
        config.hysteresis = 1;
        Rig rig(kInf);
        GradScaler scaler(config);
        iterate(scaler, *rig.optimizer);
        QVERIFY(scaler.exhaustion().empty());
        iterate(scaler, *rig.optimizer);
        QVERIFY(scaler.exhaustion().find("cannot fall below 1 ") != std::string::npos);
    }

    void updateTakesATensor()
    {
        Rig rig;
        GradScaler scaler(scalerConfig(4, 2, 0.5, 10));
        scaler.scale(loss());
        QVERIFY(scaler.update(at::full({1}, 32.0)).has_value());
        QCOMPARE(scaler.scaleValue(), 32.0);
        for (const auto& bad : {at::full({2}, 1.0), at::full({1}, 1.0, at::kDouble),
                 at::full({1}, 1.0).set_requires_grad(true), at::Tensor()})
            QVERIFY(message(scaler.update(bad)).contains("allowed: one float32 number"));
        QCOMPARE(scaler.scaleValue(), 32.0);
    }
};

MANTISSA_TEST(TestScalerCases)
#include "tst_scaler_cases.moc"
