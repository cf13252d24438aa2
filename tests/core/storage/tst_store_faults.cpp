// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/run_store.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>
#include <future>
#include <sqlite3.h>

using namespace mantissa;
using namespace mantissa::test;

namespace {

bool contains(const std::string& text, const char* part)
{
    return QString::fromStdString(text).contains(QLatin1String(part));
}

std::size_t storedPoints(const TempStore& temp)
{
    std::size_t sum = 0;
    const auto store = RunStore::open(temp.file(), RunStore::Mode::ReadOnly).value();
    const auto all = store->series(1).value();
    for (const auto& series : all)
        sum += series.count;
    return sum;
}

/// Steps 1..n, each once and in order.
bool isWhole(const TempStore& temp, std::int64_t run, std::size_t steps)
{
    const auto store = RunStore::open(temp.file(), RunStore::Mode::ReadOnly).value();
    const auto slice = store->readSeries(run, "loss").value();
    for (std::size_t i = 0; i < slice.x.size(); ++i) {
        if (slice.x[i] != double(i + 1) || slice.y[i] != 1.0 / double(i + 1))
            return false;
    }
    return slice.x.size() == steps;
}

} // namespace

class TestStoreFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aDiskThatCannotBeWrittenIsToldCountedAndTriedAgain_data()
    {
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("words");
        QTest::newRow("full") << SQLITE_FULL << "the disk is full";
        QTest::newRow("read-only") << SQLITE_READONLY << "may not be written";
        QTest::newRow("broken") << SQLITE_IOERR_WRITE << "the disk reports an error";
    }

    void aDiskThatCannotBeWrittenIsToldCountedAndTriedAgain()
    {
        QFETCH(int, code);
        QFETCH(QString, words);
        FaultVfs disk;
        const TempStore temp;
        const auto writer = writerOf(temp.file());
        writer->onState(0, outcome(RunState::Running));
        writer->onEvent(0, samples(1, 100));
        writer->flush();
        QCOMPARE(writer->lostPoints(), std::size_t(0));
        QCOMPARE(writer->storeError(), std::string());

        disk.failWritesWith(code);
        writer->onEvent(0, samples(101, 5000));
        writer->flush();
        QVERIFY(disk.refused() > 0);
        QVERIFY2(contains(writer->storeError(), qPrintable(words)), writer->storeError().c_str());
        QVERIFY(contains(writer->storeError(), temp.file().c_str()));
        QCOMPARE(writer->lostPoints(), std::size_t(3 * 5000));
        QCOMPARE(storedPoints(temp), std::size_t(3 * 100));

        disk.failWritesWith(SQLITE_OK);
        writer->onEvent(0, samples(5101, 10));
        writer->flush();
        QCOMPARE(writer->storeError(), std::string());
        QCOMPARE(writer->lostPoints(), std::size_t(0));
        QVERIFY(isWhole(temp, 1, 5110));
        QCOMPARE(RunStore::open(temp.file()).value()->integrityCheck().value(), std::string("ok"));
    }

    void itIsTriedAgainWithoutBeingAsked()
    {
        FaultVfs disk;
        const TempStore temp;
        const auto writer = writerOf(temp.file());
        disk.failWritesWith(SQLITE_FULL);
        writer->onEvent(0, samples(1, 10));
        QTRY_VERIFY_WITH_TIMEOUT(!writer->storeError().empty(), 5000);
        disk.failWritesWith(SQLITE_OK);
        QTRY_COMPARE_WITH_TIMEOUT(writer->storeError(), std::string(), 5000);
        QVERIFY(isWhole(temp, 1, 10));
    }

    void whatDoesNotFitIntoMemoryIsCounted()
    {
        FaultVfs disk;
        const TempStore temp;
        const auto writer = writerOf(temp.file());
        disk.failWritesWith(SQLITE_FULL);
        // Six million points; four are kept for the next try.
        constexpr std::int64_t kBatch = 200'000;
        for (std::int64_t step = 1; step <= 10 * kBatch; step += kBatch)
            writer->onEvent(0, samples(step, kBatch));
        writer->flush();
        QCOMPARE(writer->lostPoints(), std::size_t(30 * kBatch));

        disk.failWritesWith(SQLITE_OK);
        writer->flush();
        const auto stored = storedPoints(temp);
        QVERIFY(stored > 3'000'000 && stored <= 4'000'000);
        QCOMPARE(writer->lostPoints(), std::size_t(30 * kBatch) - stored);
        const auto store = RunStore::open(temp.file()).value();
        QCOMPARE(std::size_t(store->run(1).value().samplesLost), writer->lostPoints());
        // What is there is whole: the first steps, and after the gap again.
        QVERIFY(isWhole(temp, 1, stored / 3));
        writer->onEvent(0, samples(10 * kBatch + 1, 5));
        writer->flush();
        QCOMPARE(store->readSeries(1, "loss").value().x.back(), double(10 * kBatch + 5));
    }

    void aStoreThatIsFullFromTheStartIsRefused()
    {
        FaultVfs disk;
        const TempStore temp;
        disk.failWritesWith(SQLITE_FULL);
        const auto config = experiment({Precision::Fp32});
        const auto writer = StoreWriter::create(temp.file(), config, planOf(config));
        QVERIFY(!writer.has_value());
        QVERIFY(contains(writer.error().message, "the disk is full"));
    }

    void aStoreThatAnotherHoldsIsWaitedFor()
    {
        const TempStore temp;
        const auto run = storeFinishedRun(temp.file());
        const auto writer = writerOf(temp.file());
        SQLite::Database other(temp.file().string(), SQLite::OPEN_READWRITE);
        auto held =
            std::make_unique<SQLite::Transaction>(other, SQLite::TransactionBehavior::EXCLUSIVE);
        // Both a writer and a housekeeper come while it is held, and wait.
        auto flushed = std::async(std::launch::async, [&] {
            writer->onEvent(0, samples(1, 10));
            writer->flush();
        });
        auto noted = std::async(std::launch::async, [&] {
            return RunStore::open(temp.file()).value()->setNote(run, "waited").has_value();
        });
        const auto wait = std::chrono::milliseconds(400);
        QVERIFY(flushed.wait_for(wait) == std::future_status::timeout);
        QVERIFY(noted.wait_for(wait) == std::future_status::timeout);
        held->commit();
        flushed.get();
        QVERIFY(noted.get());
        QCOMPARE(writer->storeError(), std::string());
        QVERIFY(isWhole(temp, writer->runId(0), 10));
    }

    void severalProcessesMayUseOneStoreAtOnce()
    {
#ifdef __SANITIZE_THREAD__
        QSKIP("the thread sanitizer cannot follow a fork");
#endif
        const TempStore temp; // not even made yet: they also race for that
        constexpr int kProcesses = 4;
        constexpr int kFlushes = 60;
        std::vector<int> pids;
        for (int i = 0; i < kProcesses; ++i)
            pids.push_back(inChild([&] { return writeAndRead(temp, kFlushes); }));
        for (const int pid : pids)
            QCOMPARE(waitForChild(pid), 0);
        const auto store = RunStore::open(temp.file()).value();
        QCOMPARE(store->opening(), StoreOpening::Current);
        QCOMPARE(store->runs().value().size(), std::size_t(kProcesses));
        for (int run = 1; run <= kProcesses; ++run) {
            QVERIFY(isWhole(temp, run, kFlushes * 50));
            QVERIFY(store->run(run).value().state == RunState::Finished);
        }
        QCOMPARE(store->integrityCheck().value(), std::string("ok"));
    }

private:
    static int writeAndRead(const TempStore& temp, int flushes)
    {
        const auto writer = writerOf(temp.file());
        const auto reader = RunStore::open(temp.file());
        if (!reader)
            return 1;
        for (int i = 0; i < flushes; ++i) {
            writer->onEvent(0, samples(1 + 50 * i, 50));
            writer->flush();
            const auto slice = (*reader)->readSeries(writer->runId(0), "loss");
            const auto noted = (*reader)->setNote(writer->runId(0), std::to_string(i));
            if (!writer->storeError().empty() || !slice || !noted)
                return 2;
            if (slice->y.size() != std::size_t(50 * (i + 1)))
                return 3;
        }
        writer->onState(0, outcome(RunState::Finished));
        writer->flush();
        return writer->storeError().empty() ? 0 : 4;
    }
};

MANTISSA_TEST(TestStoreFaults)
#include "tst_store_faults.moc"
