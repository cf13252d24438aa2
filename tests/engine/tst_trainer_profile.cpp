// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "tiny_run.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace mantissa;
using namespace mantissa::test;

Q_DECLARE_METATYPE(mantissa::Precision)

namespace {

constexpr double kPixels = 28 * 28; ///< of a generated image
constexpr double kClasses = 8;

Trainer::ProfileOptions steps(std::int64_t count)
{
    Trainer::ProfileOptions options;
    options.steps = count;
    return options;
}

StepProfile profiled(const Variant& variant, std::int64_t count = 3)
{
    const auto trainer = create(variant);
    if (!trainer)
        return {};
    auto profile = trainer->profile(steps(count));
    if (!profile)
        qFatal("%s", profile.error().message.c_str());
    return *profile;
}

double calls(const StepProfile& profile, OperatorKind kind, const std::string& type)
{
    double sum = 0;
    for (const auto& row : profile.rows)
        sum += row.kind == kind && row.dtype == type ? static_cast<double>(row.calls) : 0;
    return sum / static_cast<double>(profile.steps);
}

Variant cnnVariant(Precision precision)
{
    auto variant = tinyVariant(precision);
    variant.settings.model.kind = ModelKind::Cnn;
    variant.settings.model.width = 2;
    return variant;
}

void addPrecisions()
{
    QTest::addColumn<Precision>("precision");
    QTest::newRow("fp32") << Precision::Fp32;
    QTest::newRow("bf16") << Precision::Bf16;
    QTest::newRow("fp16") << Precision::Fp16;
}

} // namespace

class TestTrainerProfile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A naive sum over what autocast records would give twice as many in bf16 and fp16.
    void flopsOfAnMlpAreTheClosedForm_data() { addPrecisions(); }
    void flopsOfAnMlpAreTheClosedForm()
    {
        QFETCH(Precision, precision);
        const auto profile = profiled(tinyVariant(precision));
        const double batch = 4;
        const double first = kPixels * 8; // weights; its input needs no gradient
        const double second = 8 * kClasses;
        QCOMPARE(profile.flops(), 2 * batch * (2 * first + 3 * second));
    }

    void flopsOfACnnAreTheClosedForm_data() { addPrecisions(); }
    void flopsOfACnnAreTheClosedForm()
    {
        QFETCH(Precision, precision);
        const auto profile = profiled(cnnVariant(precision));
        const double batch = 4;
        const double conv1 = kPixels * 2 * 1 * 9; // multiply-adds of one image
        const double conv2 = kPixels / 4 * 4 * 2 * 9;
        const double fc1 = 4 * 7 * 7 * 128;
        const double fc2 = 128 * kClasses;
        QCOMPARE(profile.flops(), 2 * batch * (2 * conv1 + 3 * (conv2 + fc1 + fc2)));
    }

    void productsAreListedInTheTypeReallyUsed()
    {
        const auto low = profiled(tinyVariant(Precision::Bf16));
        // Two layers forward, three products backward.
        QVERIFY(calls(low, OperatorKind::Matrix, "bf16") >= 5);
        for (const auto& row : low.rows)
            QVERIFY2(row.flops == 0 || row.dtype == "bf16", row.name.c_str());
        // The input, two weights, two biases, the second layer's input is bf16 already.
        QVERIFY(calls(low, OperatorKind::Cast, "fp32→bf16") >= 5);
        QCOMPARE(low.precision, "bf16");
        const auto full = profiled(tinyVariant(Precision::Fp32));
        QCOMPARE(full.calls(OperatorKind::Cast), 0.0);
    }

    // cases.md: without the cache a weight that is used twice is cast twice; the profile shows it.
    void castsHaveBytes()
    {
        const auto profile = profiled(tinyVariant(Precision::Bf16));
        // At least the input and the first weight, read in 4 and written in 2 bytes.
        QVERIFY(profile.bytes(OperatorKind::Cast) >= (4 + 8) * kPixels * 6);
        QVERIFY(profile.bytes() > profile.bytes(OperatorKind::Cast));
    }

    void theWindowHasTheStepsAskedForAndNoMoreThanTwenty()
    {
        QCOMPARE(profiled(tinyVariant(Precision::Fp32), 2).steps, 2);
        const auto most = profiled(tinyVariant(Precision::Fp32), 500);
        QCOMPARE(most.steps, kMostProfiledSteps);
        QVERIFY(most.stepMs > 0);
        QVERIFY(most.timedSteps >= 3);
        QVERIFY(most.launchUs > 0);
        QCOMPARE(most.samplesPerStep, 4);
        QCOMPARE(most.device, "cpu");
        QVERIFY(most.share(most.operatorMs()) <= 1.0);
    }

    /// The memory meter makes room for the profiler and comes back.
    void memoryIsCountedAgainAfterwards()
    {
        const auto trainer = create(tinyVariant(Precision::Bf16));
        const auto before = train(*trainer, 3);
        QVERIFY(trainer->profile(steps(2)).has_value());
        const auto after = train(*trainer, 3);
        QCOMPARE(after.back().memoryBytes, before.back().memoryBytes);
        QCOMPARE(after.back().peakMemoryBytes, before.back().peakMemoryBytes);
        QVERIFY(trainer->profile(steps(2)).has_value()); // and a second time
    }

    void theTraceIsOneThatPerfettoOpens()
    {
        const QTemporaryDir folder;
        const auto file = folder.filePath("trace.json");
        const auto trainer = create(tinyVariant(Precision::Bf16));
        auto options = steps(2);
        options.trace = file.toStdString();
        QVERIFY(trainer->profile(options).has_value());
        QFile trace(file);
        QVERIFY(trace.open(QIODevice::ReadOnly));
        const auto events =
            QJsonDocument::fromJson(trace.readAll()).object().value("traceEvents").toArray();
        int whole = 0;
        int stepScopes = 0;
        for (const auto& value : events) {
            const auto event = value.toObject();
            if (event.value("ph") != "X")
                continue;
            ++whole;
            QVERIFY(event.value("ts").isDouble());
            QVERIFY(event.value("dur").isDouble());
            stepScopes += event.value("name") == kStepScope ? 1 : 0;
        }
        QVERIFY(whole > 50);
        QCOMPARE(stepScopes, 2);
    }
};

MANTISSA_TEST(TestTrainerProfile)
#include "tst_trainer_profile.moc"
