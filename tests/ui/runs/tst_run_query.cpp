// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "tests/ui/runs/sample_runs.h"
#include "ui/runs/run_query.h"

#include <QTest>
#include <limits>

using namespace mantissa;
using namespace mantissa::ui;

class TestRunQuery : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void passesTheRunsItNames_data();
    void passesTheRunsItNames();
    void refusesWhatItDoesNotKnow_data();
    void refusesWhatItDoesNotKnow();
    void helpNamesEveryField();
};

namespace {

/// 1: finished fp16; 2: queued fp32; 3: failed with NaN, tagged; 4: archived bf16 with a note.
std::vector<RunRecord> fourRuns()
{
    std::vector<RunRecord> runs{samples::finishedRun(1), samples::queuedRun(2),
        samples::finishedRun(3), samples::finishedRun(4)};
    runs[2].state = RunState::Failed;
    runs[2].reason = "CUDA error: out of memory";
    runs[2].summary.finalLoss = std::numeric_limits<double>::quiet_NaN();
    runs[2].tags = {"keep", "Too Hot"};
    runs[3].archived = true;
    runs[3].variant = runs[3].precision = "bf16";
    runs[3].summary.finalScale.reset();
    runs[3].summary.finalLoss = std::numeric_limits<double>::infinity();
    runs[3].note = "second try\nat 12:30";
    return runs;
}

} // namespace

void TestRunQuery::passesTheRunsItNames_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("passing");
    const auto add = [](const char* query, const char* passing) {
        QTest::newRow(query) << QString::fromUtf8(query) << QString::fromUtf8(passing);
    };
    add("", "1234");
    add("   ", "1234");
    add("cnn", "134");
    add("CNN", "134");
    add("fp", "123");
    add("memory", "3");
    add("second try", "4");
    add("\"second try\"", "4");
    add("\"try second\"", "");
    add("\"12:30\"", "4");
    add("precision:fp16", "13");
    add("precision:fp1", "");
    add("Precision:FP16", "13");
    add("precision:fp32,bf16", "24");
    add("-precision:fp16", "24");
    add("state:failed", "3");
    add("state:finished,queued", "124");
    add("tag:keep", "3");
    add("tag:\"too hot\"", "3");
    add("tag:hot", "");
    add("tag:none", "124");
    add("note:second", "4");
    add("note:none", "123");
    add("reason:\"out of\"", "3");
    add("experiment:fashion", "134");
    add("archived:yes", "4");
    add("id:2", "2");
    add("id:2,4", "24");
    add("id:2..3", "23");
    add("loss:<0.3", "1");
    add("loss:>0.3", "4");
    add("loss:nan", "3");
    add("loss:inf", "4");
    add("loss:none", "2");
    add("-loss:nan", "124");
    add("loss:0.2451", "1");
    add("loss:=0.2451", "1");
    add("loss:<0.2451", "");
    add("loss:<=0.2451", "1");
    add("loss:>=0.2451", "14");
    add("scale:none", "24");
    add("skipped:>0", "134");
    add("applied:1980", "134");
    add("steps:0", "2");
    add("validation:80..90", "134");
    add("memory:>70", "134");
    add("duration:845", "134");
    add("step_ms:399..400", "134");
    add("seed:7", "2");
    add("comparison:2", "2");
    add("repetition:1", "1234");
    add("precision:fp16 state:finished", "1");
    add("precision:fp16 -state:finished", "3");
    add("- ", "1234"); // a lone minus is text; both experiments have one in their name
}

void TestRunQuery::passesTheRunsItNames()
{
    QFETCH(QString, query);
    QFETCH(QString, passing);
    const auto parsed = RunQuery::parse(query);
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QString got;
    for (const RunRecord& run : fourRuns()) {
        if (parsed->matches(run))
            got += QString::number(run.id);
    }
    QCOMPARE(got, passing);
}

void TestRunQuery::refusesWhatItDoesNotKnow_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("named");
    const auto add = [](const char* query, const char* named) {
        QTest::newRow(query) << QString::fromUtf8(query) << QString::fromUtf8(named);
    };
    add("speed:3", "no field \"speed\"");
    add("Speed:3", "samples_per_second");
    add("state:dead", "interrupted");
    add("archived:maybe", "yes, no");
    add("loss:small", "loss:small");
    add("loss:<", "<0.3");
    add("loss:1..", "0.1..0.3");
    add("loss:nan..2", "0.1..0.3");
    add("loss:", "value is missing");
    add("tag:", "value is missing");
    add("tag:a,,b", "value is missing");
    add("\"open", "quotation mark");
    add("note:\"open end", "quotation mark");
    add("12:30", "quote it");
}

void TestRunQuery::refusesWhatItDoesNotKnow()
{
    QFETCH(QString, query);
    QFETCH(QString, named);
    const auto parsed = RunQuery::parse(query);
    QVERIFY(!parsed);
    QVERIFY2(QString::fromStdString(parsed.error().message).contains(named),
        parsed.error().message.c_str());
}

void TestRunQuery::helpNamesEveryField()
{
    const auto unknown = RunQuery::parse(QStringLiteral("x:1"));
    QVERIFY(!unknown);
    const QString message = QString::fromStdString(unknown.error().message);
    const QString names =
        message.section(QStringLiteral("fields: "), 1).section(QLatin1Char(';'), 0, 0);
    const QStringList all = names.split(QStringLiteral(", "));
    QVERIFY(all.size() > 15);
    for (const QString& name : all)
        QVERIFY2(RunQuery::help().contains(name), qPrintable(name));
}

MANTISSA_TEST(TestRunQuery)
#include "tst_run_query.moc"
