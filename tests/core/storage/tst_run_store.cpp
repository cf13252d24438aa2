// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/run_store.h"

#include "core/run/series_info.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <random>
#include <thread>
#include <unistd.h>

using namespace mantissa;
using namespace mantissa::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::unique_ptr<RunStore> open(const TempStore& temp)
{
    return RunStore::open(temp.file()).value();
}

bool sameBits(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
}

std::int64_t number(const TempStore& temp, const std::string& sql)
{
    SQLite::Database db(temp.file().string(), SQLite::OPEN_READONLY, 1000);
    return db.execAndGet(sql).getInt64();
}

Points points(Axis axis, std::vector<double> x, const std::string& name, std::vector<double> y)
{
    return {axis, std::move(x), {{name, std::move(y)}}};
}

} // namespace

class TestRunStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyBitPatternComesBack()
    {
        const TempStore temp;
        std::mt19937_64 random(3);
        std::vector<double> values{0.0, -0.0, kInf, -kInf, std::nan(""), -std::nan(""), 5e-324,
            std::bit_cast<double>(std::uint64_t{0x7ff800000000abcd}),
            std::bit_cast<double>(std::uint64_t{0x7ff0000000000001})};
        while (values.size() < 10'000)
            values.push_back(std::bit_cast<double>(random()));
        std::vector<double> steps(values.size());
        std::size_t nonFinite = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            steps[i] = static_cast<double>(i + 1);
            nonFinite += !std::isfinite(values[i]);
        }
        {
            const auto writer = writerOf(temp.file());
            for (std::size_t from = 0; from < values.size(); from += 777) {
                const auto to = std::min(values.size(), from + 777);
                const std::vector<double> part(
                    values.begin() + long(from), values.begin() + long(to));
                writer->onEvent(0,
                    Samples{std::int64_t(from) + 1, std::int64_t(part.size()), {{"loss", part}}});
                writer->flush(); // each part is a commit of its own
            }
        }
        const auto store = open(temp);
        const auto slice = store->readSeries(1, "loss").value();
        QVERIFY(sameBits(slice.y, values));
        QVERIFY(slice.x == steps);
        const auto series = store->series(1).value();
        QCOMPARE(series.size(), std::size_t(1));
        QCOMPARE(series[0].count, values.size());
        QCOMPARE(series[0].nonFinite, nonFinite);
        QCOMPARE(number(temp, "SELECT count(*) FROM chunk"), 3);
        QCOMPARE(number(temp, "SELECT count(*) FROM chunk WHERE x IS NOT NULL"), 0);
        QCOMPARE(store->integrityCheck().value(), std::string("ok"));
    }

    void chunksTellTheirLowestHighestAndNonFinite()
    {
        const TempStore temp;
        {
            const auto writer = writerOf(temp.file());
            writer->onEvent(0, Samples{1, 5, {{"loss", {3, -2, std::nan(""), kInf, 7}}}});
            writer->onEvent(0, Samples{1, 2, {{"scale", {kInf, std::nan("")}}}});
        }
        const std::string chunk = " FROM chunk JOIN series s ON s.id = series_id WHERE s.name = ";
        QCOMPARE(number(temp, "SELECT min" + chunk + "'loss'"), -2);
        QCOMPARE(number(temp, "SELECT max" + chunk + "'loss'"), 7);
        QCOMPARE(number(temp, "SELECT non_finite" + chunk + "'loss'"), 2);
        QCOMPARE(number(temp, "SELECT min IS NULL AND max IS NULL" + chunk + "'scale'"), 1);
    }

    // The empty store's 80 KiB count, so the run must not be short.
    void takesAtMost8Point3BytesAPoint()
    {
        const TempStore temp;
        constexpr std::int64_t kSteps = 400'000;
        {
            const auto writer = writerOf(temp.file());
            for (std::int64_t step = 1; step <= kSteps; step += 5'000) {
                writer->onEvent(0, samples(step, 5'000));
                writer->flush();
            }
        }
        const auto points = open(temp)->series(1).value().size() * std::size_t(kSteps);
        const auto bytes = double(std::filesystem::file_size(temp.file())) / double(points);
        qInfo("%.3f bytes a point", bytes);
        QVERIFY(bytes <= 8.3);
    }

    void pointsKeepTheirOwnX()
    {
        const TempStore temp;
        {
            const auto writer = writerOf(temp.file());
            writer->onEvent(0, points(Axis::Step, {100, 200}, "metric", {0.5, 0.75}));
            writer->onEvent(0, points(Axis::Step, {250}, "metric", {0.8}));
            writer->onEvent(0, points(Axis::Time, {0.5, 1.5, 2.5}, "rss_bytes", {1e6, 2e6, 3e6}));
            writer->onEvent(0, points(Axis::Time, {std::nan("")}, "odd", {1}));
        }
        const auto store = open(temp);
        const auto metric = store->readSeries(1, "metric").value();
        QVERIFY((metric.x == std::vector<double>{100, 200, 250}));
        QVERIFY((metric.y == std::vector<double>{0.5, 0.75, 0.8}));
        QVERIFY(
            (store->readSeries(1, "rss_bytes").value().x == std::vector<double>{0.5, 1.5, 2.5}));
        QVERIFY(std::isnan(store->readSeries(1, "odd").value().x.at(0)));
        QVERIFY(store->readSeries(1, "none").value().x.empty());
        const auto allSeries = store->series(1).value();
        for (const auto& series : allSeries)
            QCOMPARE(series.axis, series.name == "metric" ? Axis::Step : Axis::Time);
        for (const auto& series : allSeries)
            QCOMPARE(series.unit, std::string(series.name == "rss_bytes" ? "bytes" : ""));
    }

    void aGapInTheStepsIsKept()
    {
        const TempStore temp;
        {
            const auto writer = writerOf(temp.file());
            writer->onEvent(0, Samples{1, 2, {{"loss", {1, 2}}}});
            writer->onEvent(0, Samples{10, 2, {{"loss", {3, 4}}}});
        }
        const auto slice = open(temp)->readSeries(1, "loss").value();
        QVERIFY((slice.x == std::vector<double>{1, 2, 10, 11}));
    }

    void aRunsRowFollowsItsEvents()
    {
        const TempStore temp;
        const auto writer = writerOf(temp.file(), {Precision::Fp32, Precision::Fp16});
        const auto store = open(temp);
        auto run = store->run(writer->runId(1)).value();
        QVERIFY(run.state == RunState::Queued);
        QCOMPARE(run.precision, std::string("fp16"));
        QCOMPARE(run.experiment, std::string("t"));
        QCOMPARE(run.startedMs, 0);

        writer->onEvent(1, Hello{1, "w", "1.2", 7, 0, 1, {{"torch", "2.11.0"}, {"a", 1}}});
        writer->onEvent(1, Ready{{{"a", 2}, {"device", "cpu"}}, 40});
        writer->onState(1, outcome(RunState::Running));
        writer->onEvent(1, samples(1, 25));
        LifecycleEvent facts;
        facts.kind = event_kind::kFirstStepFacts;
        facts.data = {{"loss_dtype", "float32"}};
        writer->onEvent(1, facts);
        writer->flush();
        run = store->run(writer->runId(1)).value();
        QVERIFY(run.state == RunState::Running);
        QVERIFY(run.startedMs >= run.createdMs && run.endedMs == 0);
        QCOMPARE(run.stepsAttempted, 25);
        QCOMPARE(run.stepsSkipped, 2); // steps 10 and 20, see samples()
        QCOMPARE(run.stepsApplied, 23);
        QVERIFY(run.environment["torch"] == "2.11.0");
        QVERIFY(run.environment["a"] == 2);
        QVERIFY(run.environment["first_step_facts"]["loss_dtype"] == "float32");

        auto end = outcome(RunState::Stopped, "time limit");
        end.stepsAttempted = 25;
        end.stepsApplied = 22;
        end.stepsSkipped = 3;
        writer->onState(1, end);
        writer->flush();
        run = store->run(writer->runId(1)).value();
        QVERIFY(run.state == RunState::Stopped);
        QCOMPARE(run.reason, std::string("time limit"));
        QCOMPARE(run.stepsSkipped, 3);
        QVERIFY(run.endedMs >= run.startedMs);
        QCOMPARE(*run.summary.finalLoss, 1.0 / 25);
        QCOMPARE(run.summary.stepsMeasured, 15);
    }

    void eventsComeBackInOrder()
    {
        const TempStore temp;
        std::vector<LifecycleEvent> written;
        for (int i = 0; i < 50; ++i) {
            LifecycleEvent event;
            event.kind = i % 2 ? event_kind::kStepSkipped : event_kind::kWarning;
            if (i % 3)
                event.step = i;
            event.timeS = 0.25 * i;
            event.message = "größer <b>\"quoted\"</b>";
            event.data = {{"scale", 65536.0}, {"i", i}};
            written.push_back(event);
        }
        {
            const auto writer = writerOf(temp.file());
            for (const auto& event : written)
                writer->onEvent(0, event);
        }
        QVERIFY(open(temp)->events(1).value() == written);
    }

    void textThatIsNotUtf8DoesNotStopTheStore()
    {
        const TempStore temp;
        {
            const auto writer = writerOf(temp.file());
            LifecycleEvent event;
            event.kind = event_kind::kHostNote;
            event.message = "\xff\xfe";
            event.data = {{"line", "\xc3\x28"}};
            writer->onEvent(0, event);
            writer->flush();
            QCOMPARE(writer->storeError(), std::string());
        }
        QCOMPARE(open(temp)->events(1).value().size(), std::size_t(1));
    }

    void listsFilterAndComeNewestFirst()
    {
        const TempStore temp;
        const auto first = storeFinishedRun(temp.file());
        const auto second = storeFinishedRun(temp.file());
        const auto writer = writerOf(temp.file(), {Precision::Bf16, Precision::Fp16});
        const auto store = open(temp);
        QCOMPARE(store->runs().value().size(), std::size_t(4));
        QCOMPARE(store->runs().value().front().id, writer->runId(1));
        RunFilter filter;
        filter.state = RunState::Finished;
        QCOMPARE(store->runs(filter).value().size(), std::size_t(2));
        QCOMPARE(store->runs(filter).value().front().id, second);
        filter.limit = 1;
        filter.details = false;
        QCOMPARE(store->runs(filter).value().size(), std::size_t(1));
        QVERIFY(store->runs(filter).value().front().config.is_null());
        QVERIFY(store->runs().value().front().config.is_object());
        filter = {};
        filter.experiment = "other";
        QVERIFY(store->runs(filter).value().empty());
        QVERIFY(store->setArchived(first, true).has_value());
        QCOMPARE(store->runs().value().size(), std::size_t(3));
        filter = {};
        filter.archived = true;
        QCOMPARE(store->runs(filter).value().size(), std::size_t(4));
        const auto comparisons = store->comparisons().value();
        QCOMPARE(comparisons.size(), std::size_t(3));
        QVERIFY((comparisons.front().runs
            == std::vector<std::int64_t>{writer->runId(0), writer->runId(1)}));
        QCOMPARE(store->comparison(1).value().experiment, std::string("t"));
    }

    void notesTagsAndRemovalAreKept()
    {
        const TempStore temp;
        const auto run = storeFinishedRun(temp.file());
        const auto other = storeFinishedRun(temp.file());
        const auto store = open(temp);
        QVERIFY(store->setNote(run, "looks 'odd'; DROP TABLE run").has_value());
        QVERIFY(store->setTags(run, {"a b", "ü"}).has_value());
        QCOMPARE(store->run(run).value().note, std::string("looks 'odd'; DROP TABLE run"));
        QVERIFY((store->run(run).value().tags == std::vector<std::string>{"a b", "ü"}));
        QVERIFY(!store->setNote(99, "x").has_value());

        QVERIFY(store->removeRun(run).has_value());
        QVERIFY(!store->run(run).has_value());
        QVERIFY(!store->comparison(1).has_value());
        QVERIFY(!store->removeRun(run).has_value());
        QCOMPARE(
            number(temp, "SELECT count(*) FROM chunk c JOIN series s ON s.id = c.series_id"), 3);
        QCOMPARE(number(temp, "SELECT count(*) FROM chunk"), 3);
        QCOMPARE(store->readSeries(other, "loss").value().y.size(), std::size_t(20));
    }

    void aRunningRunIsNotRemoved()
    {
        const TempStore temp;
        const auto writer = writerOf(temp.file());
        writer->onState(0, outcome(RunState::Running));
        writer->flush();
        const auto store = open(temp);
        const auto removed = store->removeRun(writer->runId(0));
        QVERIFY(!removed.has_value());
        QVERIFY(QString::fromStdString(removed.error().message).contains(QLatin1String("running")));
        QCOMPARE(store->runs().value().size(), std::size_t(1));
    }

    void theDataVersionGrowsWithEveryChange()
    {
        const TempStore temp;
        const auto run = storeFinishedRun(temp.file());
        const auto reader = open(temp);
        const auto other = open(temp);
        const auto before = reader->dataVersion().value();
        QCOMPARE(reader->dataVersion().value(), before);
        QVERIFY(other->setNote(run, "by another").has_value());
        const auto after = reader->dataVersion().value();
        QVERIFY(after > before);
        QVERIFY(reader->setNote(run, "by itself").has_value());
        QVERIFY(reader->dataVersion().value() > after);
    }

    void aRunOfADeadProcessIsInterrupted()
    {
        const TempStore temp;
        const int pid = inChild([&] {
            // Left as a kill leaves it: nothing is closed.
            auto* writer = writerOf(temp.file(), {Precision::Fp32, Precision::Bf16}).release();
            writer->onState(0, outcome(RunState::Running));
            writer->onEvent(0, samples(1, 30));
            writer->flush();
            return 0;
        });
        QCOMPARE(waitForChild(pid), 0);
        const auto living = writerOf(temp.file());
        const auto store = open(temp);
        for (const auto id : {1, 2}) {
            const auto run = store->run(id).value();
            QVERIFY(run.state == RunState::Interrupted);
            QVERIFY(!run.reason.empty() && run.endedMs > 0);
        }
        QCOMPARE(store->readSeries(1, "loss").value().y.size(), std::size_t(30));
        QVERIFY(store->run(living->runId(0)).value().state == RunState::Queued);
    }

    void aHostThatDiesIsSeenByAnOpenStore()
    {
        const TempStore temp;
        std::array<int, 2> ready{};
        QCOMPARE(::pipe(ready.data()), 0);
        const int pid = inChild([&] {
            auto* writer = writerOf(temp.file()).release();
            writer->onState(0, outcome(RunState::Running));
            writer->flush();
            return ::write(ready[1], "x", 1) == 1 ? ::pause() : 1;
        });
        ::close(ready[1]); // else a child that dies early would leave read() waiting
        char byte = 0;
        QCOMPARE(::read(ready[0], &byte, 1), ssize_t(1));
        ::close(ready[0]);
        const auto store = open(temp);
        QVERIFY(store->run(1).value().state == RunState::Running);
        ::kill(pid, SIGKILL);
        QCOMPARE(waitForChild(pid), -1);
        QVERIFY(store->run(1).value().state == RunState::Interrupted);
        RunFilter filter;
        filter.state = RunState::Interrupted;
        QCOMPARE(store->runs(filter).value().size(), std::size_t(1));
        QVERIFY(store->removeRun(1).has_value());
    }

    void aWriterThatGoesClosesItsRuns()
    {
        const TempStore temp;
        {
            const auto writer = writerOf(temp.file());
            writer->onState(0, outcome(RunState::Running));
            writer->onEvent(0, samples(1, 3));
        }
        const auto run = open(temp)->run(1).value();
        QVERIFY(run.state == RunState::Interrupted);
        QCOMPARE(run.stepsAttempted, 3);
    }

    void samplesComeIntoTheFileWithoutAFlush()
    {
        const TempStore temp;
        const auto writer = writerOf(temp.file());
        const auto store = open(temp);
        writer->onEvent(0, samples(1, 5));
        QTRY_COMPARE_WITH_TIMEOUT(
            store->readSeries(writer->runId(0), "loss").value().y.size(), std::size_t(5), 30'000);
    }

    void theHeartbeatGoesOnWithoutEvents()
    {
        const TempStore temp;
        const auto writer = writerOf(temp.file());
        const auto before = number(temp, "SELECT heartbeat_ms FROM run");
        QTRY_VERIFY_WITH_TIMEOUT(number(temp, "SELECT heartbeat_ms FROM run") > before, 5000);
    }
};

MANTISSA_TEST(TestRunStore)
#include "tst_run_store.moc"
