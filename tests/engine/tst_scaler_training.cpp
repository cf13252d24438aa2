// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch's scaling cases on its own rig: two equal models of two 8 x 8 linear layers, one trained
// in fp32 as control, one scaled; SGD of rate 1, MSE, four batches, an inf put into the second
// layer's weight gradient at batch 2. Scaler 128, growth 2, interval 1.
#include "core/engine/autocast_guard.h"
#include "core/engine/clip.h"
#include "core/engine/grad_scaler.h"
#include "core/engine/layers.h"
#include "core/engine/optimizer.h"
#include "tests/support/test_program.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/randn.h>

#include <torch/csrc/autograd/autograd.h>

#include <QTest>
#include <functional>

using namespace mantissa;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct TwoLayers {
    TwoLayers()
        : first(8, 8)
        , second(8, 8)
    {
        TrainConfig config;
        config.lr = 1;
        config.momentum = 0;
        config.weightDecay = 0;
        optimizer = std::make_unique<Sgd>(parameters(), config);
    }

    std::vector<at::Tensor> parameters() const
    {
        return {first.weight, first.bias, second.weight, second.bias};
    }

    Linear first;
    Linear second;
    std::unique_ptr<Sgd> optimizer;
};

struct Case {
    TwoLayers control;
    TwoLayers scaled;
    GradScaler scaler;
    std::vector<std::pair<at::Tensor, at::Tensor>> data;

    explicit Case(bool enabled = true)
        : scaler(config(), enabled)
    {
        const at::NoGradGuard noGrad;
        const auto from = control.parameters();
        auto to = scaled.parameters();
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i].copy_(from[i]);
        for (int i = 0; i < 4; ++i)
            data.emplace_back(at::randn({8, 8}), at::randn({8, 8}));
    }

    static ScalerConfig config()
    {
        ScalerConfig config;
        config.initScale = 128;
        config.growthInterval = 1;
        return config;
    }

    at::Tensor loss(TwoLayers& model, int batch, std::optional<at::ScalarType> type = {}) const
    {
        std::optional<AutocastGuard> region;
        if (type)
            region.emplace(at::kCPU, *type);
        const auto& [input, target] = data[static_cast<std::size_t>(batch)];
        return at::mse_loss(model.second(model.first(input)), target);
    }

    double largestDifference() const
    {
        double largest = 0;
        const auto a = control.parameters();
        const auto b = scaled.parameters();
        for (std::size_t i = 0; i < a.size(); ++i)
            largest = std::max(largest, a[i].sub(b[i]).abs().max().item<double>());
        return largest;
    }
};

void clipTo(Optimizer& optimizer, double maxNorm)
{
    auto gradients = optimizer.gradients();
    clipByNorm(gradients, globalNorm(gradients), maxNorm);
}

} // namespace

