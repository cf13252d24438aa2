// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"
#include "tests/support/until_stopped.h"
#include "ui/runs/operators_panel.h"
#include "ui/runs/run_profiler.h"
#include "ui/theme/theme.h"

#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>
#include <nlohmann/json.hpp>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

StepProfile profile()
{
    StepProfile profile;
    profile.precision = "bf16";
    profile.device = "cpu";
    profile.steps = 2;
    profile.stepMs = 0.5;
    profile.windowMs = 2;
    profile.rows = {{"addmm", "bf16", OperatorKind::Matrix, 4, 0.5, 0.5, 1e6, 0},
        {"_to_copy", "fp32→bf16", OperatorKind::Cast, 12, 0.25, 0.25, 0, 1e6}};
    return profile;
}

/// Waits until it is stopped.
Result<RunProfiles> waitForStop(
    std::int64_t, const std::function<void(const std::string&)>& tell, std::stop_token stop)
{
    tell("profiling fp32 (fp32)");
    test::waitForStop(stop);
    return fail("cancelled");
}

} // namespace

class TestRunProfiler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_theme = new Theme(*qApp, Appearance::Light); }
    void cleanupTestCase() { delete m_theme; }

    void tellsWhatItDoesAndThatItEnded()
    {
        RunProfiler profiler(
            [](std::int64_t, const auto& tell, const std::stop_token&) -> Result<RunProfiles> {
                tell("profiling bf16 (bf16)");
                return RunProfiles{profile(), std::nullopt};
            });
        QSignalSpy progressed(&profiler, &RunProfiler::progressed);
        QSignalSpy ended(&profiler, &RunProfiler::ended);
        profiler.start(7);
        QVERIFY(profiler.isOn());
        QVERIFY(ended.wait());
        QVERIFY(!profiler.isOn());
        QCOMPARE(progressed.first().first().toString(), QStringLiteral("profiling bf16 (bf16)"));
        QCOMPARE(ended.first().first().toLongLong(), 7);
        QVERIFY(ended.first().at(1).toString().isEmpty());
    }

    void cancelEndsItInWords()
    {
        RunProfiler profiler(waitForStop);
        QSignalSpy progressed(&profiler, &RunProfiler::progressed);
        QSignalSpy ended(&profiler, &RunProfiler::ended);
        profiler.start(7);
        profiler.start(8); // one at a time
        QVERIFY(progressed.wait());
        profiler.cancel();
        QVERIFY(ended.wait());
        QCOMPARE(ended.first().at(1).toString(), QStringLiteral("cancelled"));
        QCOMPARE(ended.first().first().toLongLong(), 7);
        profiler.start(9); // and it can be used again, and be closed while it works
        QVERIFY(profiler.isOn());
    }

    void whatForbidsItIsToldAndNothingStarts()
    {
        int profiles = 0;
        RunProfiler profiler(
            [&](std::int64_t, const auto&, const std::stop_token&) -> Result<RunProfiles> {
                ++profiles;
                return fail("not wanted");
            });
        QString problem = QStringLiteral("a run is on");
        profiler.setStartProblem([&] { return problem; });
        QSignalSpy started(&profiler, &RunProfiler::started);
        QSignalSpy ended(&profiler, &RunProfiler::ended);
        profiler.start(7);
        QVERIFY(!profiler.isOn());
        QCOMPARE(started.count(), 0);
        QCOMPARE(ended.count(), 1);
        QCOMPARE(ended.first().at(1).toString(), QStringLiteral("a run is on"));
        problem.clear();
        profiler.start(7);
        QVERIFY(profiler.isOn());
        QCOMPARE(started.count(), 1);
        QVERIFY(ended.wait());
        QCOMPARE(profiles, 1);
    }

    void aStoreThatCannotBeWrittenIsToldBeforeTheProfile()
    {
        const test::TempStore temp;
        const auto run = test::storeFinishedRun(temp.file());
        // As if a later version had written it: readable only.
        QFile file(QString::fromStdString(temp.file().string()));
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(60)); // SQLite's user_version
        file.write(QByteArray::fromHex("000003e8"));
        file.close();
        qputenv("MANTISSA_WORKER", "/bin/true");
        const auto result = profilingIn(temp.file())(run, [](const std::string&) {}, {});
        qunsetenv("MANTISSA_WORKER");
        QVERIFY(!result);
        QVERIFY2(result.error().message.find("cannot be written") != std::string::npos,
            result.error().message.c_str());
    }

    void theOperatorTableShowsTheProfileOfOneRun()
    {
        OperatorsPanel panel;
        panel.show();
        RunDataList runs(1);
        panel.setRuns(runs);
        QVERIFY(panel.findChild<QLabel*>()->isVisible());
        QVERIFY(panel.summary().isEmpty());
        LifecycleEvent event;
        event.kind = kProfiledEvent;
        event.data = {{"profile", toJson(profile())}};
        runs.front().events.push_back(event);
        panel.setRuns(runs);
        const auto* table = panel.findChild<QTreeWidget*>();
        QVERIFY(table->isVisible());
        QCOMPARE(table->topLevelItemCount(), 2);
        const auto* row = table->topLevelItem(1);
        const QStringList expected{QStringLiteral("_to_copy"), QStringLiteral("fp32→bf16"),
            QStringLiteral("12.5 %"), QStringLiteral("125"), QStringLiteral("6.00"),
            QStringLiteral("cast")};
        for (int column = 0; column < expected.size(); ++column)
            QCOMPARE(row->text(column), expected[column]);
        QCOMPARE(panel.summary(), QStringLiteral("bf16, 0.50 ms a step"));
        runs.resize(2);
        panel.setRuns(runs);
        QVERIFY(!table->isVisible());
    }

private:
    Theme* m_theme = nullptr;
};

MANTISSA_WIDGET_TEST(TestRunProfiler)
#include "tst_run_profiler.moc"
