// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/until_stopped.h"
#include "ui/live/speed_up.h"

#include "tests/support/test_program.h"
#include "tests/ui/live/fed_run.h"
#include "ui/runs/run_profiler.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>
#include <mutex>
#include <nlohmann/json.hpp>

using namespace mantissa;
using namespace mantissa::ui;
using mantissa::ui::samples::FedRun;

namespace {

RunSummary summaryOf(double samplesPerSecond, std::int64_t steps = 100)
{
    RunSummary summary;
    summary.samplesPerSecond = samplesPerSecond;
    summary.stepsMeasured = steps;
    return summary;
}

StepProfile profile(const char* precision, double stepMs)
{
    StepProfile profile;
    profile.precision = precision;
    profile.device = "cpu";
    profile.steps = 2;
    profile.stepMs = stepMs;
    profile.windowMs = 2 * stepMs;
    profile.rows = {{"addmm", "bf16", OperatorKind::Matrix, 4, stepMs, stepMs, 1e6, 0},
        {"_to_copy", "fp32→bf16", OperatorKind::Cast, 12, stepMs, stepMs, 0, 1e6}};
    return profile;
}

/// Stores with the run what a profile finds, as the real one does, but at once.
Result<RunProfiles> storeProfile(const std::filesystem::path& file, std::int64_t run)
{
    LifecycleEvent event;
    event.kind = kProfiledEvent;
    event.data = {
        {"profile", toJson(profile("bf16", 1.0))}, {"baseline", toJson(profile("fp32", 0.8))}};
    const auto store = RunStore::open(file);
    if (const auto added = (*store)->addEvent(run, event); !added)
        return tl::unexpected(added.error());
    return RunProfiles{profile("bf16", 1.0), profile("fp32", 0.8)};
}

/// Waits until it is stopped.
Result<RunProfiles> untilStopped(std::stop_token stop)
{
    test::waitForStop(stop);
    return fail("cancelled");
}

} // namespace

/// The lines and the panel "Why no speed-up" of the Live page.
class TestSpeedUp : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_theme = std::make_unique<Theme>(*qApp, Appearance::Light); }
    void cleanupTestCase() { m_theme.reset(); }
    void init();
    void slowIsWhatGainsLessThanATenth_data();
    void slowIsWhatGainsLessThanATenth();
    void onlyRunsThatCameToTheirEnd_data();
    void onlyRunsThatCameToTheirEnd();
    void withoutABaselineNothingIsSlow();
    void aLineSaysItInWordsAndAsksWhy();
    void whatIsNotStoredCannotBeAsked();
    void aRunIsProfiledOnceAndExplained();
    void cancelledProfilesAreToldAndCanBeTakenAgain();
    void aSecondRunWaitsForItsTurn();
    void aRunThatWasDeletedIsToldSo();
    void aClearedPanelStaysEmpty();

private:
    QString conclusion(const SpeedUpPanel& panel) const;
    static QString labels(const QWidget& widget);
    static QPushButton* button(const QWidget& widget) { return widget.findChild<QPushButton*>(); }

    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<test::TempStore> m_store;
    std::vector<std::int64_t> m_runs; ///< fp32, bf16, fp16
};

void TestSpeedUp::init()
{
    m_store = std::make_unique<test::TempStore>();
    const auto writer =
        test::writerOf(m_store->file(), {Precision::Fp32, Precision::Bf16, Precision::Fp16});
    m_runs.clear();
    for (int run = 0; run < 3; ++run) {
        writer->onState(run, test::outcome(RunState::Running));
        writer->onEvent(run, test::samples(1, 60));
        auto end = test::outcome(RunState::Finished);
        end.stepsAttempted = end.stepsApplied = 60;
        writer->onState(run, end);
        m_runs.push_back(writer->runId(run));
    }
    writer->onAllEnded();
}

