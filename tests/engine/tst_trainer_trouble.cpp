// SPDX-License-Identifier: GPL-3.0-or-later
// A trainer whose numbers go wrong without a scaler, and validations that are not finite, on a
// network of a few weights.
#include "core/weights/safetensors.h"
#include "tests/engine/tiny_run.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <map>

using namespace mantissa;
using namespace mantissa::test;

namespace {

using Weights = std::map<std::string, std::pair<std::vector<std::int64_t>, std::vector<float>>>;

/// Two columns, two classes, 40 rows; the value of `bad` stands in row 10, which is held back.
Variant tableVariant(const QTemporaryDir& folder, Precision precision, const char* bad = "1")
{
    auto variant = tinyVariant(precision);
    QFile file(folder.filePath(QStringLiteral("table.csv")));
    if (!file.open(QIODevice::WriteOnly))
        qFatal("no file for the table");
    file.write("a,b,class\n");
    for (int i = 0; i < 40; ++i) {
        const auto value = i == 10 ? QByteArray(bad) : QByteArray::number(i * 7 % 11);
        file.write(value + ',' + QByteArray::number(i * i % 13) + ",c"
            + QByteArray::number(i == 10 ? 0 : i % 2) + '\n');
    }
    auto& settings = variant.settings;
    settings.data.source = DataSource::Csv;
    settings.data.path = file.fileName().toStdString();
    settings.data.validationShare = 0.1; // rows 10, 18, 21
    settings.data.validationLimit = settings.data.trainLimit = 0;
    settings.model.hidden = {2};
    settings.train.schedule = LrSchedule::Constant;
    settings.train.momentum = settings.train.weightDecay = 0;
    return variant;
}

void startFrom(Variant& variant, const QTemporaryDir& folder, const Weights& weights)
{
    const auto file = folder.filePath(QStringLiteral("init.safetensors")).toStdString();
    std::vector<TensorBytes> tensors;
    for (const auto& [name, value] : weights)
        tensors.push_back(
            {name, TensorType::F32, value.first, std::as_bytes(std::span(value.second))});
    if (const auto written = writeSafetensors(file, tensors); !written)
        qFatal("%s", written.error().message.c_str());
    variant.settings.model.init = file;
}

/// A bias that is finite in fp32 and infinite in bf16, whose values cancel before the loss.
Weights withHugeBias()
{
    return {{"fc1.weight", {{2, 2}, {0, 0, 0, 0}}}, {"fc1.bias", {{2}, {3.398e38F, 1}}},
        {"fc2.weight", {{2, 2}, {2e-38F, 0.5F, -1e-38F, 0.25F}}}, {"fc2.bias", {{2}, {0, 0}}}};
}

std::vector<LifecycleEvent> located(Trainer& trainer)
{
    auto events = trainer.takeEvents();
    std::erase_if(
        events, [](const auto& event) { return event.kind != event_kind::kNonFiniteLocated; });
    return events;
}

std::optional<ValidationResult> validated(Trainer& trainer)
{
    const auto result = trainer.validate([] { return false; });
    return result ? *result : std::nullopt;
}

bool sameBits(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool sameBits(const WeightValues& a, const WeightValues& b)
{
    return std::ranges::equal(a.values, b.values, {}, std::bit_cast<std::uint32_t, float>,
        std::bit_cast<std::uint32_t, float>);
}

} // namespace

class TestTrainerTrouble : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// t21 of the reports: NaN in bf16, not in fp32. Where does it begin?
    void aNanLossInBf16IsLocatedWithTheWeightsOfThatStep()
    {
        const QTemporaryDir folder;
        auto variant = tableVariant(folder, Precision::Bf16);
        startFrom(variant, folder, withHugeBias());
        const auto trainer = create(variant);
        QVERIFY(trainer && !trainer->usesScaler());
        const auto records = train(*trainer, 3);
        QVERIFY(!std::isfinite(records[0].loss));
        const auto events = located(*trainer);
        QCOMPARE(events.size(), std::size_t{1});
        const auto& data = events[0].data;
        QCOMPARE(events[0].step.value_or(0), std::int64_t{1});
        QVERIFY2(data["trouble"] == "loss" && data["module"] == "fc1" && data["place"] == "output"
                && data["dtype"] == "BFloat16" && data["cause"] == "forward_overflow",
            data.dump().c_str());
        QVERIFY(data["overflowing_parameter"] == "fc1.bias");
        const auto& text = events[0].message;
        for (const auto* part : {"the output of fc1", "fc1.bias", "3.398e+38", "infinite in bf16"})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
        QVERIFY2(text.find("bf16 has the range") == std::string::npos, text.c_str());
        variant.precision = Precision::Fp32;
        const auto fp32 = create(variant);
        QVERIFY(std::isfinite(train(*fp32, 1)[0].loss));
        // The gradients of such weights have no finite norm; no tensor is to blame.
        for (const auto& event : located(*fp32))
            QVERIFY2(event.data["cause"] == "norm_overflow", event.message.c_str());
    }

