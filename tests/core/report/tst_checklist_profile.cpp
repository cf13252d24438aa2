// SPDX-License-Identifier: GPL-3.0-or-later
// "Why no speed-up" from profiles made by hand: each cause must be found, and none else be blamed.
#include "core/config/config_io.h"
#include "core/report/checklist.h"
#include "core/report/run_profiles.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace mantissa;
using namespace mantissa::test;

namespace {

struct Part {
    OperatorKind kind;
    double ms; ///< of one step
    std::int64_t calls = 1;
};

/// One step in which the parts are all that happens.
StepProfile profileWith(
    const std::string& precision, const std::vector<Part>& parts, double flops = 1e9)
{
    StepProfile profile;
    profile.precision = precision;
    profile.device = "cpu";
    profile.steps = 1;
    profile.timedSteps = 50;
    profile.samplesPerStep = 64;
    profile.launchUs = 0.5;
    for (const auto& part : parts) {
        const auto type = part.kind == OperatorKind::Cast ? "fp32→bf16" : precision;
        profile.rows.push_back({std::string(toString(part.kind)), type, part.kind, part.calls,
            part.ms, part.ms, part.kind == OperatorKind::Matrix ? flops : 0, 1e6});
        profile.windowMs += part.ms;
    }
    profile.stepMs = profile.windowMs;
    profile.matrices.push_back({"mm", precision, {64, 128, 64}, 1, 1});
    return profile;
}

ChecklistInput inputWith(const StepProfile& run, const StepProfile& baseline)
{
    ChecklistInput input;
    Variant variant;
    variant.name = run.precision;
    variant.precision = *precisionFromString(run.precision);
    input.run.id = 7;
    input.run.precision = run.precision;
    input.run.config = variantToJson(variant);
    input.run.environment = nlohmann::json::object();
    LifecycleEvent event;
    event.kind = kProfiledEvent;
    event.data = {{"profile", toJson(run)}, {"baseline", toJson(baseline)}};
    input.events.push_back(event);
    return input;
}

CheckResult find(const ChecklistInput& input, std::string_view id)
{
    for (const auto& check : speedChecklist(input)) {
        if (check.id == id)
            return check;
    }
    return {};
}

QByteArray answer(const ChecklistInput& input, std::string_view id)
{
    const auto word = toString(find(input, id).answer);
    return {word.data(), static_cast<qsizetype>(word.size())};
}

QByteArray evidence(const ChecklistInput& input, std::string_view id)
{
    return QByteArray::fromStdString(find(input, id).evidence);
}

using K = OperatorKind;
const std::vector<Part> kPlainFp32{{K::Matrix, 6.0, 10}, {K::Elementwise, 2.0, 10}};

} // namespace

