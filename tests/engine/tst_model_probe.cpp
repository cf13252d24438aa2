// SPDX-License-Identifier: GPL-3.0-or-later
// What a few steps of a model tell; memory by role against the definition.
#include "core/engine/model_probe.h"
#include "tests/engine/tiny_run.h"
#include "tests/support/test_program.h"

#include <QTest>

using namespace mantissa;
using namespace mantissa::test;

namespace {

ModelProbe probe(const Variant& variant, std::int64_t steps = 3)
{
    ModelProbeOptions options;
    options.steps = steps;
    return probeModel(variant, CudaPlugin(), options);
}

double parameters(const Variant& variant)
{
    double count = 0;
    for (const auto& weight : create(variant)->weights())
        count += static_cast<double>(weight.values.size());
    return count;
}

/// Wide layers and few samples: weights are nearly all of the memory.
Variant wide(Precision precision, std::int64_t batch)
{
    auto variant = tinyVariant(precision);
    variant.settings.model.hidden = {256, 256};
    variant.settings.data.batchSize = batch;
    return variant;
}

} // namespace

class TestModelProbe : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsWhatItMeasured()
    {
        const auto variant = tinyVariant(Precision::Fp32);
        const auto result = probe(variant, 8);
        QVERIFY2(result.reason.empty(), result.reason.c_str());
        QCOMPARE(result.steps, std::int64_t{5}); // of 8, 3 are warm-up
        QVERIFY(result.stepMs.median > 0);
        QCOMPARE(result.samplesPerSecond, 4000 / result.stepMs.median);
        QVERIFY(result.runSeconds >= 20 * result.stepMs.median / 1000); // 20 steps, and waiting
        QCOMPARE(result.key, predictionKey(variant));
        QCOMPARE(result.trainSamples, std::int64_t{64});
    }

    /// Products of an mlp 784-8-8 with 4 samples: forward, and the gradients of both weights and of
    /// the hidden layer; 2 operations a multiply-add.
    void countsTheStepsOperations()
    {
        ModelProbeOptions options;
        options.seconds = 0.01;
        const auto result = probeModel(tinyVariant(Precision::Fp32), CudaPlugin(), options);
        const double products = 2.0 * 4 * (784 * 8 * 2 + 8 * 8 * 3);
        QVERIFY2(std::abs(result.flops / products - 1) < 0.05,
            qPrintable(QStringLiteral("%1 instead of %2").arg(result.flops).arg(products)));
        QVERIFY(result.bytes > 4.0 * 784 * 8);
    }

    void anotherOptimizerKeepsOtherCopies_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("copies"); // of fp32, per parameter
        QTest::newRow("sgd with momentum") << int(OptimizerKind::Sgd) << 1.0;
        QTest::newRow("adamw") << int(OptimizerKind::AdamW) << 2.0;
        QTest::newRow("adam") << int(OptimizerKind::Adam) << 2.0;
    }

    void anotherOptimizerKeepsOtherCopies()
    {
        QFETCH(int, kind);
        QFETCH(double, copies);
        auto variant = tinyVariant(Precision::Fp32);
        variant.settings.train.optimizer = static_cast<OptimizerKind>(kind);
        const double bytes = 4 * parameters(variant);
        const auto result = probe(variant);
        QCOMPARE(result.measured.weights, bytes);
        QCOMPARE(result.measured.gradients, bytes);
        // Adam's step counters are some bytes more.
        QVERIFY(result.measured.optimizer >= copies * bytes);
        QVERIFY(result.measured.optimizer <= copies * bytes + 64);
        QCOMPARE(result.predicted.weights, bytes);
        QCOMPARE(result.predicted.gradients, bytes);
        QCOMPARE(result.predicted.optimizer, copies * bytes);
        QCOMPARE(result.measured.castCache, 0.0);
    }

    void case77_autocastMayUseMoreMemory()
    {
        const auto fp32 = probe(wide(Precision::Fp32, 2));
        const auto bf16 = probe(wide(Precision::Bf16, 2));
        QVERIFY2(bf16.peakMemoryBytes > fp32.peakMemoryBytes, "nothing to explain");
        // Half of the weights' bytes once more, which the activations of two samples cannot save.
        QCOMPARE(bf16.predicted.castCache, bf16.measured.weights / 2);
        QVERIFY(std::abs(bf16.measured.castCache / bf16.predicted.castCache - 1) < 0.02);
        QCOMPARE(fp32.measured.castCache, 0.0);
        QVERIFY(fp32.measured.activations - bf16.measured.activations < bf16.measured.castCache);
        auto noCache = wide(Precision::Bf16, 2);
        noCache.settings.autocast.cache = false;
        QCOMPARE(probe(noCache).measured.castCache, 0.0);
    }

    void case80_theSavingIsToldByRole()
    {
        const auto fp32 = probe(wide(Precision::Fp32, 48));
        const auto bf16 = probe(wide(Precision::Bf16, 48));
        QCOMPARE(bf16.measured.weights, fp32.measured.weights);
        QCOMPARE(bf16.measured.gradients, fp32.measured.gradients);
        QCOMPARE(bf16.measured.optimizer, fp32.measured.optimizer);
        // fp32 keeps 2 hidden layers of 48 x 256 before and after their activation function, the
        // input not counted; what is predicted of it comes from 6 samples.
        QVERIFY(fp32.measured.activations >= 2 * 48 * 256 * 4);
        QVERIFY(std::abs(fp32.predicted.activations / fp32.measured.activations - 1) < 0.1);
        for (const auto* each : {&fp32, &bf16})
            QVERIFY(each->measured.sum() >= 0.999 * each->peakMemoryBytes);
    }

    void case81_aPeakHoldsNothingOfTheVariantBefore()
    {
        const auto alone = probe(wide(Precision::Bf16, 2)).peakMemoryBytes;
        auto large = wide(Precision::Fp32, 48);
        large.settings.model.hidden = {512, 512};
        QVERIFY(probe(large).peakMemoryBytes > 2 * alone);
        QCOMPARE(probe(wide(Precision::Bf16, 2)).peakMemoryBytes, alone);
    }

    void whatCannotRunHasAReason()
    {
        const auto refused = probe(tinyVariant(Precision::Tf32));
        QVERIFY(refused.reason.find("CPU") != std::string::npos);
        auto missing = tinyVariant(Precision::Fp32);
        missing.settings.data.source = DataSource::Cifar10;
        missing.settings.data.root = "/nowhere";
        QVERIFY(probe(missing).reason.find("/nowhere") != std::string::npos);
    }

    void twoOptimizersAreMeasuredToo()
    {
        auto variant = tinyVariant(Precision::Fp32);
        variant.settings.model.kind = ModelKind::Dcgan;
        const auto result = probe(variant, 2);
        if (!result.reason.empty())
            QSKIP(result.reason.c_str());
        QVERIFY(result.measured.weights > 0);
        QCOMPARE(result.measured.activations, 0.0);
        QVERIFY(result.measured.workspace > 0);
    }
};

MANTISSA_TEST(TestModelProbe)
#include "tst_model_probe.moc"
