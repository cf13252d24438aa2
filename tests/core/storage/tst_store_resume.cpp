// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"
#include "core/run/checkpoint_files.h"
#include "core/run/series_info.h"
#include "core/storage/resume_plan.h"
#include "core/weights/safetensors.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>
#include <cmath>
#include <fstream>
#include <unistd.h>

using namespace mantissa;
using namespace mantissa::test;
namespace fs = std::filesystem;

namespace {

/// A run's points from `first` to `last`, as a worker sends them: steps, validation every 50 steps,
/// memory against time (a step takes 0.5 s), a block of 20 steps.
void send(StoreWriter& writer, std::int64_t first, std::int64_t last)
{
    for (auto step = first; step <= last; ++step) {
        const auto time = static_cast<double>(step) / 2;
        if (step % 20 == 1)
            writer.onEvent(0,
                LifecycleEvent{std::string(event_kind::kBlockStarted), step, time - 0.4, "", {}});
        writer.onEvent(0, samples(step, 1));
        if (step % 10 == 0)
            writer.onEvent(
                0, LifecycleEvent{std::string(event_kind::kStepSkipped), step, time, "", {}});
        if (step % 50 == 0)
            writer.onEvent(0,
                Points{Axis::Step, {static_cast<double>(step)},
                    {{std::string(series::kMetric), {1 - 1.0 / static_cast<double>(step)}}}});
        writer.onEvent(
            0, Points{Axis::Time, {time}, {{"rss_bytes", {static_cast<double>(step) * 1000}}}});
    }
}

RunOutcome after(RunState state, std::int64_t steps, const std::string& reason = {})
{
    auto result = outcome(state, reason);
    result.stepsAttempted = steps;
    result.stepsSkipped = steps / 10;
    result.stepsApplied = steps - steps / 10;
    return result;
}

ResumePoint pointAt(std::int64_t step)
{
    ResumePoint point;
    point.step = step;
    point.stepsSkipped = step / 10;
    point.stepsApplied = step - step / 10;
    point.timeS = static_cast<double>(step) / 2;
    return point;
}

/// A checkpoint of a run with nothing but its state in it.
void writeCheckpoint(const fs::path& folder, std::int64_t step, const Variant& variant,
    const std::string& version = kCheckpointVersion)
{
    const auto point = pointAt(step);
    const nlohmann::json state{{"step", point.step}, {"steps_applied", point.stepsApplied},
        {"steps_skipped", point.stepsSkipped}, {"time_s", point.timeS},
        {"variant", variantToJson(variant)}};
    SafetensorsOptions options;
    options.checksum = true;
    options.metadata = {{checkpoint_key::kFormat, checkpoint_key::kFormatName},
        {checkpoint_key::kVersion, version}, {checkpoint_key::kState, state.dump()}};
    QVERIFY(writeSafetensors(checkpointFile(folder, step), {}, options));
}

/// Stores a run of `steps` steps that was killed then; its id.
std::int64_t storeKilledRun(const fs::path& file, std::int64_t steps)
{
    const auto writer = writerOf(file);
    writer->onState(0, outcome(RunState::Running));
    send(*writer, 1, steps);
    writer->onState(0, after(RunState::Killed, steps, "signal 9"));
    return writer->runId(0);
}

PlannedRun planAt(std::int64_t step)
{
    auto plan = planOf(experiment({Precision::Fp32})).front();
    plan.resume = pointAt(step);
    return plan;
}

std::vector<LifecycleEvent> eventsOf(const RunStore& store, std::int64_t run)
{
    auto events = store.events(run).value();
    std::erase_if(events, [](const auto& e) { return e.kind == event_kind::kHostNote; });
    return events;
}

} // namespace

