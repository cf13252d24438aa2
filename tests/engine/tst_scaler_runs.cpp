// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs with a GradScaler: what people reported about scalers inside a training loop
// (resources/docs/cases.md). Mostly fp32 with the scaler on: exact and quick.
#include "core/config/config_io.h"
#include "core/numerics/scaler_trace.h"
#include "tests/engine/tiny_run.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

using namespace mantissa;
using namespace mantissa::test;

namespace {

Variant scaledVariant()
{
    auto variant = tinyVariant(Precision::Fp32);
    variant.settings.train.schedule = LrSchedule::Constant;
    variant.settings.scaler = {};
    variant.settings.scaler.enabled = ScalerEnabled::On;
    return variant;
}

std::vector<double> losses(const std::vector<StepRecord>& records)
{
    std::vector<double> losses;
    for (const auto& record : records)
        losses.push_back(record.loss);
    return losses;
}

} // namespace

class TestScalerRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The network itself gives NaN: no scale helps. The scale does not fall to 0, the run ends.
    void case2_aRunThatCannotGoOnEndsAtTheFloor()
    {
        auto variant = scaledVariant();
        variant.settings.train.lr = 10;
        variant.settings.train.momentum = 0.99;
        variant.settings.train.steps = 2000;
        variant.settings.scaler.policy = ScalerPolicy::Deepspeed;
        variant.settings.scaler.initScale = 8;
        variant.settings.scaler.hysteresis = 1;
        variant.settings.model.hidden = {8, 8, 8};
        std::string error;
        const auto records = train(*create(variant), 2000, &error);
        QVERIFY2(error.find("cannot fall below 1 ") != std::string::npos, error.c_str());
        QVERIFY(records.size() < 2000);
        QVERIFY(records.back().foundInf == 1 && records.back().newScale == 1);
    }

    // 6 batches an epoch, 4 a step, clipping on: every step is whole, unscaled once, at one scale.
    void case16_accumulationThatDoesNotDivideTheEpoch()
    {
        auto variant = scaledVariant();
        variant.settings.data.trainLimit = 24;
        variant.settings.train.accumulate = 4;
        variant.settings.train.clipNorm = 0.5;
        variant.settings.scaler.growthInterval = 3;
        const auto records = train(*create(variant), 12);
        QCOMPARE(records.size(), std::size_t{12});
        for (std::size_t i = 0; i < records.size(); ++i) {
            QCOMPARE(records[i].growthTracker, double((i + 1) % 3));
            QCOMPARE(records[i].scale, std::ldexp(65536.0, int(i / 3)));
        }
    }

    // Clipped in the middle of the micro-batches, the sum would not be the large batch's gradient.
    void case18_clippingWaitsForTheLastMicroBatch()
    {
        auto whole = scaledVariant();
        whole.settings.data.batchSize = 8;
        whole.settings.data.shuffle = false;
        whole.settings.train.clipNorm = 0.05;
        auto parts = whole;
        parts.settings.data.batchSize = 4;
        parts.settings.train.accumulate = 2;
        const auto a = train(*create(whole), 8);
        const auto b = train(*create(parts), 8);
        for (std::size_t i = 0; i < a.size(); ++i) {
            QVERIFY(a[i].gradNorm > 0.05);
            QVERIFY(std::abs(a[i].gradNorm - b[i].gradNorm) < 1e-5 * a[i].gradNorm);
            QVERIFY(std::abs(a[i].loss - b[i].loss) < 1e-5 * a[i].loss);
        }
    }

    void case28_anOptimizerWithAClosureIsRefusedUpFront()
    {
        const auto loaded = parseExperiment("name = \"x\"\n[train]\noptimizer = \"lbfgs\"\n"
                                            "[[variant]]\nname = \"a\"\nprecision = \"fp16\"\n",
            "x.toml");
        QVERIFY(!loaded.ok());
        QVERIFY(loaded.problems.front().key == "train.optimizer");
        QVERIFY(loaded.problems.front().text().find("allowed: sgd") != std::string::npos);
    }

    // A warm-up of 10 applied steps: skipped ones do not move the rate.
    void case31_theScheduleWaitsForAppliedSteps()
    {
        auto variant = scaledVariant();
        variant.settings.train.warmupSteps = 10;
        variant.precision = Precision::Fp16;
        variant.settings.scaler.initScale = std::ldexp(1.0, 40);
        variant.settings.scaler.backoffFactor = 0.001;
        const auto records = train(*create(variant), 10);
        int applied = 0;
        for (const auto& record : records) {
            QVERIFY(std::abs(record.lr - 0.1 * (applied + 1) / 10) < 1e-12);
            applied += record.foundInf == 0 ? 1 : 0;
        }
        QVERIFY2(
            records.front().foundInf == 1 && applied >= 5, qPrintable(QString::number(applied)));
    }

    // A power of two changes no bit in fp32: scaled and clipped training equals unscaled training.
    void case35_clippingIsInTrueUnits()
    {
        auto variant = scaledVariant();
        variant.settings.train.clipNorm = 0.3;
        const auto scaled = train(*create(variant), 10);
        variant.settings.scaler.enabled = ScalerEnabled::Off;
        const auto plain = train(*create(variant), 10);
        QCOMPARE(losses(scaled), losses(plain));
        for (std::size_t i = 0; i < plain.size(); ++i) {
            QCOMPARE(scaled[i].gradNorm, plain[i].gradNorm);
            QCOMPARE(scaled[i].scale, 65536.0);
            QCOMPARE(plain[i].scale, 1.0); // pure pass-through
        }
    }

    void case47_theScaleOutlivesTheEpoch()
    {
        auto variant = scaledVariant();
        variant.settings.train.epochs = 2; // 16 steps each
        variant.settings.scaler.initScale = 1024;
        variant.settings.scaler.growthInterval = 20;
        const auto records = train(*create(variant), 32);
        QCOMPARE(records[15].growthTracker, 16.0);
        QCOMPARE(records[16].scale, 1024.0);
        QCOMPARE(records[16].growthTracker, 17.0);
        QCOMPARE(records[19].newScale, 2048.0);
    }

    void everyPolicyTrainsAndFollowsItsReplay()
    {
        for (const auto policy : {ScalerPolicy::Static, ScalerPolicy::Hysteresis,
                 ScalerPolicy::Deepspeed, ScalerPolicy::Fairseq, ScalerPolicy::Smooth}) {
            auto variant = scaledVariant();
            variant.settings.scaler.policy = policy;
            variant.settings.scaler.growthInterval = 2;
            variant.precision = Precision::Fp16;
            variant.settings.scaler.initScale = std::ldexp(1.0, 40);
            variant.settings.scaler.backoffFactor = 0.01;
            const auto trainer = create(variant);
            const auto& scaler = trainer->environment()["scaler"];
            QCOMPARE(scaler["policy"].get<std::string>(), toString(policy));
            QCOMPARE(scaler["found_inf"] == "read by the host once a step",
                policy != ScalerPolicy::Static);
            const auto records = train(*trainer, 10);
            OverflowTrace trace;
            for (const auto& record : records)
                trace.push_back(record.foundInf != 0);
            QVERIFY(trace.front());
            QCOMPARE(trace.back(), policy == ScalerPolicy::Static);
            const auto expected = replayScaler(variant.settings.scaler, trace);
            for (std::size_t i = 0; i < records.size(); ++i)
                QVERIFY(records[i].newScale == double{expected.states[i].scale});
        }
    }
};

MANTISSA_TEST(TestScalerRuns)
#include "tst_scaler_runs.moc"
