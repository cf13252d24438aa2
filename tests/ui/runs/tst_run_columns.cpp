// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "tests/ui/runs/sample_runs.h"
#include "ui/runs/run_columns.h"

#include <QDateTime>
#include <QTest>
#include <limits>

using namespace mantissa;
using namespace mantissa::ui;

class TestRunColumns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsAMeasuredRun_data();
    void showsAMeasuredRun();
    void whatWasNotMeasuredIsAWord();
    void nonFiniteLossIsShownAsSuch();
    void runThatIsOnCountsItsTimeToNow();
    void interruptedRunWithoutAnEndHasNoDuration();
    void sameRowSeesEveryShownChange();
};

void TestRunColumns::showsAMeasuredRun_data()
{
    QTest::addColumn<RunColumn>("column");
    QTest::addColumn<QString>("text");
    const auto add = [](RunColumn column, const char* text) {
        QTest::newRow(text) << column << QString::fromUtf8(text);
    };
    add(RunColumn::Id, "41");
    add(RunColumn::Experiment, "fashion-mnist-cnn");
    add(RunColumn::Variant, "fp16");
    add(RunColumn::State, "finished");
    add(RunColumn::Duration, "14 min 5 s");
    add(RunColumn::Steps, "1,980 + 7");
    add(RunColumn::Loss, "0.2451");
    add(RunColumn::Metric, "89.4 %");
    add(RunColumn::StepMs, "399");
    add(RunColumn::SamplesPerSecond, "160");
    add(RunColumn::PeakMemory, "73.9");
    add(RunColumn::Scale, "131,072 (2¹⁷)");
    add(RunColumn::Tags, "a, b");
    add(RunColumn::Note, "first line");
}

void TestRunColumns::showsAMeasuredRun()
{
    QFETCH(RunColumn, column);
    QFETCH(QString, text);
    RunRecord run = samples::finishedRun(41);
    run.tags = {"a", "b"};
    run.note = "first line\nsecond line";
    QCOMPARE(cellText(run, column), text);
}

void TestRunColumns::whatWasNotMeasuredIsAWord()
{
    const RunRecord run = samples::queuedRun(1);
    for (const RunColumn column :
        {RunColumn::Loss, RunColumn::Metric, RunColumn::StepMs, RunColumn::SamplesPerSecond,
            RunColumn::PeakMemory, RunColumn::Scale, RunColumn::Duration}) {
        QCOMPARE(cellText(run, column), QStringLiteral("none"));
        QCOMPARE(value(run, column).kind, RunValue::Class::Missing);
    }
    QCOMPARE(cellText(run, RunColumn::Started), QStringLiteral("not started"));
}

void TestRunColumns::nonFiniteLossIsShownAsSuch()
{
    RunRecord run = samples::finishedRun(1);
    run.summary.finalLoss = std::numeric_limits<double>::quiet_NaN();
    QCOMPARE(cellText(run, RunColumn::Loss), QStringLiteral("NaN"));
    QCOMPARE(value(run, RunColumn::Loss).kind, RunValue::Class::NaN);
    run.summary.finalLoss = -std::numeric_limits<double>::infinity();
    QCOMPARE(value(run, RunColumn::Loss).kind, RunValue::Class::Value);
}

void TestRunColumns::runThatIsOnCountsItsTimeToNow()
{
    RunRecord run = samples::finishedRun(1);
    run.state = RunState::Running;
    run.endedMs = 0;
    run.startedMs = QDateTime::currentMSecsSinceEpoch() - 60'000;
    const auto duration = durationMs(run);
    QVERIFY(duration);
    QVERIFY(*duration >= 60'000 && *duration < 70'000);
    QVERIFY(!sameRow(run, run));
}

void TestRunColumns::interruptedRunWithoutAnEndHasNoDuration()
{
    RunRecord run = samples::finishedRun(1);
    run.state = RunState::Interrupted;
    run.endedMs = 0;
    QVERIFY(!durationMs(run));
}

void TestRunColumns::sameRowSeesEveryShownChange()
{
    const RunRecord run = samples::finishedRun(1);
    QVERIFY(sameRow(run, run));
    RunRecord changed = run;
    changed.note = "other";
    QVERIFY(!sameRow(run, changed));
    changed = run;
    changed.tags.push_back("t");
    QVERIFY(!sameRow(run, changed));
    changed = run;
    changed.archived = true;
    QVERIFY(!sameRow(run, changed));
    changed = run;
    changed.summary.finalLoss = 0.3;
    QVERIFY(!sameRow(run, changed));
    changed.summary.finalLoss.reset();
    QVERIFY(!sameRow(run, changed));
    changed.summary.finalLoss = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(sameRow(changed, changed));
    changed = run;
    changed.reason = "time limit";
    QVERIFY(!sameRow(run, changed));
}

MANTISSA_TEST(TestRunColumns)
#include "tst_run_columns.moc"
