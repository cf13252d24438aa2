// SPDX-License-Identifier: GPL-3.0-or-later
// Two optimizers in one step, with one scaler for both or one for each.
#include "core/engine/adversarial_step.h"
#include "core/engine/optimizer.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>
#include <QTest>

using namespace mantissa;

namespace {

constexpr double kScale = 1024;

ModelConfig modelConfig()
{
    ModelConfig config;
    config.kind = ModelKind::Dcgan;
    config.channels = 2;
    config.latent = 3;
    return config;
}

DataShape shape()
{
    DataShape shape;
    shape.channels = 1;
    shape.height = shape.width = 8;
    shape.classes = 2;
    return shape;
}

std::vector<at::Tensor> tensorsOf(const Module& module)
{
    std::vector<at::Tensor> tensors;
    for (const auto& parameter : module.parameters())
        tensors.push_back(parameter.tensor);
    return tensors;
}

ScalerConfig scalerConfig()
{
    ScalerConfig config;
    config.initScale = kScale;
    config.growthInterval = 1;
    return config;
}

TrainConfig trainConfig()
{
    TrainConfig config;
    config.lr = 0.01;
    return config;
}

/// A tiny contest; `scalers`: one for both players, or two.
struct Rig {
    explicit Rig(int scalers, bool enabled = true,
        GradScaler::Decision decision = GradScaler::Decision::Host)
        : first(scalerConfig(), enabled, decision)
        , second(scalerConfig(), enabled, decision)
        , discriminator(makeOptimizer(trainConfig(), tensorsOf(model.discriminator())))
        , generator(makeOptimizer(trainConfig(), tensorsOf(model.generator())))
        , step({}, model, {discriminator.get(), &first},
              {generator.get(), scalers == 2 ? &second : &first}, 5)
    {
    }

    Dcgan model{modelConfig(), shape()};
    GradScaler first;
    GradScaler second;
    std::unique_ptr<Optimizer> discriminator;
    std::unique_ptr<Optimizer> generator;
    AdversarialStep step;
};

Batch batchOf(double value)
{
    return {at::rand({4, 1, 8, 8}) * 2 - 1 + value, at::zeros({4}, at::kLong)};
}

std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors)
{
    std::vector<at::Tensor> all;
    for (const auto& tensor : tensors)
        all.push_back(tensor.detach().clone());
    return all;
}

bool equal(const std::vector<at::Tensor>& one, const std::vector<at::Tensor>& other)
{
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
        [](const auto& a, const auto& b) { return at::equal(a.detach(), b.detach()); });
}

} // namespace

