// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/run/run_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>

using namespace mantissa;
using namespace mantissa::test;

class TestController : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePlanIsVariantsTimesRepetitions()
    {
        RunFixture fixture;
        fixture.forAllSettings([](Settings& settings) {
            settings.run.repeat = 2;
            settings.run.seed = 7;
        });
        const auto plan = planRuns(fixture.config);
        QCOMPARE(plan.size(), std::size_t{4});
        const char* names[] = {"a", "b", "a", "b"};
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(plan[i].index, static_cast<int>(i));
            QCOMPARE(plan[i].variant.name, names[i]);
            QCOMPARE(plan[i].repetition, static_cast<int>(i / 2));
            QCOMPARE(plan[i].variant.settings.run.seed, std::uint64_t{7 + i / 2});
        }
    }

    void everySampleArrivesOnceWithItsValue()
    {
        RunFixture fixture;
        fixture.setSteps(1000);
        fixture.forAllSettings([](Settings& settings) { settings.run.repeat = 2; });
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        for (int run = 0; run < 4; ++run) {
            const auto outcome = fixture.outcome(run);
            QCOMPARE(toString(outcome.state), "finished");
            QCOMPARE(outcome.reason, "");
            QCOMPARE(outcome.stepsAttempted, std::int64_t{1000});
            QCOMPARE(outcome.stepsApplied, std::int64_t{1000});
            QCOMPARE(fixture.observer.lastStep(run), std::int64_t{1000});
            QVERIFY(fixture.samplesAreRight(run, run < 2 ? 1 : 2));
            QVERIFY((fixture.observer.states(run)
                == std::vector<RunState>{RunState::Running, RunState::Finished}));
            QVERIFY(fixture.observer.notes(run).empty());
        }
        QCOMPARE(fixture.observer.allEndedCalls(), 1);
        QVERIFY(fixture.controller->ended());
    }

    void sequentialRunsOneAfterTheOther()
    {
        RunFixture fixture;
        fixture.config.settings.run.schedule = RunSchedule::Sequential;
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(fixture.blocks(), "a1 b1");
        bool firstHasEnded = false;
        for (const auto& entry : fixture.observer.entries()) {
            if (entry.run == 1)
                QVERIFY(firstHasEnded);
            firstHasEnded =
                firstHasEnded || (entry.run == 0 && entry.isState && isEnd(entry.outcome.state));
        }
    }

    void interleavedGoesForwardThenReversed()
    {
        RunFixture fixture({"a", "b", "c"});
        fixture.config.settings.run.block = 10;
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(fixture.blocks(), "a1 b1 c1 c11 b11 a11 a21 b21 c21 c31 b31 a31");
        QVERIFY(onlyOneTrainedAtATime(fixture));
    }

    void aVariantThatEndsEarlyDropsOut()
    {
        RunFixture fixture;
        fixture.config.settings.run.block = 10;
        fixture.config.variants[0].settings.run.maxSteps = 15;
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(toString(fixture.outcome(0).state), "stopped");
        QCOMPARE(fixture.outcome(0).reason, "step limit");
        QCOMPARE(fixture.observer.lastStep(0), std::int64_t{15});
        QCOMPARE(fixture.observer.lastStep(1), std::int64_t{40});
        QCOMPARE(fixture.blocks(), "a1 b1 b11 a11 b21 b31");
    }

    void theTimeLimitEndsARunInsideItsBlock()
    {
        RunFixture fixture({"a"});
        fixture.setSteps(1'000'000);
        fixture.forAllSettings([](Settings& settings) { settings.run.maxSeconds = 0.1; });
        fixture.argue({"--step-us", "1000"});
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(toString(fixture.outcome(0).state), "stopped");
        QCOMPARE(fixture.outcome(0).reason, "time limit");
        QVERIFY(fixture.outcome(0).stepsAttempted >= 1);
        QVERIFY(fixture.outcome(0).stepsAttempted <= 100);
    }

    /// A worker that reaches its limit says block_done and then finished: no block in between.
    void theEndOfARunIsNoNewBlock()
    {
        RunFixture fixture;
        fixture.config.settings.run.schedule = RunSchedule::Sequential;
        fixture.argue({"--block-done-first", "1"});
        fixture.forAllSettings([](Settings& settings) { settings.run.maxSteps = 15; });
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(fixture.blocks(), "a1 b1");
        QCOMPARE(fixture.outcome(0).reason, "step limit");
    }

    /// It announces an end that does not come; it gets further blocks instead of waiting for ever.
    void aWorkerThatEndsItsBlocksShortGoesOn()
    {
        RunFixture fixture;
        fixture.config.settings.run.block = 10;
        fixture.setSteps(6);
        fixture.argue({"--short-blocks", "3"});
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(toString(fixture.outcome(0).state), "finished");
        QCOMPARE(toString(fixture.outcome(1).state), "finished");
        QCOMPARE(fixture.blocks(), "a1 b1 b4 a4");
    }

    void skippedStepsAreCounted()
    {
        RunFixture fixture({"a"});
        fixture.argue({"--skip-every", "10"});
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(fixture.outcome(0).stepsAttempted, std::int64_t{40});
        QCOMPARE(fixture.outcome(0).stepsSkipped, std::int64_t{4});
        QCOMPARE(fixture.outcome(0).stepsApplied, std::int64_t{36});
        QCOMPARE(fixture.observer.count(0, event_kind::kStepSkipped), std::size_t{4});
    }

    void pauseHoldsAllRunsAndResumeLetsThemGoOn_data()
    {
        QTest::addColumn<bool>("interleaved");
        QTest::newRow("sequential") << false;
        QTest::newRow("interleaved") << true;
    }

    void pauseHoldsAllRunsAndResumeLetsThemGoOn()
    {
        QFETCH(bool, interleaved);
        RunFixture fixture;
        fixture.config.settings.run.schedule =
            interleaved ? RunSchedule::Interleaved : RunSchedule::Sequential;
        fixture.setSteps(300);
        fixture.argue({"--step-us", "1000", "--batch", "1"});
        auto& controller = fixture.start();
        QVERIFY(fixture.awaitStep(0, 5));
        controller.pause();
        QVERIFY(fixture.awaitState(0, RunState::Paused));
        if (interleaved)
            QVERIFY(fixture.awaitState(1, RunState::Paused));
        const auto heldAt = fixture.observer.lastStep(0) + fixture.observer.lastStep(1);
        // Two heartbeats later still nobody has trained.
        const auto beats = heartbeats(fixture);
        QVERIFY(await([&] { return heartbeats(fixture) >= beats + 4; }));
        QCOMPARE(fixture.observer.lastStep(0) + fixture.observer.lastStep(1), heldAt);
        controller.resume();
        QVERIFY(fixture.waitUntilEnded());
        for (int run = 0; run < 2; ++run) {
            QCOMPARE(toString(fixture.outcome(run).state), "finished");
            QVERIFY(fixture.samplesAreRight(run));
            QCOMPARE(fixture.observer.lastStep(run), std::int64_t{300});
        }
    }

    void pauseIsAcknowledgedAtOnceAlsoInALongStep()
    {
        RunFixture fixture({"a"});
        fixture.setSteps(3);
        fixture.argue({"--step-us", "500000", "--batch", "1"});
        auto& controller = fixture.start();
        QVERIFY(fixture.awaitStep(0, 1));
        const auto asked = RecordingObserver::Clock::now();
        controller.pause();
        QVERIFY(await([&] { return acknowledged(fixture, "pause").has_value(); }));
        QVERIFY(*acknowledged(fixture, "pause") - asked < std::chrono::milliseconds(200));
        QVERIFY(fixture.awaitState(0, RunState::Paused));
    }

    void pauseBeforeTheFirstStepHolds()
    {
        RunFixture fixture;
        fixture.argue({"--load-ms", "300"});
        auto& controller = fixture.start();
        QVERIFY(fixture.awaitState(0, RunState::Running));
        controller.pause();
        QVERIFY(fixture.awaitState(0, RunState::Paused));
        const auto beats = heartbeats(fixture);
        QVERIFY(await([&] { return heartbeats(fixture) >= beats + 4; }));
        QVERIFY(fixture.blocks().empty());
        controller.resume();
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(toString(fixture.outcome(0).state), "finished");
        QCOMPARE(toString(fixture.outcome(1).state), "finished");
    }

    void stopEndsEveryRunAfterItsStep()
    {
        RunFixture fixture({"a", "b", "c"});
        fixture.forAllSettings([](Settings& settings) { settings.run.repeat = 2; });
        fixture.setSteps(1'000'000);
        fixture.argue({"--step-us", "500"});
        auto& controller = fixture.start();
        QVERIFY(fixture.awaitStep(0, 30));
        controller.stop();
        QVERIFY(fixture.waitUntilEnded());
        for (int run = 0; run < 6; ++run) {
            QCOMPARE(toString(fixture.outcome(run).state), "stopped");
            QCOMPARE(fixture.outcome(run).reason, "user");
            QVERIFY(fixture.samplesAreRight(run));
            QCOMPARE(fixture.outcome(run).stepsAttempted, fixture.observer.lastStep(run));
        }
        QVERIFY((fixture.observer.states(3) == std::vector<RunState>{RunState::Stopped}));
    }

    void stopEndsAPausedRun()
    {
        RunFixture fixture;
        fixture.setSteps(1'000'000);
        fixture.argue({"--step-us", "500"});
        auto& controller = fixture.start();
        QVERIFY(fixture.awaitStep(0, 1));
        controller.pause();
        QVERIFY(fixture.awaitState(0, RunState::Paused));
        controller.stop("quota");
        QVERIFY(fixture.waitUntilEnded());
        QCOMPARE(toString(fixture.outcome(0).state), "stopped");
        QCOMPARE(fixture.outcome(0).reason, "quota");
        QCOMPARE(toString(fixture.outcome(1).state), "stopped");
    }

    void theSecondStopKills()
    {
        RunFixture fixture({"a"});
        fixture.setSteps(10);
        fixture.argue({"--step-us", "60000000", "--batch", "1"}); // a step of a minute
        auto& controller = fixture.start();
        QVERIFY(await([&] { return fixture.observer.has(0, "fake_block"); }));
        controller.stop();
        QVERIFY(await([&] { return acknowledged(fixture, "stop").has_value(); }));
        QVERIFY(!controller.ended());
        controller.stop();
        QVERIFY(controller.waitUntilEnded(std::chrono::seconds(5)));
        QCOMPARE(toString(fixture.outcome(0).state), "killed");
        QCOMPARE(fixture.outcome(0).reason,
            "user: stopped at once while stopping; the worker was killed by signal 15 (SIGTERM)");
    }

    void aLiveSettingReachesItsRun()
    {
        RunFixture fixture;
        fixture.setSteps(200);
        fixture.argue({"--step-us", "1000"});
        auto& controller = fixture.start();
        controller.set(1, "growth_interval", 5); // before its worker is there: kept
        controller.set(99, "growth_interval", 5);
        QVERIFY(fixture.awaitStep(0, 1));
        QVERIFY(await([&] { return acknowledged(fixture, "set", 1).has_value(); }));
        QVERIFY(!acknowledged(fixture, "set", 0).has_value());
        controller.set(0, {{"scale", 1024}, {"min_scale", nullptr}});
        QVERIFY(await([&] { return acknowledged(fixture, "set", 0).has_value(); }));
        QVERIFY(fixture.waitUntilEnded());
    }

    void theDestructorEndsEverything()
    {
        RunFixture fixture;
        fixture.setSteps(1'000'000);
        fixture.argue({"--step-us", "500"});
        fixture.start();
        QVERIFY(fixture.awaitStep(0, 1));
        fixture.controller.reset();
        QCOMPARE(fixture.observer.allEndedCalls(), 1);
        QVERIFY(isEnd(fixture.observer.states(0).back()));
        QVERIFY(isEnd(fixture.observer.states(1).back()));
    }

    void oneThatWasNeverStartedGoesQuietly()
    {
        RunFixture fixture;
        fixture.controller =
            std::make_unique<ExperimentController>(fixture.config, fixture.options);
        fixture.controller->addObserver(fixture.observer);
        QCOMPARE(fixture.controller->plan().size(), std::size_t{2});
        QVERIFY(!fixture.controller->waitUntilEnded(std::chrono::milliseconds(1)));
        fixture.controller.reset();
        QVERIFY(fixture.observer.entries().empty());
    }