class TestStoreResume : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goesOnWithoutGapAndTwice_data()
    {
        QTest::addColumn<int>("killedAt");
        QTest::addColumn<int>("checkpoint");
        QTest::newRow("within the first chunk") << 130 << 100;
        QTest::newRow("at the end of what is stored") << 100 << 100;
        QTest::newRow("one chunk back") << 4200 << 4000;
        QTest::newRow("at the end of a chunk") << 4200 << 4096;
        QTest::newRow("in the second chunk") << 4300 << 4150;
        QTest::newRow("at the very start") << 30 << 1;
    }
    void goesOnWithoutGapAndTwice()
    {
        QFETCH(int, killedAt);
        QFETCH(int, checkpoint);
        const auto end = killedAt + 40;
        const TempStore temp;
        const auto run = storeKilledRun(temp.file(), killedAt);
        {
            const auto writer = StoreWriter::resume(temp.file(), run, planAt(checkpoint));
            QVERIFY2(writer, writer ? "" : writer.error().message.c_str());
            QCOMPARE((*writer)->runId(0), run);
            (*writer)->onState(0, after(RunState::Running, checkpoint));
            send(**writer, checkpoint + 1, end);
            (*writer)->onState(0, after(RunState::Finished, end));
        }
        const TempStore other;
        std::int64_t whole = 0;
        {
            const auto writer = writerOf(other.file());
            writer->onState(0, outcome(RunState::Running));
            send(*writer, 1, end);
            writer->onState(0, after(RunState::Finished, end));
            whole = writer->runId(0);
        }
        compare(*RunStore::open(temp.file()).value(), run, *RunStore::open(other.file()).value(),
            whole);
    }

    void theStoreIsWholeRightAfterTheCut()
    {
        const TempStore temp;
        const auto run = storeKilledRun(temp.file(), 130);
        const auto writer = StoreWriter::resume(temp.file(), run, planAt(100));
        QVERIFY(writer);
        // Before anything else is written: a crash now loses nothing.
        const auto store = RunStore::open(temp.file(), RunStore::Mode::ReadOnly).value();
        QCOMPARE(store->readSeries(run, "loss").value().y.size(), std::size_t{100});
        QCOMPARE(store->readSeries(run, "rss_bytes").value().y.size(), std::size_t{100});
        const auto record = store->run(run).value();
        QCOMPARE(toString(record.state), "queued");
        QCOMPARE(record.stepsAttempted, std::int64_t{100});
        QCOMPARE(record.stepsSkipped, std::int64_t{10});
        const auto events = store->events(run).value();
        QVERIFY(QString::fromStdString(events.back().message).contains("signal 9"));
    }

    void aRunIsResumedByOneProgramOnly()
    {
        const TempStore temp;
        const auto run = storeKilledRun(temp.file(), 30);
        const auto first = StoreWriter::resume(temp.file(), run, planAt(20));
        QVERIFY(first);
        const auto second = StoreWriter::resume(temp.file(), run, planAt(20));
        QVERIFY(!second);
        QVERIFY(QString::fromStdString(second.error().message).contains("it is on"));
    }

    void aFinishedRunIsNotResumed()
    {
        const TempStore temp;
        const auto run = storeFinishedRun(temp.file());
        QVERIFY(!StoreWriter::resume(temp.file(), run, planAt(10)));
        const auto store = RunStore::open(temp.file()).value();
        const auto plan = planResume(*store, run);
        QVERIFY(!plan);
        QVERIFY(
            QString::fromStdString(plan.error().message).contains("finished; allowed: stopped"));
    }

    /// Case 44: without its state a scaler would silently begin anew.
    void case44_aRunWithoutCheckpointIsRefused()
    {
        const TempStore temp;
        const auto run = storeKilledRun(temp.file(), 30);
        const auto store = RunStore::open(temp.file()).value();
        const auto plan = planResume(*store, run);
        QVERIFY(!plan);
        QVERIFY2(QString::fromStdString(plan.error().message).contains("no whole checkpoint"),
            plan.error().message.c_str());
    }

    void takesTheNewestWholeCheckpointThatTheSeriesReach()
    {
        const TempStore temp;
        const auto run = storeKilledRun(temp.file(), 30);
        const auto store = RunStore::open(temp.file()).value();
        const auto folder = checkpointFolder(temp.file(), run);
        const auto variant = experiment({Precision::Fp32}).variants.front();
        writeCheckpoint(folder, 9, variant);
        writeCheckpoint(folder, 20, variant);
        QCOMPARE(planResume(*store, run).value().run.resume->step, std::int64_t{20});
        // Beyond what is stored: there would be a gap.
        writeCheckpoint(folder, 40, variant);
        QCOMPARE(planResume(*store, run).value().run.resume->step, std::int64_t{20});
        fs::resize_file(checkpointFile(folder, 20), 100);
        QCOMPARE(planResume(*store, run).value().run.resume->step, std::int64_t{9});
        fs::remove(checkpointFile(folder, 9));
        QCOMPARE(planResume(*store, run).value().run.resume->step, std::int64_t{40});
    }

    void saysWhatIsWrongWithACheckpoint()
    {
        const TempStore temp;
        const auto variant = experiment({Precision::Fp32}).variants.front();
        const auto contains = [](const Result<ResumePoint>& point, const char* text) {
            return !point && QString::fromStdString(point.error().message).contains(text);
        };
        const auto file = checkpointFile(temp.folder(), 7);
        QVERIFY(contains(readResumePoint(file), "No such file"));
        writeCheckpoint(temp.folder(), 7, variant, "2");
        QVERIFY(contains(readResumePoint(file), "version 2; this program reads version 1"));
        writeCheckpoint(temp.folder(), 7, variant);
        QCOMPARE(readResumePoint(file).value().stepsApplied, std::int64_t{7});
        {
            std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekp(-20, std::ios::end);
            stream.put('#');
        }
        QVERIFY(!readResumePoint(file));
        QVERIFY(writeSafetensors(file, {}));
        QVERIFY(contains(readResumePoint(file), "no checkpoint of a run"));
    }

    void keepsTheLastTwoCheckpointsThatTheSeriesReach()
    {
        const TempStore temp;
        const auto variant = experiment({Precision::Fp32}).variants.front();
        const auto steps = [&] {
            std::vector<std::int64_t> found;
            for (const auto& file : checkpointsIn(temp.folder()))
                found.push_back(readResumePoint(file).value().step);
            return found;
        };
        for (const std::int64_t step : {5, 900, 1000, 70, 30})
            writeCheckpoint(temp.folder(), step, variant);
        std::ofstream(temp.folder() / "step-x.ckpt") << "not ours";
        removeOldCheckpoints(temp.folder(), 69);
        QVERIFY((steps() == std::vector<std::int64_t>{1000, 900, 70, 30, 5}));
        removeOldCheckpoints(temp.folder(), 70);
        QVERIFY((steps() == std::vector<std::int64_t>{1000, 900, 70, 30}));
        removeLaterCheckpoints(temp.folder(), 900);
        QVERIFY((steps() == std::vector<std::int64_t>{900, 70, 30}));
        removeOldCheckpoints(temp.folder(), 2000);
        QVERIFY((steps() == std::vector<std::int64_t>{900, 70}));
        QVERIFY(fs::exists(temp.folder() / "step-x.ckpt"));
    }

    /// The worker is ahead of the store: what it has written after the last stored step goes only
    /// once that step is stored.
    void checkpointsAreRemovedAsTheSeriesReachThem()
    {
        const TempStore temp;
        const auto variant = experiment({Precision::Fp32}).variants.front();
        const auto writer = writerOf(temp.file());
        const auto folder = writer->checkpointFolder(0);
        writer->onState(0, outcome(RunState::Running));
        for (const std::int64_t step : {10, 20, 30, 40})
            writeCheckpoint(folder, step, variant);
        send(*writer, 1, 30);
        writer->onEvent(0,
            LifecycleEvent{std::string(event_kind::kCheckpoint), 30, 15, "",
                {{"step", 30}, {"path", checkpointFile(folder, 30).string()}}});
        writer->flush();
        const std::vector<fs::path> left{
            checkpointFile(folder, 40), checkpointFile(folder, 30), checkpointFile(folder, 20)};
        QVERIFY(checkpointsIn(folder) == left);
    }

    /// A checkpoint of the time before would be taken for one of the run that goes on.
    void checkpointsAfterTheResumePointGo()
    {
        const TempStore temp;
        const auto variant = experiment({Precision::Fp32}).variants.front();
        const auto run = storeKilledRun(temp.file(), 130);
        const auto folder = checkpointFolder(temp.file(), run);
        for (const std::int64_t step : {60, 80, 100, 120})
            writeCheckpoint(folder, step, variant);
        std::ofstream(folder / "step-140.ckpt.4711.part") << "killed in the middle";
        const auto writer = StoreWriter::resume(temp.file(), run, planAt(100));
        QVERIFY(writer);
        const std::vector<fs::path> left{checkpointFile(folder, 100), checkpointFile(folder, 80)};
        QVERIFY(checkpointsIn(folder) == left);
        QCOMPARE(std::distance(fs::directory_iterator(folder), {}), std::ptrdiff_t{2});
    }

    void aNewVariantBeginsAtTheCheckpoint()
    {
        const TempStore temp;
        const auto run = storeKilledRun(temp.file(), 30);
        auto variant = experiment({Precision::Fp16}).variants.front();
        writeCheckpoint(checkpointFolder(temp.file(), run), 20, variant);
        ScalerConfig scaler;
        scaler.growthInterval = 77;
        std::int64_t fork = 0;
        {
            const auto store = RunStore::open(temp.file()).value();
            const auto plan = planFromCheckpoint(*store, run, scaler, "quicker growth");
            QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
            QCOMPARE(plan->run.variant.name, "quicker growth");
            QCOMPARE(plan->run.variant.settings.scaler.growthInterval, std::int64_t{77});
            QVERIFY(plan->run.variant.precision == Precision::Fp16);
            QCOMPARE(plan->run.resume->step, std::int64_t{20});
            const auto writer = StoreWriter::create(temp.file(), plan->config, {plan->run});
            QVERIFY(writer);
            fork = (*writer)->runId(0);
            send(**writer, 21, 25);
            (*writer)->onState(0, after(RunState::Finished, 25));
        }
        const auto store = RunStore::open(temp.file()).value();
        QVERIFY(fork != run);
        QCOMPARE(store->run(fork).value().stepsAttempted, std::int64_t{25});
        QCOMPARE(store->readSeries(fork, "loss").value().x.front(), 21.0);
        QCOMPARE(store->run(run).value().stepsAttempted, std::int64_t{30});
        scaler.minScale = 10;
        scaler.maxScale = 1;
        QVERIFY(!planFromCheckpoint(*store, run, scaler, "impossible"));
    }

    void checkpointsGoWithTheirRun()
    {
        const TempStore temp;
        const auto run = storeKilledRun(temp.file(), 30);
        const auto folder = checkpointFolder(temp.file(), run);
        writeCheckpoint(folder, 20, experiment({Precision::Fp32}).variants.front());
        QVERIFY(RunStore::open(temp.file()).value()->removeRun(run));
        QVERIFY(!fs::exists(folder));
    }