    void theLocatorLeavesSuchARunAsItIs_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<int>("accumulate");
        QTest::newRow("bf16") << int(Precision::Bf16) << 1;
        QTest::newRow("bf16, micro-batches") << int(Precision::Bf16) << 2;
        QTest::newRow("fp32, diverging") << int(Precision::Fp32) << 1;
    }

    void theLocatorLeavesSuchARunAsItIs()
    {
        QFETCH(int, precision);
        QFETCH(int, accumulate);
        const QTemporaryDir folder;
        auto variant = tableVariant(folder, static_cast<Precision>(precision));
        variant.settings.train.accumulate = accumulate;
        variant.settings.debug.locateEvery = 1;
        if (variant.precision == Precision::Bf16)
            startFrom(variant, folder, withHugeBias());
        else
            variant.settings.train.lr = 1e30;
        const auto with = create(variant);
        const auto records = train(*with, 6);
        variant.settings.debug.locate = false;
        const auto without = create(variant);
        const auto plain = train(*without, 6);
        QVERIFY(!located(*with).empty() && located(*without).empty());
        for (std::size_t i = 0; i < 6; ++i) {
            for (const auto field : {&StepRecord::loss, &StepRecord::gradNorm, &StepRecord::lr,
                     &StepRecord::foundInf, &StepRecord::memoryBytes})
                QVERIFY2(
                    sameBits(records[i].*field, plain[i].*field), qPrintable(QString::number(i)));
        }
        const auto mine = with->weights();
        const auto theirs = without->weights();
        for (std::size_t i = 0; i < mine.size(); ++i)
            QVERIFY2(sameBits(mine[i], theirs[i]), mine[i].name.c_str());
    }

    /// The update of the step before made the weights so large that the loss is not finite.
    void aRunThatDivergesInFp32IsLocatedToo()
    {
        const QTemporaryDir folder;
        auto variant = tableVariant(folder, Precision::Fp32);
        variant.settings.train.lr = 1e30;
        const auto trainer = create(variant);
        const auto records = train(*trainer, 6);
        const auto bad = std::ranges::find_if(
            records, [](const auto& record) { return !std::isfinite(record.loss); });
        QVERIFY(bad != records.end() && bad != records.begin());
        const auto events = located(*trainer);
        const auto ofLoss = std::ranges::find_if(
            events, [](const auto& event) { return event.data["trouble"] == "loss"; });
        QVERIFY(ofLoss != events.end());
        QCOMPARE(ofLoss->step.value_or(0), bad->step);
        QVERIFY(ofLoss->data["cause"] == "intrinsic");
        QVERIFY2(ofLoss->data["place"] != "parameter", ofLoss->message.c_str());
    }

    /// Weights of 1e25 give gradients whose squares are infinite, each of them being finite.
    void aNormThatOverflowsAloneIsCalledThat()
    {
        const QTemporaryDir folder;
        auto variant = tableVariant(folder, Precision::Fp32);
        startFrom(variant, folder,
            {{"fc1.weight", {{2, 2}, {1, 0, 0, 1}}}, {"fc1.bias", {{2}, {1, 1}}},
                {"fc2.weight", {{2, 2}, {1e25F, 1e25F, -1e25F, -1e25F}}},
                {"fc2.bias", {{2}, {0, 0}}}});
        const auto trainer = create(variant);
        const auto records = train(*trainer, 1);
        QVERIFY(std::isfinite(records[0].loss) && std::isinf(records[0].gradNorm));
        const auto events = located(*trainer);
        QCOMPARE(events.size(), std::size_t{1});
        QVERIFY(events[0].data["trouble"] == "gradient");
        QVERIFY2(events[0].data["cause"] == "norm_overflow", events[0].message.c_str());
    }

    void anomalyModeSaysWhereItBeganToo()
    {
        const QTemporaryDir folder;
        auto variant = tableVariant(folder, Precision::Bf16);
        startFrom(variant, folder, withHugeBias());
        variant.settings.debug.anomaly = true;
        const auto trainer = create(variant);
        std::string error;
        train(*trainer, 2, &error);
        QVERIFY2(error.starts_with("debug.anomaly stopped the run at step 1"), error.c_str());
        const auto events = located(*trainer);
        QCOMPARE(events.size(), std::size_t{1});
        QVERIFY(events[0].data["module"] == "fc1" && events[0].data["trouble"] == "anomaly");
    }

    /// t02 of the reports: one row of the validation is over the range of fp16.
    void aRowWhoseOutputsAreNotFiniteIsWrong()
    {
        const QTemporaryDir folder;
        auto variant = tableVariant(folder, Precision::Fp32, "1e9");
        // The class of row 10 is c0: the answer that argmax gives for NaN.
        startFrom(variant, folder,
            {{"fc1.weight", {{2, 2}, {1, 0, -1, 0}}}, {"fc1.bias", {{2}, {0, 0}}},
                {"fc2.weight", {{2, 2}, {1, 1, -1, -1}}}, {"fc2.bias", {{2}, {1, 0}}}});
        const auto fp32 = validated(*create(variant));
        QVERIFY(fp32.has_value());
        QCOMPARE(fp32->rows, std::int64_t{3});
        QCOMPARE(fp32->nonFiniteRows, std::int64_t{0});
        QVERIFY(std::isfinite(fp32->loss));
        // Everything is called c0: rows 10 and 18 are.
        QCOMPARE(fp32->metric, 2.0 / 3);
        variant.precision = Precision::Fp16;
        const auto fp16 = validated(*create(variant));
        QVERIFY(fp16.has_value());
        QCOMPARE(fp16->nonFiniteRows, std::int64_t{1});
        QCOMPARE(fp16->metric, 1.0 / 3);
        QVERIFY(!std::isfinite(fp16->loss));
    }

    void theErrorOfValuesThatAreNotFiniteIsNotFinite()
    {
        const QTemporaryDir folder;
        auto variant = tableVariant(folder, Precision::Fp16, "1e9");
        variant.settings.data.target = "b";
        variant.settings.data.targetKind = TargetWord::Value;
        startFrom(variant, folder,
            {{"fc1.weight", {{2, 2}, {1, 0, -1, 0}}}, {"fc1.bias", {{2}, {0, 0}}},
                {"fc2.weight", {{1, 2}, {1, 1}}}, {"fc2.bias", {{1}, {0}}}});
        QFile table(QString::fromStdString(variant.settings.data.path));
        QVERIFY(table.open(QIODevice::ReadOnly));
        auto text = table.readAll().replace("c0", "0").replace("c1", "1");
        table.close();
        QVERIFY(table.open(QIODevice::WriteOnly) && table.write(text) > 0);
        table.close();
        const auto result = validated(*create(variant));
        QVERIFY(result.has_value());
        QCOMPARE(result->nonFiniteRows, std::int64_t{1});
        QVERIFY(!std::isfinite(result->metric) && !std::isfinite(result->loss));
    }
};

MANTISSA_TEST(TestTrainerTrouble)
#include "tst_trainer_trouble.moc"