QString TestSpeedUp::labels(const QWidget& widget)
{
    QStringList texts;
    for (const auto* label : widget.findChildren<QLabel*>())
        texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

/// The evidence of "Why is there no speed-up?"; empty while no run is shown.
QString TestSpeedUp::conclusion(const SpeedUpPanel& panel) const
{
    const auto* tree = panel.findChild<QTreeWidget*>();
    if (tree->topLevelItemCount() != 1 || tree->topLevelItem(0)->childCount() == 0)
        return {};
    const auto* why = tree->topLevelItem(0)->child(0);
    return why->text(0) == QStringLiteral("Why is there no speed-up?") ? why->child(0)->text(0)
                                                                       : QString();
}

void TestSpeedUp::slowIsWhatGainsLessThanATenth_data()
{
    QTest::addColumn<double>("rate");
    QTest::addColumn<int>("steps");
    QTest::addColumn<bool>("slow");
    QTest::newRow("slower") << 740.0 << 100 << true;
    QTest::newRow("a little faster") << 1090.0 << 100 << true;
    QTest::newRow("a tenth faster") << 1110.0 << 100 << false;
    QTest::newRow("much faster") << 2200.0 << 100 << false;
    QTest::newRow("too short to tell") << 740.0 << 19 << false;
}

void TestSpeedUp::slowIsWhatGainsLessThanATenth()
{
    QFETCH(const double, rate);
    QFETCH(const int, steps);
    QFETCH(const bool, slow);
    FedRun fed({Precision::Fp32, Precision::Bf16});
    fed.end(0, RunState::Finished);
    fed.end(1, RunState::Finished);
    const auto found = slowVariants(fed.variants, {summaryOf(1000), summaryOf(rate, steps)});
    QCOMPARE(found.size(), slow ? std::size_t{1} : std::size_t{0});
    if (!slow)
        return;
    QCOMPARE(found[0].variant, 1);
    QCOMPARE(found[0].name, QStringLiteral("bf16"));
    QCOMPARE(found[0].baseline, QStringLiteral("fp32"));
    QVERIFY(std::abs(found[0].speedUp - rate / 1000) < 1e-12);
}

void TestSpeedUp::onlyRunsThatCameToTheirEnd_data()
{
    QTest::addColumn<RunState>("state");
    QTest::addColumn<bool>("slow");
    QTest::newRow("finished") << RunState::Finished << true;
    QTest::newRow("stopped") << RunState::Stopped << true;
    QTest::newRow("failed") << RunState::Failed << false;
    QTest::newRow("killed") << RunState::Killed << false;
    QTest::newRow("refused") << RunState::Refused << false;
    QTest::newRow("running") << RunState::Running << false;
}

void TestSpeedUp::onlyRunsThatCameToTheirEnd()
{
    QFETCH(const RunState, state);
    QFETCH(const bool, slow);
    FedRun fed({Precision::Fp32, Precision::Bf16});
    fed.end(0, RunState::Finished);
    fed.end(1, state);
    QCOMPARE(!slowVariants(fed.variants, {summaryOf(1000), summaryOf(700)}).empty(), slow);
}

void TestSpeedUp::withoutABaselineNothingIsSlow()
{
    FedRun fed({Precision::Fp16, Precision::Bf16});
    fed.end(0, RunState::Finished);
    fed.end(1, RunState::Finished);
    QVERIFY(slowVariants(fed.variants, {summaryOf(1000), summaryOf(100)}).empty());
}

void TestSpeedUp::aLineSaysItInWordsAndAsksWhy()
{
    SpeedUpLines lines;
    QVERIFY(!lines.isVisible());
    lines.set({{1, QStringLiteral("bf16"), SeriesColour::Bf16, QStringLiteral("fp32"), 0.74},
                  {2, QStringLiteral("fp16"), SeriesColour::Fp16, QStringLiteral("fp32"), 0.0154}},
        true);
    QVERIFY(lines.isVisible());
    QVERIFY(labels(lines).contains(QStringLiteral("bf16 runs at 0.74x the speed of fp32.")));
    QVERIFY(labels(lines).contains(QStringLiteral("fp16 runs at 0.015x the speed of fp32.")));
    const auto buttons = lines.findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 2);
    QCOMPARE(buttons[1]->accessibleName(), QStringLiteral("Why is fp16 not faster?"));
    QSignalSpy asked(&lines, &SpeedUpLines::whyWanted);
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked.first().first().toInt(), 2);
    lines.set({}, true);
    QVERIFY(!lines.isVisible());
    QVERIFY(lines.findChildren<QPushButton*>().isEmpty());
}

void TestSpeedUp::whatIsNotStoredCannotBeAsked()
{
    SpeedUpLines lines;
    lines.set(
        {{1, QStringLiteral("bf16"), SeriesColour::Bf16, QStringLiteral("fp32"), 0.7}}, false);
    QVERIFY(!button(lines)->isEnabled());
    QVERIFY(button(lines)->toolTip().contains(QStringLiteral("not stored")));
}