class TestAdversarialStep : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { at::manual_seed(3); }

    void bothPlayersLearnAndTheScaleGrowsOnce()
    {
        Rig rig(1);
        const auto d = copies(rig.discriminator->parameters());
        const auto g = copies(rig.generator->parameters());
        const auto step = rig.step.run({batchOf(0)});
        QVERIFY(step.has_value());
        QVERIFY(step->outcome == StepOutcome::Stepped);
        // Untrained: 2 ln 2 for the discriminator, ln 2 for the generator.
        QVERIFY(std::abs(step->loss.item<double>() - 3 * std::log(2.0)) < 0.5);
        QVERIFY(step->gradNorm.item<double>() > 0);
        QVERIFY(!equal(d, rig.discriminator->parameters()));
        QVERIFY(!equal(g, rig.generator->parameters()));
        QCOMPARE(rig.first.scaleValue(), 2 * kScale);
        const auto facts = rig.step.takeFacts();
        QVERIFY(facts && facts->weightChanged);
        QVERIFY(!rig.step.takeFacts());
    }

    // An overflow in the discriminator alone. Shared: the other one steps, the scale halves for
    // both. Separate: only the discriminator's halves, the other's grows.
    void case37_oneScalerOrTwo_data()
    {
        QTest::addColumn<int>("scalers");
        QTest::addColumn<double>("firstScale");
        QTest::addColumn<double>("secondScale");
        QTest::newRow("shared") << 1 << kScale / 2 << kScale;
        QTest::newRow("separate") << 2 << kScale / 2 << kScale * 2;
    }

    void case37_oneScalerOrTwo()
    {
        QFETCH(int, scalers);
        QFETCH(double, firstScale);
        QFETCH(double, secondScale);
        Rig rig(scalers);
        const auto d = copies(rig.discriminator->parameters());
        const auto g = copies(rig.generator->parameters());
        const auto step = rig.step.run({batchOf(std::numeric_limits<double>::infinity())});
        QVERIFY(step.has_value());
        QVERIFY(step->outcome == StepOutcome::Skipped);
        QCOMPARE(step->foundInf.item<double>(), 1.0);
        QVERIFY(equal(d, rig.discriminator->parameters()));
        QVERIFY(!equal(g, rig.generator->parameters()));
        QCOMPARE(rig.first.scaleValue(), firstScale);
        QCOMPARE(rig.second.scaleValue(), secondScale);
        QVERIFY(!rig.step.takeFacts());
    }

    void microBatchesAreOneStep()
    {
        Rig rig(2);
        QVERIFY(rig.step.run({batchOf(0), batchOf(0), batchOf(0)}).has_value());
        QCOMPARE(rig.first.scaleValue(), 2 * kScale);
        QCOMPARE(rig.second.scaleValue(), 2 * kScale);
    }

    void lookingChangesNothing()
    {
        Rig looked(1, false);
        at::manual_seed(3);
        Rig plain(1, false);
        const auto batch = batchOf(0);
        at::manual_seed(9);
        const auto one = looked.step.evaluate(batch);
        const auto two = looked.step.evaluate(batch);
        QVERIFY(at::equal(one.prediction, two.prediction));
        QCOMPARE(one.score.answers, std::int64_t{8});
        QCOMPARE(one.score.nonFiniteRows.item<std::int64_t>(), std::int64_t{0});
        QVERIFY(one.score.sum.item<double>() >= 0 && one.score.sum.item<double>() <= 8);
        const auto after = looked.step.run({batch});
        at::manual_seed(9);
        const auto without = plain.step.run({batch});
        QVERIFY(after && without);
        QCOMPARE(after->loss.item<double>(), without->loss.item<double>());
    }

    /// A NaN is no sign of a generated image: half of them would be judged rightly by it.
    void judgementsThatAreNotFiniteAreWrong()
    {
        Rig rig(1, false);
        rig.model.discriminator().parameters().front().tensor.detach().fill_(NAN);
        const auto judged = rig.step.evaluate(batchOf(0));
        QCOMPARE(judged.score.sum.item<double>(), 0.0);
        QCOMPARE(judged.score.rows, std::int64_t{8});
        QCOMPARE(judged.score.nonFiniteRows.item<std::int64_t>(), std::int64_t{8});
    }

    /// Data that are not finite: the discriminator's part, whose input they are.
    void theLocatorReplaysTheDiscriminator()
    {
        Rig rig(1);
        const std::vector<Batch> batches{batchOf(std::numeric_limits<double>::infinity())};
        QVERIFY(rig.step.run(batches).has_value());
        const auto finding = rig.step.locate({batches, kScale, 0});
        QVERIFY(finding.first.has_value());
        QCOMPARE(finding.first->module, std::string("discriminator"));
        QVERIFY(finding.first->place == TensorPlace::Input);
        QVERIFY(finding.cause == NonFiniteCause::Intrinsic);
    }

    /// As on CUDA, where the host does not know what was skipped.
    void theLocatorReplaysWhatTheDeviceDecided()
    {
        Rig rig(1, true, GradScaler::Decision::Device);
        const std::vector<Batch> batches{batchOf(std::numeric_limits<double>::infinity())};
        QVERIFY(rig.step.run(batches)->outcome == StepOutcome::FoundInfDecides);
        const auto finding = rig.step.locate({batches, kScale, 0});
        QVERIFY(finding.first.has_value());
        QCOMPARE(finding.first->module, std::string("discriminator"));
    }

    /// Its own scale is too high for the generator; the discriminator's is not.
    void theLocatorReplaysTheGeneratorAtItsOwnScale()
    {
        Rig rig(2);
        for (const auto& parameter : rig.model.discriminator().parameters())
            parameter.tensor.detach().mul_(30);
        const double tooHigh = std::ldexp(1.5, 127);
        rig.second.scale(at::ones({}));
        QVERIFY(rig.second.update(tooHigh).has_value());
        const std::vector<Batch> batches{batchOf(0)};
        QVERIFY(rig.step.run(batches)->outcome == StepOutcome::Skipped);
        QVERIFY(rig.first.scaleValue() > kScale);
        const auto finding = rig.step.locate({batches, kScale, 0});
        QVERIFY(finding.first.has_value());
        QVERIFY2(finding.first->place == TensorPlace::ScaledLoss, finding.text().c_str());
        QVERIFY(finding.cause == NonFiniteCause::ScaleOverflow);
        QCOMPARE(finding.scale, tooHigh);
    }

    /// No scaler skips the step: which part went wrong is seen before the update.
    void theLocatorReplaysAnAppliedStepThatWentWrong()
    {
        Rig rig(1, false);
        std::vector<std::vector<at::Tensor>> before;
        rig.step.watchUpdates([&](const at::Tensor& loss, const at::Tensor&) {
            const bool bad = !std::isfinite(loss.item<double>());
            if (bad && before.empty())
                before.push_back(copies(tensorsOf(rig.model)));
            return bad;
        });
        const std::vector<Batch> batches{batchOf(std::numeric_limits<double>::quiet_NaN())};
        const auto step = rig.step.run(batches);
        QVERIFY(step && step->outcome == StepOutcome::Stepped);
        QCOMPARE(before.size(), std::size_t{1});
        const auto weights = tensorsOf(rig.model);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i].detach().copy_(before[0][i]);
        const auto finding = rig.step.locate({batches, 1, 0});
        QVERIFY(finding.first.has_value());
        QCOMPARE(finding.first->module, std::string("discriminator"));
        QVERIFY(finding.first->place == TensorPlace::Input);
    }

    void theLocatorChangesNothing()
    {
        const std::vector<Batch> bad{batchOf(std::numeric_limits<double>::infinity())};
        const std::vector<Batch> good{batchOf(0)};
        std::vector<std::vector<at::Tensor>> weights;
        for (const int since : {-1, 0, 2}) { // -1: not located
            at::manual_seed(3);
            Rig rig(1);
            QVERIFY(rig.step.run(bad).has_value());
            if (since >= 0)
                QVERIFY(rig.step.locate({bad, kScale, since}).first.has_value());
            QVERIFY(rig.step.run(good).has_value());
            weights.push_back(copies(tensorsOf(rig.model)));
            for (const auto& buffer : rig.model.buffers()) // NaN after such data
                weights.back().push_back(buffer.tensor.nan_to_num(7));
        }
        QVERIFY(equal(weights[0], weights[1]) && equal(weights[0], weights[2]));
    }

    void theGeneratorMakesImagesInTheRangeOfTanh()
    {
        Rig rig(1);
        const auto made = rig.model.generator()(rig.model.noise(5, at::kCPU));
        QVERIFY((made.sizes() == at::IntArrayRef{5, 1, 8, 8}));
        QVERIFY(made.abs().max().item<double>() <= 1);
        QVERIFY((rig.model(made).sizes() == at::IntArrayRef{5}));
    }
};

MANTISSA_TEST(TestAdversarialStep)
#include "tst_adversarial_step.moc"