private:
    static void compare(const RunStore& a, std::int64_t runA, const RunStore& b, std::int64_t runB)
    {
        const auto all = b.series(runB).value();
        QVERIFY(all.size() >= 4);
        for (const auto& one : all) {
            const auto got = a.readSeries(runA, one.name).value();
            const auto expected = b.readSeries(runB, one.name).value();
            QVERIFY2(got.x == expected.x, one.name.c_str());
            QVERIFY2(got.y == expected.y, one.name.c_str());
        }
        QVERIFY(eventsOf(a, runA) == eventsOf(b, runB));
        const auto got = a.run(runA).value();
        const auto expected = b.run(runB).value();
        QCOMPARE(toString(got.state), "finished");
        QCOMPARE(got.stepsAttempted, expected.stepsAttempted);
        QCOMPARE(got.stepsApplied, expected.stepsApplied);
        QCOMPARE(got.stepsSkipped, expected.stepsSkipped);
        QCOMPARE(got.summary.stepMs->median, expected.summary.stepMs->median);
        QCOMPARE(got.summary.stepsMeasured, expected.summary.stepsMeasured);
        QCOMPARE(got.summary.finalLoss, expected.summary.finalLoss);
        QCOMPARE(got.summary.finalMetric, expected.summary.finalMetric);
    }
};

MANTISSA_TEST(TestStoreResume)
#include "tst_store_resume.moc"