class TestScalerTraining : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }
    void init() { at::manual_seed(1); }

    // 9 (SGD): fp16 autocast on the scaled side; 3 unskipped, 1 skipped.
    void autocastFollowsFp32_data()
    {
        QTest::addColumn<bool>("enabled");
        QTest::addColumn<bool>("reload");
        QTest::addColumn<double>("scale");
        QTest::newRow("enabled") << true << false << 512.0;
        QTest::newRow("state dict taken and loaded each step") << true << true << 512.0;
        QTest::newRow("disabled") << false << false << 1.0;
    }

    void autocastFollowsFp32()
    {
        QFETCH(bool, enabled);
        QFETCH(bool, reload);
        QFETCH(double, scale);
        Case rig(enabled);
        for (int batch = 0; batch < 4; ++batch) {
            rig.control.optimizer->zeroGrad();
            rig.loss(rig.control, batch).backward();
            if (batch != 2 || !enabled)
                rig.control.optimizer->step();

            rig.scaled.optimizer->zeroGrad();
            const auto loss = rig.loss(rig.scaled, batch, at::kHalf);
            QVERIFY(loss.scalar_type() == at::kFloat);
            rig.scaler.scale(loss).backward();
            if (batch == 2 && enabled)
                rig.scaled.second.weight.mutable_grad().fill_(kInf);
            const auto outcome = rig.scaler.step(*rig.scaled.optimizer);
            QVERIFY(outcome.has_value());
            QVERIFY(
                *outcome == (batch == 2 && enabled ? StepOutcome::Skipped : StepOutcome::Stepped));
            QVERIFY(rig.scaler.update().has_value());
            if (reload)
                QVERIFY(rig.scaler.loadStateDict(rig.scaler.stateDict()).has_value());
        }
        QCOMPARE(rig.scaler.scaleValue(), scale);
        // PyTorch allows 1e-3 here too.
        QVERIFY2(
            rig.largestDifference() < 1e-3, qPrintable(QString::number(rig.largestDifference())));
    }

    // 10: gradients clipped while they are scaled, at 0.2 times the scale.
    void clippingScaledGradients()
    {
        Case rig;
        for (int batch = 0; batch < 4; ++batch) {
            rig.control.optimizer->zeroGrad();
            rig.loss(rig.control, batch).backward();
            clipTo(*rig.control.optimizer, 0.2);
            if (batch != 2)
                rig.control.optimizer->step();

            rig.scaled.optimizer->zeroGrad();
            rig.scaler.scale(rig.loss(rig.scaled, batch)).backward();
            clipTo(*rig.scaled.optimizer, 0.2 * rig.scaler.scaleValue());
            if (batch == 2)
                rig.scaled.second.weight.mutable_grad().fill_(kInf);
            QVERIFY(rig.scaler.step(*rig.scaled.optimizer).has_value());
            QVERIFY(rig.scaler.update().has_value());
        }
        QCOMPARE(rig.scaler.scaleValue(), 512.0);
        QVERIFY2(
            rig.largestDifference() < 1e-5, qPrintable(QString::number(rig.largestDifference())));
    }

    // 11: unscaled first, then clipped at 0.2.
    void clippingAfterUnscale()
    {
        Case rig;
        for (int batch = 0; batch < 4; ++batch) {
            rig.control.optimizer->zeroGrad();
            rig.loss(rig.control, batch).backward();
            clipTo(*rig.control.optimizer, 0.2);
            if (batch != 2)
                rig.control.optimizer->step();

            rig.scaled.optimizer->zeroGrad();
            rig.scaler.scale(rig.loss(rig.scaled, batch)).backward();
            if (batch == 2)
                rig.scaled.second.weight.mutable_grad().fill_(kInf);
            QVERIFY(rig.scaler.unscale(*rig.scaled.optimizer).has_value());
            clipTo(*rig.scaled.optimizer, 0.2);
            QVERIFY(rig.scaler.step(*rig.scaled.optimizer).has_value());
            QVERIFY(rig.scaler.update().has_value());
        }
        QCOMPARE(rig.scaler.scaleValue(), 512.0);
        QVERIFY2(
            rig.largestDifference() < 1e-6, qPrintable(QString::number(rig.largestDifference())));
    }

    // 13: two micro-batches a step, no inf: two steps.
    void accumulation()
    {
        Case rig;
        for (int batch = 0; batch < 4; ++batch) {
            rig.loss(rig.control, batch).div(2).backward();
            rig.scaler.scale(rig.loss(rig.scaled, batch).div(2)).backward();
            if (batch % 2 == 0)
                continue;
            rig.control.optimizer->step();
            rig.control.optimizer->zeroGrad();
            QVERIFY(rig.scaler.step(*rig.scaled.optimizer).has_value());
            QVERIFY(rig.scaler.update().has_value());
            rig.scaled.optimizer->zeroGrad();
        }
        QCOMPARE(rig.scaler.scaleValue(), 512.0);
        QVERIFY2(
            rig.largestDifference() < 1e-6, qPrintable(QString::number(rig.largestDifference())));
    }

    // 12: the gradients' norm is part of the loss (double backward).
    void gradientPenalty()
    {
        Case rig;
        const auto normOf = [](const torch::autograd::variable_list& gradients, double factor) {
            at::Tensor sum;
            for (const auto& gradient : gradients) {
                const auto square = gradient.mul(factor).square().sum();
                sum = sum.defined() ? sum.add(square) : square;
            }
            return sum.sqrt();
        };
        for (int batch = 0; batch < 4; ++batch) {
            rig.control.optimizer->zeroGrad();
            auto loss = rig.loss(rig.control, batch);
            auto gradients =
                torch::autograd::grad({loss}, rig.control.parameters(), {}, true, true);
            loss.add(normOf(gradients, 1)).backward();
            if (batch != 2)
                rig.control.optimizer->step();

            rig.scaled.optimizer->zeroGrad();
            loss = rig.loss(rig.scaled, batch);
            gradients = torch::autograd::grad(
                {rig.scaler.scale(loss)}, rig.scaled.parameters(), {}, true, true);
            const auto norm = normOf(gradients, 1 / rig.scaler.scaleValue());
            rig.scaler.scale(loss.add(norm)).backward();
            if (batch == 2)
                rig.scaled.second.weight.mutable_grad().fill_(kInf);
            QVERIFY(rig.scaler.step(*rig.scaled.optimizer).has_value());
            QVERIFY(rig.scaler.update().has_value());
        }
        QCOMPARE(rig.scaler.scaleValue(), 512.0);
        QVERIFY2(
            rig.largestDifference() < 1e-5, qPrintable(QString::number(rig.largestDifference())));
    }

    // 33: a layer of zeros, small data, fp16: without a scaler its gradient is all zeros. Data of
    // 3e-4: the sum over the batch is about 2e-9, far below the 3e-8 that round to 0.
    void aTinyLayerLearnsOnlyWithAScaler()
    {
        const auto input = at::randn({2048, 2}).mul(3e-4);
        const auto target = at::randn({2048, 2}).mul(3e-4);
        for (const bool enabled : {false, true}) {
            GradScaler scaler(ScalerConfig{}, enabled);
            Linear layer(2, 2);
            {
                const at::NoGradGuard noGrad;
                layer.weight.zero_();
                layer.bias.zero_();
            }
            at::Tensor loss;
            {
                const AutocastGuard region(at::kCPU, at::kHalf, true);
                loss = at::mse_loss(layer(input), target);
            }
            scaler.scale(loss).backward();
            QCOMPARE(layer.weight.grad().eq(0).sum().item<int>(), enabled ? 0 : 4);
        }
    }

    // A classic: gradients too small for fp16 vanish without a scaler and live with one.
    void scalingSavesSmallGradients()
    {
        for (const bool enabled : {false, true}) {
            ScalerConfig config;
            GradScaler scaler(config, enabled);
            const auto parameter = at::randn({64}).set_requires_grad(true);
            // A tiny factor in fp16 makes the gradient that flows through fp16 about 1e-9.
            const auto narrow = parameter.to(at::kHalf).to(at::kFloat);
            scaler.scale(narrow.mul(1e-9).sum()).backward();
            const auto zeros = parameter.grad().eq(0).sum().item<int>();
            QCOMPARE(zeros, enabled ? 0 : 64);
        }
    }
};

MANTISSA_TEST(TestScalerTraining)
#include "tst_scaler_training.moc"
