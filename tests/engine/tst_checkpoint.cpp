// SPDX-License-Identifier: GPL-3.0-or-later
// A trainer that goes on from a checkpoint against one that was never interrupted: equal to the
// bit.
#include "core/run/checkpoint_files.h"
#include "core/weights/safetensors.h"
#include "tests/engine/tiny_run.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <cstring>

using namespace mantissa;
using namespace mantissa::test;
namespace fs = std::filesystem;

namespace {

/// 7 batches an epoch, augmentation, and a scale that overflows at first.
Variant overflowing(Precision precision = Precision::Fp16)
{
    auto variant = tinyVariant(precision);
    auto& settings = variant.settings;
    settings.data.trainLimit = 30;
    settings.data.validationLimit = 8;
    settings.data.padCrop = 2;
    settings.data.flip = true;
    settings.train.steps = 40;
    settings.train.optimizer = TrainConfig().optimizer;
    settings.train.lr = 0.01;
    settings.train.warmupSteps = 3;
    settings.scaler.initScale = std::ldexp(1.0, 24);
    return variant;
}

std::unique_ptr<Trainer> resume(
    const Variant& variant, const fs::path& from, std::string* why = nullptr)
{
    auto options = quick();
    options.resumeFrom = from;
    return create(variant, options, why);
}

std::int64_t skippedOf(const std::vector<StepRecord>& records)
{
    return std::count_if(
        records.begin(), records.end(), [](const StepRecord& r) { return r.foundInf != 0; });
}

bool same(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Everything of a step that does not measure time or memory.
bool same(const StepRecord& a, const StepRecord& b)
{
    return a.step == b.step && same(a.loss, b.loss) && same(a.lr, b.lr)
        && same(a.gradNorm, b.gradNorm) && same(a.scale, b.scale) && same(a.newScale, b.newScale)
        && same(a.growthTracker, b.growthTracker) && same(a.foundInf, b.foundInf);
}

bool sameWeights(const Trainer& a, const Trainer& b)
{
    const auto x = a.weights();
    const auto y = b.weights();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i].name != y[i].name || x[i].values.size() != y[i].values.size()
            || std::memcmp(x[i].values.data(), y[i].values.data(), 4 * x[i].values.size()) != 0)
            return false;
    }
    return x.size() == y.size() && !x.empty();
}

} // namespace

