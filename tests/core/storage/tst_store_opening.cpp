// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/database.h"
#include "core/storage/host_identity.h"
#include "core/storage/schema.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <fstream>
#include <unistd.h>

using namespace mantissa;
using namespace mantissa::test;
namespace fs = std::filesystem;

namespace {

constexpr auto kWrite = RunStore::Mode::ReadWrite;
constexpr auto kRead = RunStore::Mode::ReadOnly;

/// The program's schema and a later step.
std::vector<Migration> laterMigrations()
{
    std::vector<Migration> steps(storeMigrations().begin(), storeMigrations().end());
    steps.push_back(
        {steps.back().version + 1, "a test's", "ALTER TABLE run ADD COLUMN extra TEXT"});
    return steps;
}

int userVersion(const fs::path& file)
{
    SQLite::Database db(file.string(), SQLite::OPEN_READONLY, 1000);
    return db.execAndGet("PRAGMA user_version").getInt();
}

void change(const fs::path& file, const std::string& sql)
{
    SQLite::Database db(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 1000);
    db.exec(sql);
}

void write(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

bool contains(const std::string& text, const char* part)
{
    return QString::fromStdString(text).contains(QLatin1String(part));
}

/// The Error of an opening that must fail; it names the file.
std::string openingError(const fs::path& file, RunStore::Mode mode = kWrite)
{
    const auto opened = RunStore::open(file, mode);
    if (opened)
        return "it opened";
    return contains(opened.error().message, file.c_str()) ? opened.error().message
                                                          : "the file is not named";
}

} // namespace

class TestStoreOpening : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFreshFileIsMadeWithItsFolder()
    {
        const TempStore temp;
        const auto file = temp.folder() / "new" / "deep" / "runs.db";
        const auto store = RunStore::open(file);
        QVERIFY2(store.has_value(), store ? "" : store.error().message.c_str());
        QCOMPARE((*store)->opening(), StoreOpening::Created);
        QVERIFY((*store)->writable());
        QVERIFY((*store)->openingMessage().empty());
        QCOMPARE(userVersion(file), storeMigrations().back().version);
        QCOMPARE((*store)->integrityCheck().value(), std::string("ok"));
    }

    void anEmptyFileIsTakenAsFresh()
    {
        const TempStore temp;
        write(temp.file(), "");
        QCOMPARE(RunStore::open(temp.file()).value()->opening(), StoreOpening::Created);
    }

    void aCurrentFileIsOpenedAsItIs()
    {
        const TempStore temp;
        const auto run = storeFinishedRun(temp.file());
        const auto store = RunStore::open(temp.file()).value();
        QCOMPARE(store->opening(), StoreOpening::Current);
        QVERIFY(store->run(run).value().state == RunState::Finished);
        QVERIFY(!fs::exists(backupPath(temp.file(), 1)));
    }

    void stepsAreNumberedOneByOne()
    {
        int expected = 0;
        for (const auto& step : storeMigrations())
            QCOMPARE(step.version, ++expected);
    }

    void anOldFileIsBackedUpAndMigrated()
    {
        const TempStore temp;
        const auto run = storeFinishedRun(temp.file());
        const int old = storeMigrations().back().version;
        const auto steps = laterMigrations();
        const auto opened = openDatabase(temp.file(), kWrite, steps);
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
        QCOMPARE(opened->opening, StoreOpening::Migrated);
        QVERIFY(contains(opened->message, backupPath(temp.file(), old).c_str()));
        QCOMPARE(userVersion(temp.file()), old + 1);
        QVERIFY(opened->db->execAndGet("SELECT count(extra) FROM run").getInt() == 0);
        QCOMPARE(opened->db->execAndGet("SELECT count(*) FROM run").getInt(), 1);
        // The backup is a whole store of the old version.
        QCOMPARE(userVersion(backupPath(temp.file(), old)), old);
        const auto backup = RunStore::open(backupPath(temp.file(), old)).value();
        QCOMPARE(backup->opening(), StoreOpening::Current);
        QCOMPARE(backup->readSeries(run, "loss").value().y.size(), std::size_t(20));
    }

    void aStepThatFailsLeavesTheOldFile()
    {
        const TempStore temp;
        storeFinishedRun(temp.file());
        auto steps = laterMigrations();
        steps.push_back({steps.back().version + 1, "breaks half-way",
            "ALTER TABLE run ADD COLUMN half TEXT; UPDATE no_such_table SET x = 1"});
        QVERIFY(!openDatabase(temp.file(), kWrite, steps).has_value());
        // The first new step is in, the broken one wholly out.
        QCOMPARE(userVersion(temp.file()), steps[steps.size() - 2].version);
        SQLite::Database db(temp.file().string(), SQLite::OPEN_READONLY);
        QCOMPARE(db.execAndGet("SELECT count(*) FROM pragma_table_info('run') WHERE name = 'half'")
                     .getInt(),
            0);
    }

    void anOldFileThatMayNotBeWrittenIsRefused()
    {
        const TempStore temp;
        storeFinishedRun(temp.file());
        const auto opened = openDatabase(temp.file(), kRead, laterMigrations());
        QVERIFY(!opened.has_value());
        QVERIFY(contains(opened.error().message, "older version"));
    }

