// SPDX-License-Identifier: GPL-3.0-or-later
// Alerts of whole comparisons: raised by the host from what any worker sends.
#include "tests/core/run/run_fixture.h"

#include "core/run/alert_source.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <set>

using namespace mantissa;
using namespace mantissa::test;

namespace {

/// Events of kind alert in the order they came, with the steps that samples had reached before.
std::vector<LifecycleEvent> alertsOf(const RecordingObserver& observer, int run)
{
    std::vector<LifecycleEvent> alerts;
    for (const auto& entry : observer.entries()) {
        const auto* event = std::get_if<LifecycleEvent>(&entry.event);
        if (!entry.isState && entry.run == run && event && event->kind == event_kind::kAlert)
            alerts.push_back(*event);
    }
    return alerts;
}

std::set<std::string> kindsOf(const std::vector<LifecycleEvent>& alerts)
{
    std::set<std::string> kinds;
    for (const auto& alert : alerts)
        kinds.insert(alert.data["alert"].get<std::string>());
    return kinds;
}

Samples steady(std::int64_t first, std::int64_t count, double perSecond, double peak)
{
    const auto n = static_cast<std::size_t>(count);
    return {first, count,
        {{"samples_per_second", std::vector<double>(n, perSecond)},
            {"step_ms", std::vector<double>(n, 20)},
            {"peak_memory_bytes", std::vector<double>(n, peak)}}};
}

} // namespace