void TestSpeedUp::aRunIsProfiledOnceAndExplained()
{
    int profiles = 0;
    RunProfiler profiler([&](std::int64_t run, const auto& tell, const std::stop_token&) {
        ++profiles;
        tell("profiling bf16 (bf16)");
        return storeProfile(m_store->file(), run);
    });
    SpeedUpPanel panel(m_store->file(), profiler);
    panel.show();
    QVERIFY(conclusion(panel).isEmpty());
    QSignalSpy ended(&profiler, &RunProfiler::ended);
    panel.explain(m_runs[1]);
    QVERIFY(ended.wait());
    QCOMPARE(ended.first().first().toLongLong(), m_runs[1]);
    QVERIFY(ended.first().at(1).toString().isEmpty());
    QTRY_VERIFY2(
        conclusion(panel).contains(QStringLiteral("casts")), qPrintable(conclusion(panel)));
    QVERIFY(conclusion(panel).startsWith(QStringLiteral("bf16 runs at")));
    const auto* whole = panel.findChild<QLabel*>(QStringLiteral("conclusion"));
    QVERIFY(whole->isVisible() && whole->wordWrap());
    QVERIFY(whole->text().startsWith(conclusion(panel)));
    // The findings about NaN are no answer to this question.
    QCOMPARE(panel.findChild<QTreeWidget*>()->topLevelItemCount(), 1);
    // Asked again it shows what is stored.
    panel.clear();
    QVERIFY(conclusion(panel).isEmpty() && !whole->isVisible());
    panel.explain(m_runs[1]);
    QTRY_VERIFY(conclusion(panel).contains(QStringLiteral("casts")));
    QCOMPARE(profiles, 1);
    // Its own button takes a new one.
    button(panel)->click();
    QVERIFY(ended.wait());
    QCOMPARE(profiles, 2);
}

void TestSpeedUp::cancelledProfilesAreToldAndCanBeTakenAgain()
{
    int profiles = 0;
    RunProfiler profiler([&](std::int64_t, const auto& tell, std::stop_token stop) {
        ++profiles;
        tell("profiling fp32 (fp32)");
        return untilStopped(std::move(stop));
    });
    SpeedUpPanel panel(m_store->file(), profiler);
    panel.show();
    panel.explain(m_runs[1]);
    QTRY_VERIFY(labels(panel).contains(QStringLiteral("profiling fp32 (fp32)")));
    QCOMPARE(button(panel)->text(), QStringLiteral("Cancel"));
    button(panel)->click();
    QTRY_COMPARE(button(panel)->text(), QStringLiteral("Profile"));
    QVERIFY(labels(panel).contains(QStringLiteral("cancelled")));
    QTRY_VERIFY(conclusion(panel).contains(QStringLiteral("a profile tells")));
    QVERIFY(!profiler.isOn());
    button(panel)->click();
    QTRY_COMPARE(profiles, 2);
    // And the window may be closed meanwhile: the profiler goes after the panel.
}

void TestSpeedUp::aSecondRunWaitsForItsTurn()
{
    std::vector<std::int64_t> profiled; // each profile is on a thread of its own, one at a time
    std::mutex mutex;
    RunProfiler profiler([&](std::int64_t run, const auto& tell, std::stop_token stop) {
        {
            const std::lock_guard lock(mutex);
            profiled.push_back(run);
        }
        tell("profiling");
        return run == m_runs[1] ? untilStopped(std::move(stop))
                                : storeProfile(m_store->file(), run);
    });
    const auto sofar = [&] {
        const std::lock_guard lock(mutex);
        return profiled;
    };
    SpeedUpPanel panel(m_store->file(), profiler);
    panel.explain(m_runs[1]);
    QTRY_COMPARE(sofar(), std::vector<std::int64_t>({m_runs[1]}));
    panel.explain(m_runs[2]);
    QTRY_VERIFY(conclusion(panel).contains(QStringLiteral("a profile tells")));
    QCOMPARE(sofar().size(), std::size_t{1});
    profiler.cancel();
    QTRY_COMPARE(sofar(), std::vector<std::int64_t>({m_runs[1], m_runs[2]}));
    QTRY_VERIFY(conclusion(panel).contains(QStringLiteral("casts")));
}

void TestSpeedUp::aRunThatWasDeletedIsToldSo()
{
    RunProfiler profiler([&](std::int64_t, const auto&, const std::stop_token&) {
        return Result<RunProfiles>(fail("not wanted"));
    });
    QSignalSpy started(&profiler, &RunProfiler::started);
    SpeedUpPanel panel(m_store->file(), profiler);
    panel.show();
    panel.explain(4711);
    QTRY_VERIFY(labels(panel).contains(QStringLiteral("Run 4711 is not in the store any more.")));
    QCOMPARE(started.count(), 0);
}

void TestSpeedUp::aClearedPanelStaysEmpty()
{
    RunProfiler profiler([](std::int64_t, const auto&, std::stop_token stop) {
        return untilStopped(std::move(stop));
    });
    SpeedUpPanel panel(m_store->file(), profiler);
    QSignalSpy ended(&profiler, &RunProfiler::ended);
    panel.explain(m_runs[1]);
    QTRY_VERIFY(profiler.isOn());
    panel.clear();
    profiler.cancel();
    QVERIFY(ended.wait());
    QCoreApplication::processEvents();
    QVERIFY(conclusion(panel).isEmpty());
    QCOMPARE(panel.run(), 0);
}

MANTISSA_WIDGET_TEST(TestSpeedUp)
#include "tst_speed_up.moc"