    void aNewerFileIsReadNotWritten()
    {
        const TempStore temp;
        const auto run = storeFinishedRun(temp.file());
        QVERIFY(openDatabase(temp.file(), kWrite, laterMigrations()).has_value());
        const auto store = RunStore::open(temp.file()).value();
        QCOMPARE(store->opening(), StoreOpening::NewerReadOnly);
        QVERIFY(!store->writable());
        QVERIFY(contains(store->openingMessage(), "later Mantissa"));
        QCOMPARE(store->readSeries(run, "loss").value().y.size(), std::size_t(20));
        const auto noted = store->setNote(run, "x");
        QVERIFY(!noted.has_value());
        QCOMPARE(noted.error().message, store->openingMessage());
        const auto config = experiment({Precision::Fp32});
        const auto writer = StoreWriter::create(temp.file(), config, planOf(config));
        QVERIFY(!writer.has_value());
        QCOMPARE(writer.error().message, store->openingMessage());
    }

    void whatIsNoDatabaseIsRefused()
    {
        const TempStore temp;
        write(temp.file(), "name = \"fashion-mnist\"\n" + std::string(5000, 'x'));
        QVERIFY(contains(openingError(temp.file()), "not a Mantissa store"));
        write(temp.file(), "SQLite"); // shorter than a header
        QVERIFY(contains(openingError(temp.file()), "not a Mantissa store"));
        QVERIFY(contains(openingError(temp.folder()), "it is a folder"));
        QVERIFY(contains(openingError(temp.folder() / "none.db", kRead), "there is no store"));
    }

    void anotherProgramsDatabaseIsRefusedUnchanged()
    {
        const TempStore temp;
        change(temp.file(), "CREATE TABLE bookmark (url TEXT)");
        QVERIFY(contains(openingError(temp.file()), "not a Mantissa store"));
        QVERIFY(contains(openingError(temp.file(), kRead), "not a Mantissa store"));
        SQLite::Database db(temp.file().string(), SQLite::OPEN_READONLY);
        QCOMPARE(db.execAndGet("SELECT count(*) FROM sqlite_master").getInt(), 1);
        QCOMPARE(db.execAndGet("PRAGMA journal_mode").getString(), std::string("delete"));
    }

    void aCutOffFileIsRefused()
    {
        const TempStore temp;
        storeFinishedRun(temp.file());
        fs::resize_file(temp.file(), fs::file_size(temp.file()) - 4096);
        QVERIFY(contains(openingError(temp.file()), "it is damaged"));
        QVERIFY(contains(openingError(temp.file(), kRead), "it is damaged"));
    }

    void aMissingTableOrColumnIsNamed()
    {
        const TempStore temp;
        storeFinishedRun(temp.file());
        const auto copy = temp.folder() / "copy.db";
        fs::copy_file(temp.file(), copy);
        change(temp.file(), "DROP TABLE chunk");
        QVERIFY(contains(openingError(temp.file()), "chunk."));
        change(copy, "ALTER TABLE run DROP COLUMN note");
        QVERIFY(contains(openingError(copy), "run.note is missing"));
    }

    void aReadOnlyFolderIsReadNotWritten()
    {
        const TempStore temp;
        const auto run = storeFinishedRun(temp.file());
        fs::permissions(temp.file(), fs::perms(0444));
        fs::permissions(temp.folder(), fs::perms(0555));
        {
            const WithoutRights someone;
            const auto store = RunStore::open(temp.file());
            QVERIFY2(store.has_value(), store ? "" : store.error().message.c_str());
            QCOMPARE((*store)->opening(), StoreOpening::ReadOnly);
            QVERIFY(contains((*store)->openingMessage(), "may not be written"));
            QCOMPARE((*store)->readSeries(run, "loss").value().y.size(), std::size_t(20));
            QVERIFY(!(*store)->setArchived(run, true).has_value());
            QVERIFY(contains(openingError(temp.folder() / "other.db"), "cannot"));
            const auto config = experiment({Precision::Fp32});
            QVERIFY(!StoreWriter::create(temp.file(), config, planOf(config)).has_value());
        }
        fs::permissions(temp.folder(), fs::perms(0755));
    }

    void aLivingProcessIsNotGone()
    {
        const auto here = currentHost();
        QCOMPARE(here.pid, std::int64_t(::getpid()));
        QVERIFY(here.startTicks > 0 && !here.bootId.empty());
        QVERIFY(!isGone(here, 0, 1'000'000'000));
    }

    void anotherProcessOfTheSameNumberIsGone()
    {
        auto host = currentHost();
        host.startTicks -= 1;
        QVERIFY(isGone(host, 0, 0));
        host = currentHost();
        host.bootId = "before the restart";
        QVERIFY(isGone(host, 0, 0));
    }

    void aForeignMachineIsGoneOnceItsHeartbeatIsOld()
    {
        auto host = currentHost();
        host.bootId = "another";
        host.hostName = "elsewhere";
        QVERIFY(!isGone(host, 1'000'000, 1'000'000 + kForeignTimeoutMs));
        QVERIFY(isGone(host, 1'000'000, 1'000'001 + kForeignTimeoutMs));
        host = currentHost();
        host.pidNamespace = "pid:[1]";
        QVERIFY(!isGone(host, 1'000'000, 1'000'000 + kForeignTimeoutMs));
    }
};

MANTISSA_TEST(TestStoreOpening)
#include "tst_store_opening.moc"
