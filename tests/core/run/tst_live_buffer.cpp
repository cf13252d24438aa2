// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/live_buffer.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <atomic>
#include <cmath>
#include <thread>

using namespace mantissa;

class TestLiveBuffer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readersGetOnlyWhatIsNew()
    {
        LiveBuffer buffer = twoRuns();
        buffer.onEvent(0, Samples{1, 3, {{"loss", {3, 2, 1}}, {"scale", {8, 8, 4}}}});
        buffer.onEvent(0, Samples{4, 1, {{"loss", {std::nan("")}}, {"scale", {4}}}});
        const auto slice = buffer.read(0, "loss", 2);
        QCOMPARE(slice.from, std::size_t{2});
        QVERIFY((slice.x == std::vector<double>{3, 4}));
        QCOMPARE(slice.y.size(), std::size_t{2});
        QCOMPARE(slice.y[0], 1.0);
        QVERIFY(std::isnan(slice.y[1]));
        QVERIFY(buffer.read(0, "loss", 4).x.empty());
        QVERIFY(buffer.read(1, "loss").x.empty());
        QVERIFY(buffer.read(0, "unheard of").x.empty());
        QVERIFY(buffer.read(7, "loss").x.empty());
        QVERIFY((buffer.seriesNames(0) == std::vector<std::string>{"loss", "scale"}));
    }

    void pointsKeepTheirOwnAxis()
    {
        LiveBuffer buffer = twoRuns();
        buffer.onEvent(1, Points{Axis::Step, {100, 200}, {{"metric", {0.5, 0.75}}}});
        buffer.onEvent(1, Points{Axis::Time, {1.5}, {{"rss_bytes", {4096}}}});
        QVERIFY((buffer.read(1, "metric").x == std::vector<double>{100, 200}));
        QVERIFY((buffer.read(1, "rss_bytes").x == std::vector<double>{1.5}));
    }

    void theStatusFollowsTheRun()
    {
        LiveBuffer buffer = twoRuns();
        QVERIFY(buffer.status(0).outcome.state == RunState::Queued);
        buffer.onState(0, outcome(RunState::Running));
        buffer.onEvent(0, Hello{1, "w", "1", 1, 0, 1, {{"torch", "2.11.0"}}});
        buffer.onEvent(0, Ready{{{"threads", 2}}, 500});
        buffer.onEvent(0, Heartbeat{0, "training"});
        buffer.onEvent(0, Samples{1, 2, {{"step_ms", {10, 30}}, {"found_inf", {0, 1}}}});
        auto status = buffer.status(0);
        QCOMPARE(status.totalSteps, std::int64_t{500});
        QCOMPARE(status.step, std::int64_t{2});
        QCOMPARE(status.activity, "training");
        QCOMPARE(status.trainSeconds, 0.04);
        QCOMPARE(status.outcome.stepsAttempted, std::int64_t{2});
        QCOMPARE(status.outcome.stepsSkipped, std::int64_t{1});
        QCOMPARE(status.outcome.stepsApplied, std::int64_t{1});
        QCOMPARE(status.environment.at("torch").get<std::string>(), "2.11.0");
        QCOMPARE(status.environment.at("threads").get<int>(), 2);
        buffer.onEvent(0, BlockDone{2, 0.5});
        QCOMPARE(buffer.status(0).trainSeconds, 0.5);
    }

    void anAcknowledgedCommandShowsUntilItIsInEffect()
    {
        LiveBuffer buffer = twoRuns();
        buffer.onState(0, outcome(RunState::Running));
        buffer.onEvent(0, Acknowledged{"run_block"});
        QCOMPARE(buffer.status(0).acknowledged, "");
        buffer.onEvent(0, Acknowledged{"pause"});
        QCOMPARE(buffer.status(0).acknowledged, "pause");
        buffer.onState(0, outcome(RunState::Paused));
        QCOMPARE(buffer.status(0).acknowledged, "");
        buffer.onEvent(0, Acknowledged{"stop"});
        QCOMPARE(buffer.status(0).acknowledged, "stop");
        buffer.onState(0, outcome(RunState::Stopped));
        QCOMPARE(buffer.status(0).acknowledged, "");
    }

    void everyChangeGrowsTheRevision()
    {
        LiveBuffer buffer = twoRuns();
        auto last = buffer.revision();
        const auto grew = [&] {
            return buffer.revision() > std::exchange(last, buffer.revision());
        };
        buffer.onEvent(0, Heartbeat{1, "idle"});
        QVERIFY(grew());
        buffer.onState(0, outcome(RunState::Running));
        QVERIFY(grew());
        QVERIFY(!buffer.ended());
        buffer.onAllEnded();
        QVERIFY(grew());
        QVERIFY(buffer.ended());
    }

    void eventsStayInOrder()
    {
        LiveBuffer buffer = twoRuns();
        for (int step = 1; step <= 5; ++step)
            buffer.onEvent(0, LifecycleEvent{"step_skipped", step, 0, "", {}});
        const auto events = buffer.events(0, 3);
        QCOMPARE(events.size(), std::size_t{2});
        QCOMPARE(*events[0].step, std::int64_t{4});
        QVERIFY(buffer.events(0, 5).empty());
        QVERIFY(buffer.events(0, 50).empty());
    }

    /// A reader that polls while samples arrive sees each exactly once and in order.
    void aReaderMayPollWhileTheRunIsOn()
    {
        LiveBuffer buffer = twoRuns();
        constexpr std::int64_t kSteps = 20000;
        std::thread writer([&] {
            for (std::int64_t step = 1; step <= kSteps; step += 4) {
                const auto value = static_cast<double>(step);
                buffer.onEvent(
                    0, Samples{step, 4, {{"loss", {value, value + 1, value + 2, value + 3}}}});
            }
            buffer.onAllEnded();
        });
        std::vector<double> seen;
        bool last = false;
        while (!last) {
            last = buffer.ended(); // before reading: nothing comes after it
            const auto slice = buffer.read(0, "loss", seen.size());
            seen.insert(seen.end(), slice.y.begin(), slice.y.end());
        }
        writer.join();
        QCOMPARE(seen.size(), static_cast<std::size_t>(kSteps));
        for (std::size_t i = 0; i < seen.size(); ++i)
            QCOMPARE(seen[i], static_cast<double>(i + 1));
    }

private:
    static LiveBuffer twoRuns() { return LiveBuffer(std::vector<PlannedRun>(2)); }

    static RunOutcome outcome(RunState state)
    {
        RunOutcome outcome;
        outcome.state = state;
        return outcome;
    }
};

MANTISSA_TEST(TestLiveBuffer)
#include "tst_live_buffer.moc"