class TestAlertSource : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void alertsFollowTheSamplesOfAnyWorker()
    {
        RunFixture fixture({"a"});
        fixture.argue({"--skip-every", "1"});
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        const auto alerts = alertsOf(fixture.observer, 0);
        const auto kinds = kindsOf(alerts);
        QVERIFY(kinds.contains("consecutive_skips") && kinds.contains("non_finite_loss")
            && kinds.contains("scale_below_one"));
        QCOMPARE(alerts.front().step.value_or(0), std::int64_t{1});
        for (const auto& entry : fixture.observer.entries()) {
            const auto* event = std::get_if<LifecycleEvent>(&entry.event);
            if (entry.isState || !event || event->kind != event_kind::kAlert)
                continue;
            // 65536 halved at each of 40 steps: the fifth skip at step 5, below 1 from step 18 on.
            if (event->data["alert"] == "consecutive_skips")
                QCOMPARE(event->step.value_or(0), std::int64_t{5});
            if (event->data["alert"] == "scale_below_one")
                QCOMPARE(event->step.value_or(0), std::int64_t{18});
            QVERIFY(event->timeS > 0);
        }
    }

    void aQuietComparisonRaisesNone()
    {
        RunFixture fixture;
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QVERIFY(alertsOf(fixture.observer, 0).empty() && alertsOf(fixture.observer, 1).empty());
    }

    void theyCanBeSwitchedOff()
    {
        RunFixture fixture({"a"});
        fixture.argue({"--skip-every", "1"});
        fixture.forAllSettings([](Settings& settings) { settings.watch.enabled = false; });
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QVERIFY(alertsOf(fixture.observer, 0).empty());
    }

    void aSmallGainIsToldBeforeTheEnd()
    {
        ExperimentConfig config;
        for (const auto precision : {Precision::Fp32, Precision::Bf16}) {
            Variant variant;
            variant.name = precision == Precision::Fp32 ? "base" : "low";
            variant.precision = precision;
            config.variants.push_back(variant);
        }
        const auto plan = planRuns(config);
        RecordingObserver observer;
        AlertSource source(plan, observer);
        LifecycleEvent block;
        block.kind = event_kind::kBlockStarted;
        block.step = 1;
        for (int run = 0; run < 2; ++run)
            source.onEvent(run, block);
        // The first 10 steps are warm-up: their speed counts for nothing, their memory does.
        source.onEvent(0, steady(1, 10, 1e6, 1000));
        source.onEvent(0, steady(11, 40, 100, 1000));
        source.onEvent(1, steady(1, 10, 1, 650));
        source.onEvent(1, steady(11, 40, 105, 600));
        source.onEvent(0, Finished{});
        source.onEvent(1, Finished{});
        QVERIFY(alertsOf(observer, 0).empty());
        const auto alerts = alertsOf(observer, 1);
        QCOMPARE(kindsOf(alerts), std::set<std::string>{"speed_gain"});
        QVERIFY(std::abs(alerts[0].data["evidence"]["percent"].get<double>() - 5) < 1e-9);
        QVERIFY(std::holds_alternative<Finished>(observer.entries().back().event));
    }

    /// Whichever of the two comes to the step first, fp32's value stands beside it.
    void aValidationThatIsNotFiniteIsAnAlertWithTheBaselinesValue_data()
    {
        QTest::addColumn<bool>("baselineFirst");
        QTest::newRow("fp32 first") << true;
        QTest::newRow("fp16 first") << false;
    }

    void aValidationThatIsNotFiniteIsAnAlertWithTheBaselinesValue()
    {
        QFETCH(bool, baselineFirst);
        ExperimentConfig config;
        for (const auto precision : {Precision::Fp16, Precision::Fp32}) {
            Variant variant;
            variant.name = precision == Precision::Fp32 ? "base" : "low";
            variant.precision = precision;
            config.variants.push_back(variant);
        }
        config.settings.run.repeat = 2;
        const auto plan = planRuns(config);
        RecordingObserver observer;
        AlertSource source(plan, observer);
        const Points good{Axis::Step, {20},
            {{"metric", {0.925}}, {"validation_loss", {0.2}}, {"validation_non_finite", {0}}}};
        const Points bad{Axis::Step, {20},
            {{"metric", {0.0}}, {"validation_loss", {NAN}}, {"validation_non_finite", {4}}}};
        int low = 0;
        while (plan[static_cast<std::size_t>(low)].variant.name != "low"
            || plan[static_cast<std::size_t>(low)].repetition != 1)
            ++low;
        const int base = 1 - low % 2 + 2 * (low / 2);
        QCOMPARE(plan[static_cast<std::size_t>(base)].variant.name, std::string("base"));
        source.onEvent(low, Ready{{{"validation_rows", 5}}, 100});
        source.onEvent(low, Samples{1, 20, {{"time_s", std::vector<double>(20, 3)}}});
        source.onEvent(baselineFirst ? base : low, baselineFirst ? good : bad);
        source.onEvent(baselineFirst ? low : base, baselineFirst ? bad : good);
        const auto alerts = alertsOf(observer, low);
        QCOMPARE(alerts.size(), std::size_t{baselineFirst ? 1u : 2u});
        QVERIFY(alertsOf(observer, base).empty());
        for (const auto& alert : alerts) {
            QCOMPARE(alert.text("alert"), std::string(alert_kind::kNonFiniteValidation));
            QCOMPARE(alert.step.value_or(0), std::int64_t{20});
            QCOMPARE(alert.timeS, 3.0);
        }
        QVERIFY(alerts.front().text("text").find("4 of 5 rows") != std::string::npos);
        QVERIFY(alerts.back().text("text").find("base at the same step: accuracy 92.5 %")
            != std::string::npos);
    }

    void theEpochsLengthComesFromTheWorker()
    {
        ExperimentConfig config;
        config.variants.emplace_back();
        config.variants[0].precision = Precision::Fp16;
        const auto plan = planRuns(config);
        RecordingObserver observer;
        AlertSource source(plan, observer);
        source.onEvent(0, Ready{{{"steps_per_epoch", 8}}, 100});
        source.onEvent(0, Samples{1, 8, {{"found_inf", {0, 1, 0, 1, 0, 1, 0, 0}}}});
        QCOMPARE(kindsOf(alertsOf(observer, 0)), std::set<std::string>{"skips_per_epoch"});
        QCOMPARE(alertsOf(observer, 0)[0].step.value_or(0), std::int64_t{6});
    }
};

MANTISSA_TEST(TestAlertSource)
#include "tst_alert_source.moc"
