// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"
#include "ui/runs/store_editor.h"
#include "ui/runs/store_reader.h"

#include <QSignalSpy>
#include <QTest>

using namespace mantissa;
using namespace mantissa::ui;

/// StoreReader and StoreEditor against a real store file.
class TestStoreAccess : public QObject {
    Q_OBJECT

private:
    static RunRecord stored(const test::TempStore& temp, std::int64_t id);
    static std::vector<RunRecord> allRuns(const std::filesystem::path& file);

private Q_SLOTS:
    void missingStoreIsEmptyAndAppears();
    void readsOnlyWhenTheStoreChanged();
    void newestLoadWins();
    void loadsSeriesAndEvents();
    void brokenStoreIsAProblemThatGoesAway();
    void noteTagsAndArchiveAreUndone();
    void tagsOfSeveralRunsAreOneStep();
    void unchangedMarksAreNoStep();
    void deletingEmptiesTheUndoStack();
    void failureIsSaidAndLeavesNoStep();
    void tagsFromTextAreTidy();
};

RunRecord TestStoreAccess::stored(const test::TempStore& temp, std::int64_t id)
{
    const auto store = RunStore::open(temp.file(), RunStore::Mode::ReadOnly);
    return (*store)->run(id).value();
}

std::vector<RunRecord> TestStoreAccess::allRuns(const std::filesystem::path& file)
{
    const auto store = RunStore::open(file, RunStore::Mode::ReadOnly);
    mantissa::RunFilter filter;
    filter.archived = true;
    return (*store)->runs(filter).value();
}

void TestStoreAccess::missingStoreIsEmptyAndAppears()
{
    const test::TempStore temp;
    StoreReader reader(temp.file());
    QSignalSpy read(&reader, &StoreReader::runsRead);
    QSignalSpy problem(&reader, &StoreReader::problemChanged);
    reader.start();
    QVERIFY(read.wait());
    QVERIFY(read.last().first().value<std::vector<RunRecord>>().empty());
    const auto id = test::storeFinishedRun(temp.file());
    QTRY_COMPARE(read.last().first().value<std::vector<RunRecord>>().size(), 1U);
    QCOMPARE(read.last().first().value<std::vector<RunRecord>>().front().id, id);
    QCOMPARE(problem.count(), 0);
}

void TestStoreAccess::readsOnlyWhenTheStoreChanged()
{
    const test::TempStore temp;
    test::storeFinishedRun(temp.file());
    StoreReader reader(temp.file());
    QSignalSpy read(&reader, &StoreReader::runsRead);
    reader.poll();
    QVERIFY(read.wait());
    reader.poll();
    // A load goes through the same thread after the poll: when it is back, so is the poll.
    QSignalSpy loaded(&reader, &StoreReader::runsLoaded);
    reader.load({});
    QVERIFY(loaded.wait());
    QCOMPARE(read.count(), 1);
    test::storeFinishedRun(temp.file());
    reader.poll();
    QVERIFY(read.wait());
    QCOMPARE(read.last().first().value<std::vector<RunRecord>>().size(), 2U);
}

void TestStoreAccess::newestLoadWins()
{
    const test::TempStore temp;
    const auto first = test::storeFinishedRun(temp.file());
    const auto second = test::storeFinishedRun(temp.file());
    StoreReader reader(temp.file());
    QSignalSpy loaded(&reader, &StoreReader::runsLoaded);
    for (int i = 0; i < 20; ++i)
        reader.load({first});
    reader.load({second, first, 999});
    QVERIFY(loaded.wait());
    QCOMPARE(loaded.count(), 1);
    const auto list = loaded.first().first().value<std::shared_ptr<const RunDataList>>();
    QCOMPARE(list->size(), 2U);
    QCOMPARE((*list)[0].run.id, second);
    QCOMPARE((*list)[1].run.id, first);
}

void TestStoreAccess::loadsSeriesAndEvents()
{
    const test::TempStore temp;
    const auto writer = test::writerOf(temp.file());
    writer->onState(0, test::outcome(RunState::Running));
    writer->onEvent(0, test::samples(1, 12));
    writer->onEvent(0, LifecycleEvent{"warning", 3, 0.5, "look here", nlohmann::json::object()});
    writer->flush();
    StoreReader reader(temp.file());
    QSignalSpy loaded(&reader, &StoreReader::runsLoaded);
    reader.load({writer->runId(0)});
    QVERIFY(loaded.wait());
    const auto list = loaded.first().first().value<std::shared_ptr<const RunDataList>>();
    const RunData& data = list->front();
    QCOMPARE(data.series.at("loss").y.size(), 12U);
    QCOMPARE(data.series.at("loss").y[3], 0.25);
    QCOMPARE(data.events.size(), 1U);
    QCOMPARE(data.events.front().message, std::string("look here"));
}

