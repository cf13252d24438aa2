// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/export.h"

#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTest>
#include <limits>

using namespace mantissa;
using namespace mantissa::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// One fp16 run with an awkward variant name, all kinds of series and an event.
std::unique_ptr<RunStore> storeOne(const TempStore& temp)
{
    auto config = experiment({Precision::Fp16});
    config.variants[0].name = "a \"b\", c\nd";
    const auto writer = StoreWriter::create(temp.file(), config, planOf(config)).value();
    writer->onEvent(0, Samples{1, 3, {{"loss", {0.1, -kInf, 0.25}}, {"scale", {8, 4, 4}}}});
    writer->onEvent(0, Samples{4, 1, {{"scale", {2}}}});
    writer->onEvent(0, Points{Axis::Step, {2, 4}, {{"metric", {0.5, 0.75}}}});
    writer->onEvent(0, Points{Axis::Time, {0.5}, {{"rss_bytes", {1e9}}}});
    writer->onEvent(0, Points{Axis::Step, {1, 9}, {{"../x/y", {1, 2}}}});
    writer->onEvent(
        0, LifecycleEvent{"step_skipped", 2, 0.125, "skipped, \"twice\"", {{"scale", 8}}});
    auto end = outcome(RunState::Stopped, "time limit");
    end.stepsAttempted = 4;
    writer->onState(0, end);
    writer->flush();
    return RunStore::open(temp.file()).value();
}

/// What Python's csv module reads, as one line a row, fields between bars.
QString readByPython(const std::filesystem::path& file)
{
    QProcess python;
    python.start(QStringLiteral("python3"),
        {QStringLiteral("-c"),
            QStringLiteral("import csv,sys\nfor r in csv.reader(open(sys.argv[1],newline='')): "
                           "print('|'.join(r).replace('\\n','~'))"),
            QString::fromStdString(file.string())});
    python.waitForFinished();
    return QString::fromUtf8(python.readAllStandardOutput());
}

} // namespace

class TestExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void jsonHasTheContractsKeys()
    {
        const TempStore temp;
        const auto store = storeOne(temp);
        const auto json = runExportJson(*store, 1).value();
        for (const char* key :
            {"id", "variant", "repetition", "status", "reason", "steps_attempted", "steps_applied",
                "steps_skipped", "final_loss", "final_metric", "median_step_ms",
                "samples_per_second", "peak_memory_bytes", "final_scale", "config", "environment"})
            QVERIFY2(json.contains(key), key);
        QVERIFY(json["status"] == "stopped" && json["reason"] == "time limit");
        QVERIFY(json["median_step_ms"].is_null());
        QVERIFY(json["series"]["loss"]["step"] == nlohmann::json({1, 2, 3}));
        QVERIFY(json["series"]["loss"]["value"] == nlohmann::json({0.1, "-Infinity", 0.25}));
        QVERIFY(json["series"]["loss"]["unit"] == "");
        QVERIFY(json["series"]["metric"]["step"] == nlohmann::json({2, 4}));
        QVERIFY(json["series"]["rss_bytes"]["time"] == nlohmann::json({0.5}));
        QVERIFY(json["series"]["rss_bytes"]["unit"] == "bytes");
        QVERIFY(json["events"][0]["kind"] == "step_skipped" && json["events"][0]["step"] == 2);
        QVERIFY(!runExportJson(*store, 7).has_value());
    }

    void jsonFilesHoldAllRuns()
    {
        const TempStore temp;
        const auto store = storeOne(temp);
        const auto file = temp.folder() / "out" / "runs.json";
        QVERIFY(exportJson(*store, {1}, file).has_value());
        QFile written(QString::fromStdString(file.string()));
        QVERIFY(written.open(QIODevice::ReadOnly));
        const auto json = nlohmann::json::parse(written.readAll().toStdString());
        QVERIFY(json["runs"].size() == 1);
        QVERIFY(json["runs"][0] == runExportJson(*store, 1).value());
    }

    void csvIsReadByPython()
    {
        const TempStore temp;
        const auto store = storeOne(temp);
        const auto folder = temp.folder() / "csv";
        QVERIFY(exportCsv(*store, {1}, folder).has_value());
        QCOMPARE(readByPython(folder / "run-1-steps.csv"),
            QStringLiteral("step|loss|scale\n1|0.1|8\n2|-Infinity|4\n3|0.25|4\n4||2\n"));
        QCOMPARE(readByPython(folder / "run-1-points-metric.csv"),
            QStringLiteral("step|metric\n2|0.5\n4|0.75\n"));
        QCOMPARE(readByPython(folder / "run-1-points-rss_bytes.csv"),
            QStringLiteral("time_s|rss_bytes\n0.5|1e+09\n"));
        QCOMPARE(readByPython(folder / "events.csv"),
            QStringLiteral("run|time_s|step|kind|message|data\n"
                           "1|0.125|2|step_skipped|skipped, \"twice\"|{\"scale\":8}\n"));
        const auto runs = readByPython(folder / "runs.csv").split(QLatin1Char('\n'));
        QVERIFY(runs[0].startsWith(QStringLiteral("id|comparison|experiment|variant|precision|")));
        QVERIFY(runs[1].startsWith(
            QStringLiteral("1|1|t|a \"b\", c~d|fp16|0|1|stopped|time limit|4|")));
    }

    void aSeriesNameCannotLeaveTheFolder()
    {
        const TempStore temp;
        const auto store = storeOne(temp);
        QVERIFY(exportCsv(*store, {1}, temp.folder() / "csv").has_value());
        const QDir folder(QString::fromStdString((temp.folder() / "csv").string()));
        QVERIFY(folder.entryList(QDir::Files).contains(QStringLiteral("run-1-points-___x_y.csv")));
        QVERIFY(!std::filesystem::exists(temp.folder() / "x"));
    }

    void aFolderThatCannotBeMadeIsAnError()
    {
        const TempStore temp;
        const auto store = storeOne(temp);
        const auto exported = exportCsv(*store, {1}, temp.file() / "inside-a-file");
        QVERIFY(!exported.has_value());
        QVERIFY(
            QString::fromStdString(exported.error().message).contains(QLatin1String("runs.db")));
    }
};

MANTISSA_TEST(TestExport)
#include "tst_export.moc"