private:
    static std::size_t heartbeats(const RunFixture& fixture)
    {
        const auto entries = fixture.observer.entries();
        return static_cast<std::size_t>(
            std::count_if(entries.begin(), entries.end(), [](const auto& entry) {
                return !entry.isState && std::holds_alternative<Heartbeat>(entry.event);
            }));
    }

    static std::optional<RecordingObserver::Clock::time_point> acknowledged(
        const RunFixture& fixture, const std::string& command, int run = 0)
    {
        for (const auto& entry : fixture.observer.entries()) {
            const auto* event = std::get_if<Acknowledged>(&entry.event);
            if (!entry.isState && entry.run == run && event && event->command == command)
                return entry.when;
        }
        return std::nullopt;
    }

    /// Every sample comes from the run that has the block.
    static bool onlyOneTrainedAtATime(const RunFixture& fixture)
    {
        int turn = -1;
        for (const auto& entry : fixture.observer.entries()) {
            if (entry.isState)
                continue;
            const auto* event = std::get_if<LifecycleEvent>(&entry.event);
            if (event && event->kind == event_kind::kBlockStarted)
                turn = entry.run;
            if (std::holds_alternative<Samples>(entry.event) && entry.run != turn)
                return false;
        }
        return true;
    }
};

MANTISSA_TEST(TestController)
#include "tst_controller.moc"