void TestStoreAccess::brokenStoreIsAProblemThatGoesAway()
{
    const test::TempStore temp;
    QFile file(QString::fromStdString(temp.file().string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("this is no store at all, but long enough ").repeated(100));
    file.close();
    StoreReader reader(temp.file());
    QSignalSpy problem(&reader, &StoreReader::problemChanged);
    QSignalSpy read(&reader, &StoreReader::runsRead);
    reader.start();
    QVERIFY(problem.wait());
    QVERIFY(problem.last().first().toString().contains(file.fileName()));
    QVERIFY(file.remove());
    test::storeFinishedRun(temp.file());
    QTRY_COMPARE(problem.last().first().toString(), QString());
    QTRY_COMPARE(read.count(), 1);
}

void TestStoreAccess::noteTagsAndArchiveAreUndone()
{
    const test::TempStore temp;
    const auto id = test::storeFinishedRun(temp.file());
    StoreEditor editor(temp.file());
    QSignalSpy changed(&editor, &StoreEditor::changed);
    editor.setNote(stored(temp, id), QStringLiteral("  a note  "));
    editor.changeTags({stored(temp, id)}, {QStringLiteral("x"), QStringLiteral("y")}, {});
    editor.changeTags({stored(temp, id)}, {QStringLiteral("z")}, {QStringLiteral("x")});
    editor.setArchived({stored(temp, id)}, true);
    QCOMPARE(changed.count(), 4);
    QCOMPARE(stored(temp, id).note, std::string("a note"));
    QCOMPARE(stored(temp, id).tags, (std::vector<std::string>{"y", "z"}));
    QVERIFY(stored(temp, id).archived);
    editor.undoStack().undo();
    QVERIFY(!stored(temp, id).archived);
    editor.undoStack().undo();
    QCOMPARE(stored(temp, id).tags, (std::vector<std::string>{"x", "y"}));
    editor.undoStack().undo();
    editor.undoStack().undo();
    QCOMPARE(stored(temp, id).note, std::string());
    QVERIFY(stored(temp, id).tags.empty());
    editor.undoStack().redo();
    QCOMPARE(stored(temp, id).note, std::string("a note"));
}

void TestStoreAccess::tagsOfSeveralRunsAreOneStep()
{
    const test::TempStore temp;
    test::storeFinishedRun(temp.file());
    test::storeFinishedRun(temp.file());
    StoreEditor editor(temp.file());
    editor.changeTags(allRuns(temp.file()), {QStringLiteral("t")}, {});
    QCOMPARE(editor.undoStack().count(), 1);
    for (const auto& run : allRuns(temp.file()))
        QCOMPARE(run.tags, std::vector<std::string>{"t"});
    editor.undoStack().undo();
    for (const auto& run : allRuns(temp.file()))
        QVERIFY(run.tags.empty());
}

void TestStoreAccess::unchangedMarksAreNoStep()
{
    const test::TempStore temp;
    const auto id = test::storeFinishedRun(temp.file());
    StoreEditor editor(temp.file());
    editor.setNote(stored(temp, id), QStringLiteral("  "));
    editor.setArchived({stored(temp, id)}, false);
    editor.changeTags({stored(temp, id)}, {}, {QStringLiteral("absent")});
    QCOMPARE(editor.undoStack().count(), 0);
}

void TestStoreAccess::deletingEmptiesTheUndoStack()
{
    const test::TempStore temp;
    const auto gone = test::storeFinishedRun(temp.file());
    const auto kept = test::storeFinishedRun(temp.file());
    StoreEditor editor(temp.file());
    editor.setArchived({stored(temp, gone)}, true);
    editor.remove({gone});
    QCOMPARE(editor.undoStack().count(), 0);
    const auto runs = allRuns(temp.file());
    QCOMPARE(runs.size(), 1U);
    QCOMPARE(runs.front().id, kept);
}

void TestStoreAccess::failureIsSaidAndLeavesNoStep()
{
    const test::TempStore temp;
    const auto first = test::storeFinishedRun(temp.file());
    RunRecord absent = stored(temp, first);
    absent.id = 4711;
    StoreEditor editor(temp.file());
    QSignalSpy failed(&editor, &StoreEditor::failed);
    editor.setArchived({stored(temp, first), absent}, true);
    QCOMPARE(failed.count(), 1);
    QVERIFY(!failed.first().first().toString().isEmpty());
    QCOMPARE(editor.undoStack().count(), 0);
    QVERIFY(!stored(temp, first).archived); // all or nothing
}

void TestStoreAccess::tagsFromTextAreTidy()
{
    QCOMPARE(StoreEditor::tagsFromText(QStringLiteral(" a ,b  c,, a,")),
        QStringList({QStringLiteral("a"), QStringLiteral("b c")}));
    QVERIFY(StoreEditor::tagsFromText(QStringLiteral(" , ")).isEmpty());
}

MANTISSA_TEST(TestStoreAccess)
#include "tst_store_access.moc"
