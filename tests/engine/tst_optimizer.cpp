// SPDX-License-Identifier: GPL-3.0-or-later
// Optimizers, clipping and the schedule on the device, against closed forms in plain doubles.
#include "core/engine/clip.h"
#include "core/engine/device_schedule.h"
#include "core/engine/optimizer.h"
#include "tests/support/test_program.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <QTest>
#include <cmath>

using namespace mantissa;

namespace {

const std::vector<double> kGradients{0.5, -0.25, 0.125, 1.0, -2.0};

at::Tensor parameterOf(double value)
{
    return at::full({3}, value).set_requires_grad(true);
}

TrainConfig config(
    OptimizerKind kind, double weightDecay, double momentum = 0, bool nesterov = false)
{
    TrainConfig config;
    config.optimizer = kind;
    config.lr = 0.1;
    config.momentum = momentum;
    config.nesterov = nesterov;
    config.weightDecay = weightDecay;
    return config;
}

double valueOf(const at::Tensor& parameter)
{
    return double(parameter.const_data_ptr<float>()[1]);
}

} // namespace

class TestOptimizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sgdFollowsItsFormula_data()
    {
        QTest::addColumn<double>("weightDecay");
        QTest::addColumn<double>("momentum");
        QTest::addColumn<bool>("nesterov");
        QTest::newRow("plain") << 0.0 << 0.0 << false;
        QTest::newRow("decay") << 0.1 << 0.0 << false;
        QTest::newRow("momentum") << 0.0 << 0.9 << false;
        QTest::newRow("nesterov with decay") << 0.01 << 0.9 << true;
    }

    void sgdFollowsItsFormula()
    {
        QFETCH(double, weightDecay);
        QFETCH(double, momentum);
        QFETCH(bool, nesterov);
        auto parameter = parameterOf(1.0);
        Sgd optimizer({parameter}, config(OptimizerKind::Sgd, weightDecay, momentum, nesterov));
        double p = 1.0;
        double buffer = 0;
        for (const double gradient : kGradients) {
            parameter.mutable_grad() = at::full({3}, gradient);
            optimizer.step();
            const double g = gradient + weightDecay * p;
            buffer = momentum * buffer + g;
            p -= 0.1 * (momentum == 0 ? g : nesterov ? g + momentum * buffer : buffer);
            QVERIFY2(std::abs(valueOf(parameter) - p) < 1e-6, qPrintable(QString::number(p)));
        }
    }

    void adamwFollowsItsFormula_data()
    {
        QTest::addColumn<double>("weightDecay");
        QTest::newRow("no decay") << 0.0;
        QTest::newRow("decay") << 0.05;
    }

    void adamwFollowsItsFormula()
    {
        QFETCH(double, weightDecay);
        auto parameter = parameterOf(1.0);
        AdamW optimizer({parameter}, config(OptimizerKind::AdamW, weightDecay));
        double p = 1.0;
        double m = 0;
        double v = 0;
        for (std::size_t step = 1; step <= kGradients.size(); ++step) {
            const double g = kGradients[step - 1];
            parameter.mutable_grad() = at::full({3}, g);
            optimizer.step();
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            const double n = static_cast<double>(step);
            const double mHat = m / (1 - std::pow(0.9, n));
            const double vHat = v / (1 - std::pow(0.999, n));
            p = p * (1 - 0.1 * weightDecay) - 0.1 * mHat / (std::sqrt(vHat) + 1e-8);
            QVERIFY2(std::abs(valueOf(parameter) - p) < 1e-6, qPrintable(QString::number(p)));
        }
    }

    void adamAddsTheDecayToTheGradient()
    {
        auto parameter = parameterOf(1.0);
        const auto optimizer = makeOptimizer(config(OptimizerKind::Adam, 0.1), {parameter});
        double p = 1.0;
        double m = 0;
        double v = 0;
        for (std::size_t step = 1; step <= kGradients.size(); ++step) {
            parameter.mutable_grad() = at::full({3}, kGradients[step - 1]);
            optimizer->step();
            const double g = kGradients[step - 1] + 0.1 * p;
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            const double n = static_cast<double>(step);
            p -=
                0.1 * m / (1 - std::pow(0.9, n)) / (std::sqrt(v / (1 - std::pow(0.999, n))) + 1e-8);
            QVERIFY2(std::abs(valueOf(parameter) - p) < 1e-6, qPrintable(QString::number(p)));
        }
    }

    void rmspropFollowsItsFormula_data()
    {
        QTest::addColumn<double>("weightDecay");
        QTest::addColumn<double>("momentum");
        QTest::addColumn<bool>("tensorRate");
        QTest::newRow("plain") << 0.0 << 0.0 << false;
        QTest::newRow("momentum") << 0.0 << 0.9 << false;
        QTest::newRow("decay, momentum, rate as a tensor") << 0.1 << 0.5 << true;
        QTest::newRow("rate as a tensor") << 0.0 << 0.0 << true;
    }

    void rmspropFollowsItsFormula()
    {
        QFETCH(double, weightDecay);
        QFETCH(double, momentum);
        QFETCH(bool, tensorRate);
        auto parameter = parameterOf(1.0);
        RmsProp optimizer({parameter}, config(OptimizerKind::RmsProp, weightDecay, momentum));
        if (tensorRate)
            optimizer.setLearningRate(at::full({}, 0.1));
        double p = 1.0;
        double square = 0;
        double buffer = 0;
        for (const double gradient : kGradients) {
            parameter.mutable_grad() = at::full({3}, gradient);
            optimizer.step();
            const double g = gradient + weightDecay * p;
            square = 0.99 * square + 0.01 * g * g;
            buffer = momentum * buffer + g / (std::sqrt(square) + 1e-8);
            p -= 0.1 * buffer;
            QVERIFY2(std::abs(valueOf(parameter) - p) < 2e-6, qPrintable(QString::number(p)));
        }
    }

    void aSkippedStepDoesNotCount_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("sgd") << int(OptimizerKind::Sgd);
        QTest::newRow("adam") << int(OptimizerKind::Adam);
        QTest::newRow("adamw") << int(OptimizerKind::AdamW);
    }

    // The skip comes first: it must not spoil the momentum's start either.
    void aSkippedStepDoesNotCount()
    {
        QFETCH(int, kind);
        const auto settings = config(static_cast<OptimizerKind>(kind), 0.01, 0.9);
        auto straight = parameterOf(1.0);
        auto skipping = parameterOf(1.0);
        auto straightOptimizer = makeOptimizer(settings, {straight});
        auto skippingOptimizer = makeOptimizer(settings, {skipping});
        StepControl skip;
        skip.foundInf = at::ones({});
        for (const double gradient : kGradients) {
            skipping.mutable_grad() = at::full({3}, std::nan(""));
            skippingOptimizer->step(skip);
            for (auto [parameter, optimizer] : {std::pair{&straight, straightOptimizer.get()},
                     {&skipping, skippingOptimizer.get()}}) {
                parameter->mutable_grad() = at::full({3}, gradient);
                optimizer->step();
            }
            QCOMPARE(valueOf(skipping), valueOf(straight));
        }
    }

    void aParameterWithoutGradientStays()
    {
        auto with = parameterOf(1.0);
        auto without = parameterOf(1.0);
        AdamW optimizer({with, without}, config(OptimizerKind::AdamW, 0.1));
        const auto step = [&](bool both) {
            with.mutable_grad() = at::ones({3});
            without.mutable_grad() = both ? at::ones({3}) : at::Tensor();
            optimizer.step();
        };
        step(false);
        QCOMPARE(valueOf(without), 1.0);
        QVERIFY(valueOf(with) < 1.0);
        step(true);
        QCOMPARE(optimizer.stateSteps()[0].item<float>(), 2.0F);
        QCOMPARE(optimizer.stateSteps()[1].item<float>(), 1.0F);
        optimizer.zeroGrad();
        QVERIFY(optimizer.gradients().empty());
        const double before = valueOf(with);
        optimizer.step();
        QCOMPARE(valueOf(with), before);
    }

    void theRateMayBeATensor()
    {
        auto number = parameterOf(1.0);
        auto tensor = parameterOf(1.0);
        AdamW numberOptimizer({number}, config(OptimizerKind::AdamW, 0.1));
        AdamW tensorOptimizer({tensor}, config(OptimizerKind::AdamW, 0.1));
        for (const double gradient : kGradients) {
            number.mutable_grad() = at::full({3}, gradient);
            tensor.mutable_grad() = at::full({3}, gradient);
            numberOptimizer.setLearningRate(0.25);
            tensorOptimizer.setLearningRate(at::full({}, 0.25));
            numberOptimizer.step();
            tensorOptimizer.step();
            QCOMPARE(valueOf(tensor), valueOf(number));
        }
    }

    void clipsByTheNormOfAll()
    {
        // 3-4-12: the norm over both tensors is 13.
        std::vector<at::Tensor> gradients{at::tensor({3.0F, 4.0F}), at::tensor({12.0F})};
        const auto norm = globalNorm(gradients);
        QCOMPARE(norm.item<float>(), 13.0F);
        clipByNorm(gradients, norm, 6.5);
        QVERIFY(at::allclose(gradients[0], at::tensor({1.5F, 2.0F}), 1e-6));
        QVERIFY(at::allclose(gradients[1], at::tensor({6.0F}), 1e-6));
        clipByNorm(gradients, globalNorm(gradients), 100);
        QVERIFY(at::allclose(gradients[1], at::tensor({6.0F}), 1e-6));
    }

    void theDevicesScheduleIsTheHosts_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("warmup");
        QTest::newRow("constant") << int(LrSchedule::Constant) << 0;
        QTest::newRow("constant, warm-up") << int(LrSchedule::Constant) << 3;
        QTest::newRow("step, warm-up") << int(LrSchedule::Step) << 3;
        QTest::newRow("cosine") << int(LrSchedule::Cosine) << 0;
        QTest::newRow("cosine, warm-up") << int(LrSchedule::Cosine) << 3;
    }

    void theDevicesScheduleIsTheHosts()
    {
        QFETCH(int, kind);
        QFETCH(int, warmup);
        auto settings = config(OptimizerKind::Sgd, 0);
        settings.schedule = static_cast<LrSchedule>(kind);
        settings.warmupSteps = warmup;
        settings.stepSize = 2;
        const LrScheduleFunction host(settings, 10);
        DeviceSchedule device(host, at::kCPU);
        for (int applied = 0; applied < 12; ++applied) {
            QVERIFY(std::abs(double(device.rate().item<float>()) - host.at(applied)) < 1e-8);
            device.advance(at::ones({})); // skipped: nothing moves
            QVERIFY(std::abs(double(device.rate().item<float>()) - host.at(applied)) < 1e-8);
            device.advance(at::zeros({}));
        }
    }
};

MANTISSA_TEST(TestOptimizer)
#include "tst_optimizer.moc"