class TestChecklistProfile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutAProfileItSaysHowToGetOne()
    {
        auto input = inputWith(profileWith("bf16", kPlainFp32), profileWith("fp32", kPlainFp32));
        input.events.clear();
        QCOMPARE(answer(input, "why"), "cannot_tell");
        QVERIFY2(evidence(input, "why").contains("checklist 7 --profile"),
            evidence(input, "why").constData());
        for (const char* id : {"matrix_share", "matrix_rate", "launch_bound", "cast_share",
                 "memory_bound", "odd_sizes", "small_batch", "baseline_tf32", "throttled"})
            QCOMPARE(answer(input, id), "cannot_tell");
    }

    void aFasterRunNeedsNoReason()
    {
        const auto input =
            inputWith(profileWith("bf16", {{K::Matrix, 3.0, 10}, {K::Elementwise, 2.0, 10}}),
                profileWith("fp32", kPlainFp32));
        QCOMPARE(answer(input, "why"), "not_found");
        QCOMPARE(answer(input, "matrix_rate"), "not_found");
        QCOMPARE(answer(input, "cast_share"), "not_found");
        QCOMPARE(answer(input, "launch_bound"), "not_found");
        QCOMPARE(answer(input, "odd_sizes"), "not_found");
        QCOMPARE(answer(input, "small_batch"), "not_found");
        QCOMPARE(answer(input, "matrix_share"), "not_found");
    }

    // A GPU without tensor cores: the products themselves are slower, and that comes first.
    void case64_productsThatAreSlowerInTheFormat()
    {
        const auto input =
            inputWith(profileWith("fp16",
                          {{K::Matrix, 15.0, 10}, {K::Elementwise, 2.0, 10}, {K::Cast, 1.5, 4}}),
                profileWith("fp32", kPlainFp32));
        QCOMPARE(answer(input, "why"), "found");
        const auto why = evidence(input, "why");
        QVERIFY2(why.startsWith("fp16 runs at 0.43x the speed of fp32: matrix work takes 15.0 "
                                "ms instead of 6.00 ms, 4 casts between formats add 1.50 ms; "),
            why.constData());
        QVERIFY(find(input, "why").advice.find("another format") != std::string::npos);
        QCOMPARE(answer(input, "matrix_rate"), "found");
        QCOMPARE(evidence(input, "matrix_rate"), "66.7 GFLOP/s in fp16, 167 GFLOP/s in fp32");
    }

    void case66_manySmallOperatorsAndCasts()
    {
        const auto input = inputWith(
            profileWith("bf16", {{K::Matrix, 1.0, 40}, {K::Cast, 4.0, 60}, {K::View, 3.0, 8000}}),
            profileWith("fp32", {{K::Matrix, 1.5, 40}, {K::View, 2.0, 6000}}));
        const auto why = evidence(input, "why");
        QVERIFY2(why.startsWith("bf16 runs at 0.44x the speed of fp32: 60 casts between formats "
                                "add 4.00 ms; of its step 51 % is starting 8,100 operators; "),
            why.constData());
        QVERIFY2(why.contains("less than the casts cost (4.00 ms)"), why.constData());
        // 1.5 of 3.5 ms: without them 2.0.
        QVERIFY2(why.contains("in fp32 it is 43 %: were it free, a step would be 1.75x as fast"),
            why.constData());
        QCOMPARE(answer(input, "cast_share"), "found");
        QCOMPARE(answer(input, "launch_bound"), "found");
    }

    // CIFAR on a small network: nothing is wrong with the format, there is too little to do.
    void case67_theBatchIsTooSmall()
    {
        const auto input = inputWith(
            profileWith("bf16", {{K::Matrix, 0.1, 10}, {K::Cast, 0.1, 12}, {K::Optimizer, 0.1}}),
            profileWith("fp32", {{K::Matrix, 0.11, 10}, {K::Optimizer, 0.1}}));
        QCOMPARE(answer(input, "small_batch"), "found");
        QCOMPARE(answer(input, "matrix_rate"), "not_found");
        QVERIFY(find(input, "why").advice.find("larger batch") != std::string::npos);
    }

    // Before Volta: a gain is not to be had, whatever the share of anything.
    void case69_aDeviceWithoutTheFormat()
    {
        auto input = inputWith(profileWith("fp16", kPlainFp32), profileWith("fp32", kPlainFp32));
        input.run.environment["formats"]["fp16"]["class"] = "conversion";
        QCOMPARE(answer(input, "emulated"), "found");
        QCOMPARE(answer(input, "why"), "found");
        const auto why = evidence(input, "why");
        QVERIFY2(why.contains("75 % of it"), why.constData());
    }

    void case70_sizesThatMissTheMatrixUnits()
    {
        auto run = profileWith("fp16", kPlainFp32);
        run.matrices = {{"convolution", "fp16", {3, 64}, 1, 4}, {"mm", "fp16", {64, 64, 64}, 1, 6}};
        auto input = inputWith(run, profileWith("fp32", kPlainFp32));
        QCOMPARE(answer(input, "odd_sizes"), "found");
        QCOMPARE(evidence(input, "odd_sizes"), "40.0 % of the matrix work: convolution 3 x 64");
        QVERIFY(find(input, "odd_sizes").advice.find("channels_last") != std::string::npos);
    }

    void onAGpuAnIdleDeviceMeansLaunches()
    {
        auto run = profileWith("fp16", {{K::Matrix, 1.0, 100}, {K::Elementwise, 1.0, 300}});
        run.device = "cuda:0";
        run.stepMs = run.windowMs = 8; // kernels ran for 2 of 8 ms
        auto base = profileWith("fp32", {{K::Matrix, 2.0, 100}, {K::Elementwise, 1.0, 300}});
        base.device = "cuda:0";
        base.stepMs = base.windowMs = 8;
        const auto input = inputWith(run, base);
        QCOMPARE(answer(input, "launch_bound"), "found");
        QVERIFY2(evidence(input, "why").contains("75 % no kernel ran while 400 operators"),
            evidence(input, "why").constData());
    }

    void aBaselineInTf32IsNamed()
    {
        auto base = profileWith("tf32", kPlainFp32);
        base.tf32 = true;
        const auto input = inputWith(profileWith("bf16", kPlainFp32), base);
        QCOMPARE(answer(input, "baseline_tf32"), "found");
    }

    void workThatOnlyMovesDataIsNamed()
    {
        const auto input = inputWith(
            profileWith("bf16", {{K::Matrix, 3.0}, {K::Elementwise, 2.0}, {K::Reduction, 2.0}}),
            profileWith("fp32", {{K::Matrix, 3.0}, {K::Elementwise, 2.0}, {K::Reduction, 2.0}}));
        QCOMPARE(answer(input, "memory_bound"), "found");
        QVERIFY2(evidence(input, "why").contains("57 % is elementwise work"),
            evidence(input, "why").constData());
    }

    void throttlingIsToldFromItsEvents()
    {
        auto input = inputWith(profileWith("bf16", kPlainFp32), profileWith("fp32", kPlainFp32));
        input.events.push_back({"throttled", 40, 12.5, "power limit", {}});
        QCOMPARE(answer(input, "throttled"), "found");
        QVERIFY2(evidence(input, "throttled").contains("power limit"),
            evidence(input, "throttled").constData());
    }

    void aBusyMachineIsAdmitted()
    {
        auto run = profileWith("bf16", kPlainFp32);
        run.stepMs = 2 * run.windowMs;
        const auto input = inputWith(run, profileWith("fp32", kPlainFp32));
        QVERIFY2(evidence(input, "why").contains("repeat it"), evidence(input, "why").constData());
    }

    // What both formats do alike is no reason, however much of the step it takes.
    void onlyWhatGrewIsBlamed()
    {
        const auto input = inputWith(
            profileWith("bf16", {{K::Matrix, 2.0}, {K::Elementwise, 6.0}, {K::Cast, 1.5, 3}}),
            profileWith("fp32", {{K::Matrix, 3.0}, {K::Elementwise, 6.0}}));
        const auto why = evidence(input, "why");
        QVERIFY2(why.startsWith("bf16 runs at 0.95x the speed of fp32: 3 casts between formats "
                                "add 1.50 ms; of its step 63 % is elementwise work"),
            why.constData());
        QVERIFY2(!why.contains("elementwise work takes"), why.constData());
        QVERIFY2(why.contains("and saves 1.00 ms"), why.constData());
    }

    void timeBetweenOperatorsThatGrewIsNamed()
    {
        auto run = profileWith("bf16", {{K::Matrix, 3.0}});
        run.stepMs = run.windowMs = 5;
        auto base = profileWith("fp32", {{K::Matrix, 3.5}});
        base.stepMs = base.windowMs = 4;
        const auto input = inputWith(run, base);
        QVERIFY2(evidence(input, "why")
                     .contains("the work between operators takes 2.00 ms instead "
                               "of 0.50 ms"),
            evidence(input, "why").constData());
    }

    // The run was slow, the profile's steps were not: its causes are not the run's.
    void aProfileThatDisagreesWithTheRunSaysSo()
    {
        auto input = inputWith(
            profileWith("bf16", {{K::Matrix, 4.0}}), profileWith("fp32", {{K::Matrix, 6.0}}));
        auto twin = input.run;
        twin.precision = "fp32";
        twin.summary.stepsMeasured = input.run.summary.stepsMeasured = 200;
        twin.summary.samplesPerSecond = 1000;
        input.run.summary.samplesPerSecond = 800;
        input.fp32Twin = twin;
        QVERIFY2(evidence(input, "why").contains("the profile's own steps ran at 1.50x"),
            evidence(input, "why").constData());
        input.run.summary.samplesPerSecond = 1050;
        QVERIFY2(
            evidence(input, "why").contains("ran at 1.50x"), evidence(input, "why").constData());
    }

    void theNewestReadableProfileCounts()
    {
        auto input = inputWith(profileWith("bf16", kPlainFp32), profileWith("fp32", kPlainFp32));
        auto newer = input.events.back();
        newer.data["profile"]["step_ms"] = 123.0;
        input.events.push_back(newer);
        LifecycleEvent broken;
        broken.kind = kProfiledEvent;
        broken.data = {{"profile", "from another program"}};
        input.events.push_back(broken);
        QCOMPARE(profilesOf(input.events)->run.stepMs, 123.0);
    }

    void eventsAddedAfterTheEndAreStored()
    {
        const TempStore temp;
        const auto writer = writerOf(temp.file(), {Precision::Bf16});
        writer->onState(0, outcome(RunState::Finished));
        writer->flush();
        const auto store = RunStore::open(temp.file()).value();
        LifecycleEvent event;
        event.kind = kProfiledEvent;
        event.message = "profiled";
        event.data = {{"profile", toJson(profileWith("bf16", kPlainFp32))}};
        QVERIFY(store->addEvent(writer->runId(0), event).has_value());
        const auto profiles = profilesOf(store->events(writer->runId(0)).value());
        QVERIFY(profiles.has_value());
        QCOMPARE(profiles->run.rows.size(), std::size_t{2});
        const auto missing = store->addEvent(99, event);
        QVERIFY(!missing);
        QVERIFY(missing.error().message.find("99") != std::string::npos);
    }
};

MANTISSA_TEST(TestChecklistProfile)
#include "tst_checklist_profile.moc"