class TestCheckpoint : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path file(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    /// Case 44: the scale is not 65536 again, and the curve goes on.
    void case44_goesOnToTheBit_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("optimizer");
        QTest::addColumn<int>("accumulate");
        QTest::addColumn<int>("checkpoint");
        for (const auto& [name, precision] : {std::pair{"fp32", Precision::Fp32},
                 {"bf16", Precision::Bf16}, {"fp16", Precision::Fp16}}) {
            for (const auto& [kind, optimizer] : {std::pair{"sgd", OptimizerKind::Sgd},
                     {"adamw", OptimizerKind::AdamW}, {"rmsprop", OptimizerKind::RmsProp}}) {
                for (const int accumulate : {1, 3}) {
                    for (const int checkpoint : {1, 7, 16})
                        QTest::addRow("%s %s x%d at %d", name, kind, accumulate, checkpoint)
                            << int(precision) << int(optimizer) << accumulate << checkpoint;
                }
            }
        }
    }
    void case44_goesOnToTheBit()
    {
        QFETCH(int, precision);
        QFETCH(int, optimizer);
        QFETCH(int, accumulate);
        QFETCH(int, checkpoint);
        auto variant = overflowing(static_cast<Precision>(precision));
        variant.settings.train.optimizer = static_cast<OptimizerKind>(optimizer);
        variant.settings.train.accumulate = accumulate;
        variant.settings.train.clipNorm = 1;
        const auto whole = create(variant);
        QVERIFY(whole);
        const auto records = train(*whole, 24);

        const auto first = create(variant);
        const auto before = train(*first, checkpoint);
        const auto path = file("case.ckpt");
        const auto written = first->writeCheckpoint(path, skippedOf(before));
        QVERIFY2(written, written ? "" : written.error().message.c_str());
        train(*first, 2); // what is lost with the process
        const auto point = readResumePoint(path);
        QVERIFY2(point, point ? "" : point.error().message.c_str());
        QCOMPARE(point->step, std::int64_t{checkpoint});
        QCOMPARE(point->stepsSkipped, skippedOf(before));

        const auto resumed = resume(variant, path);
        QVERIFY(resumed);
        QVERIFY(resumed->resumeWarnings().empty());
        QCOMPARE(resumed->steps(), std::int64_t{checkpoint});
        const auto after = train(*resumed, 24 - checkpoint);
        QCOMPARE(after.size(), std::size_t(24 - checkpoint));
        for (std::size_t i = 0; i < after.size(); ++i)
            QVERIFY2(same(after[i], records[std::size_t(checkpoint) + i]),
                qPrintable(QString("step %1: loss %2 instead of %3")
                               .arg(after[i].step)
                               .arg(after[i].loss, 0, 'g', 17)
                               .arg(records[std::size_t(checkpoint) + i].loss, 0, 'g', 17)));
        QVERIFY(sameWeights(*resumed, *whole));
    }

    void everyModelGoesOnToTheBit_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<int>("precision");
        QTest::newRow("cnn") << int(ModelKind::Cnn) << int(Precision::Bf16);
        QTest::newRow("resnet18: running statistics")
            << int(ModelKind::Resnet18) << int(Precision::Fp32);
        QTest::newRow("vit") << int(ModelKind::Vit) << int(Precision::Bf16);
        QTest::newRow("gpt") << int(ModelKind::Gpt) << int(Precision::Fp32);
        QTest::newRow("lstm") << int(ModelKind::Lstm) << int(Precision::Bf16);
        QTest::newRow("dcgan: noise, two optimizers, two scalers")
            << int(ModelKind::Dcgan) << int(Precision::Fp16);
    }
    void everyModelGoesOnToTheBit()
    {
        QFETCH(int, model);
        QFETCH(int, precision);
        auto variant = overflowing(static_cast<Precision>(precision));
        auto& settings = variant.settings;
        settings.model.kind = static_cast<ModelKind>(model);
        settings.model.width = settings.model.channels = 2;
        settings.model.patch = 14;
        settings.model.dim = settings.model.latent = 8;
        settings.model.depth = settings.model.heads = 2;
        settings.train.optimizer = OptimizerKind::Adam;
        settings.scaler.perOptimizer = true;
        if (settings.model.kind == ModelKind::Gpt || settings.model.kind == ModelKind::Lstm) {
            settings.data.source = DataSource::Text;
            settings.data.path = MANTISSA_SOURCE_DIR "/experiments/alice.txt";
            settings.data.sequence = 6;
        }
        const auto whole = create(variant);
        QVERIFY(whole);
        const auto records = train(*whole, 8);
        const auto first = create(variant);
        const auto before = train(*first, 3);
        QVERIFY(first->writeCheckpoint(file("model.ckpt"), skippedOf(before)));
        const auto resumed = resume(variant, file("model.ckpt"));
        QVERIFY(resumed);
        const auto after = train(*resumed, 5);
        for (std::size_t i = 0; i < after.size(); ++i)
            QVERIFY2(same(after[i], records[3 + i]), qPrintable(QString::number(i)));
        QVERIFY(sameWeights(*resumed, *whole));
        const auto a = whole->validate([] { return false; });
        const auto b = resumed->validate([] { return false; });
        QVERIFY(same((*a)->loss, (*b)->loss)); // with running statistics
    }

    /// Case 45: it does not matter when the scaler's tensors are made.
    void case45_theScaleIsThereBeforeTheFirstStep()
    {
        const auto variant = overflowing();
        const auto first = create(variant);
        const auto records = train(*first, 14);
        QVERIFY(first->writeCheckpoint(file("45.ckpt"), skippedOf(records)));
        const auto resumed = resume(variant, file("45.ckpt"));
        QVERIFY(resumed);
        const auto next = train(*resumed, 1);
        QVERIFY(records.back().newScale < std::ldexp(1.0, 24));
        QCOMPARE(next.front().scale, records.back().newScale);
    }

    /// Case 47: one scaler for the whole run.
    void case47_theScaleOutlivesAnEpoch()
    {
        auto variant = overflowing();
        variant.settings.scaler.growthInterval = 1000;
        const auto trainer = create(variant);
        const auto records = train(*trainer, 20); // 7 steps an epoch
        for (std::size_t i = 1; i < records.size(); ++i)
            QCOMPARE(records[i].scale, records[i - 1].newScale);
        QVERIFY(records[7].scale < std::ldexp(1.0, 24));
    }

    void settingsChangedLiveGoOn()
    {
        const auto variant = overflowing();
        const auto first = create(variant);
        auto records = train(*first, 6);
        QVERIFY(first->set({{"growth_interval", 2}, {"max_scale", records.back().newScale * 2},
            {"policy", "hysteresis"}}));
        const auto skipped = skippedOf(records);
        QVERIFY(first->writeCheckpoint(file("live.ckpt"), skipped));
        const auto expected = train(*first, 12);
        const auto resumed = resume(variant, file("live.ckpt"));
        QVERIFY(resumed);
        const auto got = train(*resumed, 12);
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(same(got[i], expected[i]));
    }

    void aNewVariantTakesOtherScalerSettingsAndTheOldScale()
    {
        auto variant = overflowing();
        const auto first = create(variant);
        const auto records = train(*first, 12);
        QVERIFY(first->writeCheckpoint(file("fork.ckpt"), skippedOf(records)));
        variant.name = "other";
        variant.settings.scaler.growthInterval = 1;
        variant.settings.scaler.growthFactor = 4;
        variant.settings.scaler.initScale = 2;
        const auto fork = resume(variant, file("fork.ckpt"));
        QVERIFY(fork);
        const auto next = train(*fork, 1);
        QCOMPARE(next.front().scale, records.back().newScale);
        if (next.front().foundInf == 0)
            QCOMPARE(next.front().newScale, 4 * records.back().newScale);
    }

    void refusesWhatWouldChangeTheRunSilently()
    {
        const auto variant = overflowing();
        const auto first = create(variant);
        const auto records = train(*first, 3);
        QVERIFY(first->writeCheckpoint(file("strict.ckpt"), skippedOf(records)));
        const auto refused = [&](const Variant& other, const char* because) {
            std::string why;
            const auto trainer = resume(other, file("strict.ckpt"), &why);
            return !trainer && QString::fromStdString(why).contains(because);
        };
        auto other = variant;
        other.precision = Precision::Bf16;
        QVERIFY(refused(other, "a run in fp16, not in bf16"));
        other = variant;
        other.settings.train.lr = 0.02;
        QVERIFY(refused(other, "train.lr was 0.01"));
        other = variant;
        other.settings.data.flip = false;
        QVERIFY(refused(other, "data.flip was true"));
        other = variant;
        other.settings.scaler.enabled = ScalerEnabled::Off;
        QVERIFY(refused(other, "scaler.enabled may not change"));
        other = variant;
        other.settings.run.maxSteps = 5;
        other.settings.run.checkpointEvery = 1;
        other.settings.data.prefetch = 0;
        QVERIFY(resume(other, file("strict.ckpt")));
    }

    void aFileThatIsNoCheckpointIsRefused()
    {
        const auto variant = overflowing();
        std::string why;
        QVERIFY(!resume(variant, file("nothing.ckpt"), &why));
        QVERIFY(QString::fromStdString(why).contains("No such file"));
        const auto trainer = create(variant);
        QVERIFY(trainer->saveWeights(file("weights.safetensors")));
        QVERIFY(!resume(variant, file("weights.safetensors"), &why));
        QVERIFY(QString::fromStdString(why).contains("lacks"));
    }

    void weightsAreSavedUnderPythonsNamesAndComeBack()
    {
        auto variant = overflowing(Precision::Fp32);
        const auto trained = create(variant);
        train(*trained, 5);
        const auto path = file("w.safetensors");
        QVERIFY(trained->saveWeights(path));
        auto opened = SafetensorsFile::open(path);
        QVERIFY(opened);
        std::vector<std::string> names;
        for (const auto& entry : opened->tensors())
            names.push_back(entry.name);
        QCOMPARE(
            names, (std::vector<std::string>{"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"}));
        QCOMPARE(opened->find("fc1.weight")->sizes, (std::vector<std::int64_t>{8, 784}));
        variant.settings.model.init = path.string();
        variant.settings.run.seed = 9;
        const auto fresh = create(variant);
        QVERIFY(fresh);
        QVERIFY(sameWeights(*fresh, *trained));
    }

    void saysWhatDoesNotFitAboutFirstWeights()
    {
        auto variant = overflowing(Precision::Fp32);
        const auto refused = [&](const char* because) {
            std::string why;
            const auto trainer = create(variant, quick(), &why);
            return !trainer && QString::fromStdString(why).contains(because)
                && QString::fromStdString(why).startsWith("model.init: ");
        };
        const auto path = file("small.safetensors");
        QVERIFY(create(variant)->saveWeights(path));
        variant.settings.model.init = file("missing.safetensors").string();
        QVERIFY(refused("No such file"));
        variant.settings.model.init = path.string();
        variant.settings.model.hidden = {9};
        QVERIFY(refused("has the sizes 8 x 784, needed are 9 x 784"));
        variant.settings.model.hidden = {8, 10};
        QVERIFY(refused("fc2.weight"));
        variant.settings.model.hidden = {}; // one layer for the eight classes: it would fit
        QVERIFY(refused("holds what the model has not: fc2"));
    }

    /// The same settings twice, with every random thing on.
    void twoRunsAreEqualToTheBit_data()
    {
        QTest::addColumn<int>("model");
        QTest::newRow("mlp") << int(ModelKind::Mlp);
        QTest::newRow("cnn") << int(ModelKind::Cnn);
    }
    void twoRunsAreEqualToTheBit()
    {
        QFETCH(int, model);
        auto variant = overflowing(Precision::Bf16);
        variant.settings.model.kind = static_cast<ModelKind>(model);
        variant.settings.model.width = 2;
        variant.settings.device.deterministic = true;
        variant.settings.device.threads = 2;
        const auto a = create(variant);
        const auto b = create(variant);
        const auto first = train(*a, 12);
        const auto second = train(*b, 12);
        for (std::size_t i = 0; i < first.size(); ++i)
            QVERIFY(same(first[i], second[i]));
        QVERIFY(sameWeights(*a, *b));
        QVERIFY(a->environment()["deterministic"].get<bool>());
    }
};

MANTISSA_TEST(TestCheckpoint)
#include "tst_checkpoint.moc"
