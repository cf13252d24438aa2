// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/byte_text.h"
#include "core/config/config_io.h"
#include "core/hardware/model_check.h"
#include "tests/support/test_program.h"

#include <QTest>

using namespace mantissa;

namespace {

ModelCheck sample()
{
    ModelProbe probe;
    probe.variant = "bf16";
    probe.precision = Precision::Bf16;
    probe.key = "k";
    probe.device = "cpu";
    probe.stepMs = {1.0, 1.1, 1.2};
    probe.steps = 20;
    probe.samplesPerSecond = 58'000;
    probe.runSeconds = 5.5;
    probe.peakMemoryBytes = 1e6;
    probe.predicted = {1, 2, 3, 4, 5, 6};
    probe.measured = {10, 20, 30, 40, 50, 60};
    probe.factor = 1.7;
    probe.batchSize = 64;
    probe.trainSamples = 60'000;
    auto refused = probe;
    refused.factor.reset();
    refused.reason = "no such format";
    return {"an experiment", "cpu", 1'700'000'000'000, {probe, refused}};
}

} // namespace

class TestModelCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goesThroughJsonUnchanged()
    {
        const auto text = toJson(sample()).dump();
        const auto read = modelCheckFromJson(nlohmann::json::parse(text));
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(toJson(*read).dump(), text);
        QCOMPARE(read->probes[0].measured.sum(), 210.0);
        QVERIFY(!read->probes[1].factor);
        QCOMPARE(read->probes[0].device, std::string("cpu"));
    }

    void oneOfBeforeTheDeviceWasToldIsReadable()
    {
        auto json = toJson(sample());
        json["probes"][0].erase("device");
        const auto read = modelCheckFromJson(json);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QVERIFY(read->probes[0].device.empty());
    }

    void aBrokenOneIsRefusedByKey()
    {
        for (const auto* key : {"precision", "step_ms", "measured", "batch_size"}) {
            auto json = toJson(sample());
            json["probes"][0][key] = "x";
            const auto read = modelCheckFromJson(json);
            QVERIFY2(!read, key);
            QVERIFY2(
                read.error().message.find(key) != std::string::npos, read.error().message.c_str());
        }
        QVERIFY(!modelCheckFromJson(nlohmann::json::array()));
    }

    /// What a person changes between a check and a run, without changing what a step costs.
    void equalKeysAreEqualSteps()
    {
        Variant variant;
        variant.name = "a";
        const auto key = predictionKey(variant);
        auto same = variant;
        same.name = "b";
        same.settings.train.steps = 9'999;
        same.settings.train.lr = 0.5;
        same.settings.run.seed = 7;
        same.settings.eval.every = 3;
        same.settings.watch.enabled = false;
        QCOMPARE(predictionKey(same), key);
        const std::function<void(Variant&)> others[]{
            [](Variant& v) { v.precision = Precision::Bf16; },
            [](Variant& v) { v.settings.data.batchSize += 1; },
            [](Variant& v) { v.settings.model.hidden = {7}; },
            [](Variant& v) { v.settings.train.optimizer = OptimizerKind::Sgd; },
            [](Variant& v) { v.settings.train.clipNorm = 1; },
            [](Variant& v) { v.settings.train.accumulate = 2; },
            [](Variant& v) { v.settings.device.threads = 1; },
            [](Variant& v) { v.settings.autocast.cache = false; },
        };
        for (const auto& change : others) {
            auto other = variant;
            change(other);
            QVERIFY(predictionKey(other) != key);
        }
    }

    void bytesAreRead_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("bytes"); // -1 = refused
        QTest::newRow("plain") << "1073741824" << 1073741824.0;
        QTest::newRow("MiB") << "512MiB" << 536870912.0;
        QTest::newRow("GiB with space") << "2 GiB" << 2147483648.0;
        QTest::newRow("GB") << "1.5GB" << 1.5e9;
        QTest::newRow("empty") << "" << -1.0;
        QTest::newRow("unit only") << "GiB" << -1.0;
        QTest::newRow("unknown unit") << "3 parsecs" << -1.0;
        QTest::newRow("negative") << "-5MiB" << -1.0;
        QTest::newRow("two points") << "1.2.3" << -1.0;
    }

    void bytesAreRead()
    {
        QFETCH(QString, text);
        QFETCH(double, bytes);
        QCOMPARE(parseBytes(text.toStdString()).value_or(-1), bytes);
    }
};

MANTISSA_TEST(TestModelCheck)
#include "tst_model_check.moc"
