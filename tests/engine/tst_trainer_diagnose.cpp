// SPDX-License-Identifier: GPL-3.0-or-later
// What a trainer says beside training, on tiny shapes: the locator, the check before the first
// step, anomaly mode.
#include "tests/engine/tiny_run.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <bit>
#include <cmath>
#include <string>

using namespace mantissa;
using namespace mantissa::test;

namespace {

/// An fp16 run whose first scale is 2^40: it is skipped until the scale fits.
Variant overflowing()
{
    auto variant = tinyVariant(Precision::Fp16);
    variant.settings.train.steps = 40;
    variant.settings.scaler.initScale = std::ldexp(1.0, 40);
    return variant;
}

struct Run {
    std::vector<StepRecord> records;
    std::vector<LifecycleEvent> events;
    std::vector<WeightValues> weights;
    std::string failure;
    nlohmann::json environment;
};

Run train(const Variant& variant, int steps)
{
    Run run;
    const auto created = create(variant, quick(), &run.failure);
    if (!created)
        return run;
    auto& trainer = *created;
    run.environment = trainer.environment();
    for (int i = 0; i < steps && run.failure.empty(); ++i) {
        if (const auto trained = trainer.step(); !trained)
            run.failure = trained.error().message;
    }
    if (const auto collected = trainer.collect(true, run.records); !collected)
        run.failure = collected.error().message;
    run.events = trainer.takeEvents();
    run.weights = trainer.weights();
    return run;
}

std::vector<LifecycleEvent> ofKind(const Run& run, std::string_view kind)
{
    std::vector<LifecycleEvent> events;
    for (const auto& event : run.events) {
        if (event.kind == kind)
            events.push_back(event);
    }
    return events;
}

bool sameBits(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

} // namespace

class TestTrainerDiagnose : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLocatorNamesThePlaceAndTheCause()
    {
        const auto run = train(overflowing(), 30);
        QCOMPARE(run.failure, std::string());
        QVERIFY(run.records.front().foundInf == 1 && run.records.back().foundInf == 0);
        const auto located = ofKind(run, event_kind::kNonFiniteLocated);
        // Skips within the first 30 steps; the next replay would be due at step 101.
        QCOMPARE(located.size(), std::size_t{1});
        QCOMPARE(located[0].step.value_or(0), std::int64_t{1});
        QVERIFY(located[0].data["cause"] == "scale_overflow");
        QVERIFY(located[0].data["module"] == "fc2");
        QVERIFY(located[0].data["dtype"] == "Half");
        QVERIFY(located[0].data["scale"] == std::ldexp(1.0, 40));
        QVERIFY(located[0].message.find("fc2") != std::string::npos);
    }

    void theRunIsTheSameToTheBitWithoutTheLocator_data()
    {
        QTest::addColumn<int>("accumulate");
        QTest::newRow("one batch") << 1;
        QTest::newRow("micro-batches") << 2;
    }

    void theRunIsTheSameToTheBitWithoutTheLocator()
    {
        QFETCH(int, accumulate);
        auto variant = overflowing();
        variant.settings.train.accumulate = accumulate;
        variant.settings.debug.locateEvery = 1;
        const auto with = train(variant, 40);
        variant.settings.debug.locate = false;
        const auto without = train(variant, 40);
        QVERIFY(ofKind(with, event_kind::kNonFiniteLocated).size() > 10);
        QVERIFY(ofKind(without, event_kind::kNonFiniteLocated).empty());
        QCOMPARE(with.records.size(), std::size_t{40});
        QCOMPARE(without.records.size(), std::size_t{40});
        for (std::size_t i = 0; i < 40; ++i) {
            const auto& a = with.records[i];
            const auto& b = without.records[i];
            for (const auto field : {&StepRecord::loss, &StepRecord::gradNorm, &StepRecord::scale,
                     &StepRecord::newScale, &StepRecord::growthTracker, &StepRecord::foundInf,
                     &StepRecord::lr})
                QVERIFY2(sameBits(a.*field, b.*field), qPrintable(QString::number(i)));
        }
        for (std::size_t i = 0; i < with.weights.size(); ++i)
            QVERIFY(with.weights[i].values == without.weights[i].values);
    }

    void theValueInFp32IsTold()
    {
        const auto run = train(overflowing(), 1);
        const auto located = ofKind(run, event_kind::kNonFiniteLocated);
        QCOMPARE(located.size(), std::size_t{1});
        // The gradient of a mean over 4 of a cross-entropy is at most 1/4.
        const auto largest = located[0].data["largest_in_fp32"].get<double>();
        QVERIFY2(largest > 0 && largest <= 0.25, qPrintable(QString::number(largest)));
    }

    void theCheckBeforeTheFirstStepSpeaksThroughEvents()
    {
        auto variant = overflowing();
        variant.precision = Precision::Bf16;
        variant.settings.scaler.initScale = 1024;
        variant.settings.scaler.enabled = ScalerEnabled::On;
        const auto run = train(variant, 1);
        const auto warnings = ofKind(run, event_kind::kWarning);
        QCOMPARE(warnings.size(), std::size_t{1});
        QVERIFY(warnings[0].data["preflight"]["parameter"] == "scaler.enabled");
        QVERIFY(!warnings[0].step.has_value());
        variant.settings.scaler.enabled = ScalerEnabled::Auto;
        QVERIFY(train(variant, 1).events.empty());
    }

    void anomalyModeEndsTheRunAndNamesTheOperation()
    {
        auto variant = overflowing();
        variant.settings.debug.anomaly = true;
        const auto run = train(variant, 3);
        QVERIFY2(run.failure.starts_with("debug.anomaly stopped the run at step 1: Function '"),
            run.failure.c_str());
        QVERIFY(run.environment["anomaly_mode"] == true);
        const auto located = ofKind(run, event_kind::kNonFiniteLocated);
        QCOMPARE(located.size(), std::size_t{1});
        QVERIFY(located[0].data["trouble"] == "anomaly" && located[0].data["module"] == "fc2");
        const auto warnings = ofKind(run, event_kind::kWarning);
        QVERIFY(!warnings.empty() && warnings.back().message.find("slow") != std::string::npos);
        // Where nothing is NaN it only costs time.
        variant.settings.scaler.initScale = 64;
        const auto fine = train(variant, 3);
        QCOMPARE(fine.failure, std::string());
        variant.settings.debug.anomaly = false;
        const auto plain = train(variant, 3);
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(sameBits(fine.records[i].loss, plain.records[i].loss));
    }
};

MANTISSA_TEST(TestTrainerDiagnose)
#include "tst_trainer_diagnose.moc"
