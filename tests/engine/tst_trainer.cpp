// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer as the worker sees it, on tiny shapes. Runs a second time with oneDNN held to AVX2.
#include "core/hardware/format_class.h"
#include "tests/engine/tiny_run.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cmath>

using namespace mantissa;
using namespace mantissa::test;

class TestTrainer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void trainsInEveryPrecisionOfACpu_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("model");
        QTest::addColumn<QString>("predictionType");
        for (const auto& [name, model] : {std::pair{"mlp", ModelKind::Mlp}, {"cnn", ModelKind::Cnn},
                 {"resnet18", ModelKind::Resnet18}, {"vit", ModelKind::Vit},
                 {"dcgan", ModelKind::Dcgan}}) {
            QTest::addRow("%s fp32", name) << int(Precision::Fp32) << int(model) << "Float";
            QTest::addRow("%s bf16", name) << int(Precision::Bf16) << int(model) << "BFloat16";
            QTest::addRow("%s fp16", name) << int(Precision::Fp16) << int(model) << "Half";
        }
    }

    void trainsInEveryPrecisionOfACpu()
    {
        QFETCH(int, precision);
        QFETCH(int, model);
        QFETCH(QString, predictionType);
        auto variant = tinyVariant(static_cast<Precision>(precision));
        variant.settings.model.kind = static_cast<ModelKind>(model);
        auto& sizes = variant.settings.model;
        sizes.width = sizes.channels = sizes.heads = 2;
        sizes.depth = 1;
        sizes.dim = 8;
        sizes.patch = 7;
        variant.settings.scaler.initScale =
            1024; // 65536 overflows in dcgan and, on some CPUs, resnet18
        const auto trainer = create(variant);
        QVERIFY(trainer);
        const auto records = train(*trainer, 3);
        QCOMPARE(records.size(), std::size_t{3});
        for (std::size_t i = 0; i < records.size(); ++i) {
            const auto& record = records[i];
            QCOMPARE(record.step, static_cast<std::int64_t>(i + 1));
            // Eight classes, untrained: near ln 8. dcgan: 2 ln 2 and ln 2, which is the same.
            QVERIFY2(std::abs(record.loss - std::log(8.0)) < 1.5,
                qPrintable(QString::number(record.loss)));
            QVERIFY(record.gradNorm > 0 && std::isfinite(record.gradNorm));
            QVERIFY(record.stepMs > 0 && record.dataWaitMs >= 0 && record.timeS > 0);
            QVERIFY(std::abs(record.samplesPerSecond * record.stepMs / 1000 - 4) < 1e-9);
            QVERIFY(record.memoryBytes > 0 && record.peakMemoryBytes >= record.memoryBytes);
        }
        const auto facts = trainer->takeFirstStepFacts();
        QVERIFY(facts.has_value());
        QCOMPARE(QString::fromStdString((*facts)["prediction_dtype"]), predictionType);
        QCOMPARE((*facts)["parameter_dtype"].get<std::string>(), std::string("Float"));
        QCOMPARE((*facts)["loss_dtype"].get<std::string>(), std::string("Float"));
        QCOMPARE((*facts)["gradient_dtype"].get<std::string>(), std::string("Float"));
        QVERIFY((*facts)["weight_changed"].get<bool>());
        QVERIFY((*facts)["mismatches"].empty());
        QVERIFY(!trainer->takeFirstStepFacts().has_value());
        const auto validation = trainer->validate([] { return false; });
        QVERIFY(validation && *validation);
        QVERIFY((*validation)->metric >= 0 && (*validation)->metric <= 1);
        QVERIFY((*validation)->loss > 0);
    }

    /// An mlp of two layers under autocast casts input, two weights, two biases and the loss's
    /// input, and in backward all of their gradients but the input's.
    void case57_theFirstStepTellsItsCasts()
    {
        for (const auto& [precision, casts] :
            {std::pair{Precision::Fp32, 0}, {Precision::Bf16, 6 + 5}}) {
            const auto trainer = create(tinyVariant(precision));
            QVERIFY(trainer);
            train(*trainer, 1);
            const auto facts = trainer->takeFirstStepFacts();
            QVERIFY(facts.has_value());
            QCOMPARE((*facts)["casts"].get<int>(), casts);
        }
    }

    void learns()
    {
        auto variant = tinyVariant(Precision::Fp32);
        variant.settings.model.hidden = {32};
        variant.settings.train.optimizer = OptimizerKind::AdamW;
        variant.settings.train.lr = 3e-3;
        variant.settings.train.steps = 300;
        const auto trainer = create(variant);
        QVERIFY(trainer);
        const auto records = train(*trainer, 300);
        QVERIFY2(records.back().loss < 0.3, qPrintable(QString::number(records.back().loss)));
        QVERIFY(std::abs(trainer->trainSeconds()) > 0);
    }

    void theSameSeedGivesTheSameRun()
    {
        const auto first = create(tinyVariant(Precision::Bf16));
        const auto firstRecords = train(*first, 5);
        const auto second = create(tinyVariant(Precision::Bf16));
        const auto secondRecords = train(*second, 5);
        auto changed = tinyVariant(Precision::Bf16);
        changed.settings.run.seed = 2;
        const auto other = create(changed);
        const auto otherRecords = train(*other, 5);
        for (std::size_t i = 0; i < 5; ++i)
            QVERIFY(firstRecords[i].loss == secondRecords[i].loss);
        QVERIFY(firstRecords[0].loss != otherRecords[0].loss);
    }

    void aHugeScaleIsSkippedUntilItFitsAndTheRateWaits()
    {
        auto variant = tinyVariant(Precision::Fp16);
        variant.settings.scaler.initScale = std::ldexp(1.0, 40);
        variant.settings.train.schedule = LrSchedule::Cosine;
        variant.settings.train.warmupSteps = 5;
        const auto trainer = create(variant);
        QVERIFY(trainer && trainer->usesScaler());
        const auto records = train(*trainer, 40);
        int skipped = 0;
        double applied = 0;
        for (const auto& record : records) {
            if (record.foundInf != 0) {
                ++skipped;
                QCOMPARE(record.newScale, record.scale / 2);
                QCOMPARE(record.growthTracker, 0.0);
            }
            if (applied < 5)
                QVERIFY(std::abs(record.lr - 0.1 * (applied + 1) / 5) < 1e-12);
            applied += record.foundInf != 0 ? 0 : 1;
        }
        QVERIFY2(skipped >= 20 && skipped < 40, qPrintable(QString::number(skipped)));
        // The first step can only have overflowed: every gradient of size 2^-24 did.
        QCOMPARE(records.front().foundInf, 1.0);
        QCOMPARE(records.front().scale, std::ldexp(1.0, 40));
    }

    void growthIsSeenInTheRecords()
    {
        auto variant = tinyVariant(Precision::Fp16);
        variant.settings.scaler.initScale = 64;
        const auto trainer = create(variant);
        const auto records = train(*trainer, 9);
        const std::vector<double> scales{64, 64, 64, 64, 128, 128, 128, 128, 256};
        for (std::size_t i = 0; i < scales.size(); ++i) {
            QCOMPARE(records[i].scale, scales[i]);
            QCOMPARE(records[i].growthTracker, static_cast<double>((i + 1) % 4));
        }
        const auto set = trainer->set({{"growth_factor", 4}});
        QVERIFY(set && set->front().oldValue == 2.0);
        QVERIFY(!trainer->set({{"growth_factor", 1}}).has_value());
    }

    void accumulationCountsAllSamplesAndIsTheMean()
    {
        auto whole = tinyVariant(Precision::Fp32);
        whole.settings.data.batchSize = 8;
        auto halves = tinyVariant(Precision::Fp32);
        halves.settings.train.accumulate = 2;
        const auto wholeRecords = train(*create(whole), 4);
        const auto halfRecords = train(*create(halves), 4);
        for (std::size_t i = 0; i < 4; ++i) {
            QVERIFY(std::abs(wholeRecords[i].loss - halfRecords[i].loss) < 1e-5);
            QVERIFY(std::abs(wholeRecords[i].gradNorm - halfRecords[i].gradNorm) < 1e-4);
            QVERIFY(std::abs(halfRecords[i].samplesPerSecond * halfRecords[i].stepMs / 1000 - 8)
                < 1e-9);
        }
    }

    void epochsBecomeSteps()
    {
        auto variant = tinyVariant(Precision::Fp32);
        variant.settings.train.epochs = 3;
        variant.settings.train.accumulate = 2;
        variant.settings.data.trainLimit = 66; // 16 whole batches of 4, 8 steps of 2
        QCOMPARE(create(variant)->scheduledSteps(), std::int64_t{24});
    }

    void channelsLastIsAnotherLayoutOfTheSameNumbers()
    {
        auto variant = tinyVariant(Precision::Fp32);
        variant.settings.model.kind = ModelKind::Cnn;
        variant.settings.model.width = 2;
        const auto plain = train(*create(variant), 4);
        variant.settings.device.channelsLast = true;
        const auto last = train(*create(variant), 4);
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(std::abs(plain[i].loss - last[i].loss) < 1e-4);
    }

    void weightsAreNamedAsInPython()
    {
        auto variant = tinyVariant(Precision::Fp32);
        const auto weights = create(variant)->weights();
        QCOMPARE(weights.size(), std::size_t{4});
        QCOMPARE(weights[0].name, std::string("fc1.weight"));
        QCOMPARE(weights[0].sizes, (std::vector<std::int64_t>{8, 784}));
        QCOMPARE(weights[3].name, std::string("fc2.bias"));
        // torch.nn.Linear's default: uniform in +-1/sqrt(fan_in).
        const auto [low, high] =
            std::minmax_element(weights[0].values.begin(), weights[0].values.end());
        QVERIFY(*low >= -1.0F / 28 && *low < -0.99F / 28);
        QVERIFY(*high <= 1.0F / 28 && *high > 0.99F / 28);
    }

    void clippingLimitsTheUpdateAndKeepsTheNormItReports()
    {
        auto variant = tinyVariant(Precision::Fp32);
        const auto free = train(*create(variant), 2);
        variant.settings.train.clipNorm = 1e-6;
        const auto clipped = train(*create(variant), 2);
        QVERIFY(clipped[0].gradNorm == free[0].gradNorm);
        // With gradients of norm 1e-6 nothing moves: the second batch's loss is the untrained one.
        QVERIFY(clipped[1].loss != free[1].loss);
    }

    void tf32IsRefusedOnACpu()
    {
        const auto created = Trainer::create(
            tinyVariant(Precision::Tf32), CudaPlugin(), std::chrono::steady_clock::now(), quick());
        QVERIFY(!created.has_value());
        QVERIFY(created.error().state == RunState::Refused);
        QVERIFY(created.error().reason.find("tf32") != std::string::npos);
    }

    void aMissingDeviceIsRefusedWithThePluginsWords()
    {
        auto variant = tinyVariant(Precision::Fp32);
        variant.settings.device.kind = "cuda:0";
        CudaPlugin plugin;
        plugin.message = "no driver here";
        const auto created =
            Trainer::create(variant, plugin, std::chrono::steady_clock::now(), quick());
        QVERIFY(!created.has_value());
        QVERIFY(created.error().state == RunState::Refused);
        QVERIFY(created.error().reason.find("no driver here") != std::string::npos);
    }

    void missingDataFailsInWords()
    {
        auto variant = tinyVariant(Precision::Fp32);
        variant.settings.data.source = DataSource::FashionMnist;
        variant.settings.data.root = "/nowhere";
        const auto created =
            Trainer::create(variant, CudaPlugin(), std::chrono::steady_clock::now(), quick());
        QVERIFY(!created.has_value());
        QVERIFY(created.error().state == RunState::Failed);
        QVERIFY(created.error().reason.find("dataset-fashion-mnist") != std::string::npos);
    }

    void theEnvironmentSaysWhatIsInForce()
    {
        auto variant = tinyVariant(Precision::Bf16);
        variant.settings.device.deterministic = true;
        const auto trainer = create(variant);
        const auto& environment = trainer->environment();
        QCOMPARE(environment["autocast"]["dtype"].get<std::string>(), std::string("BFloat16"));
        QCOMPARE(environment["threads"].get<int>(), 1);
        QCOMPARE(environment["deterministic"].get<bool>(), true);
        QCOMPARE(environment["tf32_matmul"].get<bool>(), false);
        QCOMPARE(environment["scaler"]["enabled"].get<bool>(), false);
        QCOMPARE(environment["data"]["generated"].get<bool>(), true);
        // 784 x 8 + 8 and 8 x 8 + 8.
        QCOMPARE(environment["model"]["parameters"].get<int>(), 6352);
    }

    void formatsAreClassifiedByTheOneRule_data()
    {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<bool>("flag");
        QTest::addColumn<int>("expected");
        QTest::newRow("faster with flag") << 0.4 << true << int(FormatClass::Native);
        QTest::newRow("1.1 with flag") << 1.1 << true << int(FormatClass::Native);
        QTest::newRow("1.1 without") << 1.1 << false << int(FormatClass::Conversion);
        QTest::newRow("1.2 with flag") << 1.2 << true << int(FormatClass::Conversion);
        QTest::newRow("2") << 2.0 << true << int(FormatClass::Conversion);
        QTest::newRow("2.1") << 2.1 << true << int(FormatClass::Emulated);
    }

    void formatsAreClassifiedByTheOneRule()
    {
        QFETCH(double, ratio);
        QFETCH(bool, flag);
        QFETCH(int, expected);
        QCOMPARE(int(classifyFormat(ratio, flag)), expected);
    }

    void theProbeTimesWhatACpuCanDo()
    {
        auto variant = tinyVariant(Precision::Fp32);
        Trainer::Options options;
        const auto trainer = create(variant, options);
        const auto& formats = trainer->environment()["formats"];
        QCOMPARE(formats["fp32"]["class"].get<std::string>(), std::string("native"));
        QCOMPARE(formats["tf32"]["class"].get<std::string>(), std::string("unsupported"));
        QVERIFY(!formats["tf32"]["reason"].get<std::string>().empty());
        for (const auto* name : {"fp16", "bf16"})
            QVERIFY(formats[name]["factor"].get<double>() > 0);
        QCOMPARE(trainer->environment()["tf32_matmul"].get<bool>(), false);
    }
};

MANTISSA_TEST(TestTrainer)
#include "tst_trainer.moc"
