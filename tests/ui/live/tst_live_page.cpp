// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/live_page.h"

#include "tests/core/run/run_fixture.h"
#include "tests/support/test_program.h"
#include "ui/live/system_plots.h"
#include "ui/main_window/experiment_document.h"
#include "ui/main_window/window_settings.h"
#include "ui/runs/run_profiler.h"
#include "ui/session/run_session.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDesktopServices>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUrl>

using namespace mantissa;
using namespace mantissa::ui;
using mantissa::test::RunFixture;

/// The Live page with the fake worker of tests/support.
class TestLivePage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void emptyPageOffersStart();
    void everyControlHasAName();
    void showsEveryPointOfTheRun();
    void skippedStepsAreMarkedCountedAndListed();
    void clickOnAnAlertMovesTheCursor();
    void legendBoxHidesAVariant();
    void timeAxesShowTheSamePoints();
    void aKilledRunIsShownWithItsReason();
    void secondRunReplacesTheFirst();
    void optionsAreRemembered();
    void reportIsWrittenAndOpened();
    void closingWaitsForAReport();
    void docksBecomeTabsWhereThereIsLittleRoom();
    void anEarlierRepetitionCanBeShown();
    void theSystemRowIsFoldedAndRemembersIt();
    void systemPlotsAreExportedFollowedAndHiddenLikeTheOthers();
    void aSlowVariantIsExplainedAfterTheEnd();
    void noSlowVariantNoLine();

public Q_SLOTS:
    void openUrl(const QUrl& url) { m_opened = url; }

private:
    void run(RunFixture& fixture);
    QUrl m_opened;
    QString allTexts() const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_store;
    std::unique_ptr<WindowSettings> m_settings;
    std::unique_ptr<ExperimentDocument> m_document;
    std::unique_ptr<QAction> m_start;
    QPushButton* whyButton() const;
    std::unique_ptr<RunProfiler> m_profiler;
    std::vector<std::int64_t> m_profiled;
    std::unique_ptr<RunSession> m_session;
    std::unique_ptr<LivePage> m_page;
};

void TestLivePage::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_store = m_folder->filePath(QStringLiteral("runs.db")).toStdString();
    m_settings = std::make_unique<WindowSettings>(m_folder->filePath(QStringLiteral("window.ini")));
    m_document = std::make_unique<ExperimentDocument>();
    m_start = std::make_unique<QAction>(QStringLiteral("Start"));
    m_profiled.clear();
    m_profiler = std::make_unique<RunProfiler>(
        [this](std::int64_t run, const auto&, const std::stop_token&) -> Result<RunProfiles> {
            m_profiled.push_back(run);
            return fail("no worker here");
        });
    m_page =
        std::make_unique<LivePage>(m_start.get(), *m_document, *m_settings, m_store, *m_profiler);
    m_page->resize(1200, 800);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
}

void TestLivePage::cleanup()
{
    m_page.reset();
    m_session.reset();
    m_profiler.reset();
}

void TestLivePage::run(RunFixture& fixture)
{
    m_page->setSession(nullptr);
    m_session = std::make_unique<RunSession>(fixture.config, fixture.options, m_store);
    m_page->setSession(m_session.get());
    QTRY_VERIFY_WITH_TIMEOUT(m_session->ended(), 30000);
}

QString TestLivePage::allTexts() const
{
    QStringList texts;
    for (const QLabel* label : m_page->findChildren<QLabel*>())
        texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

void TestLivePage::emptyPageOffersStart()
{
    auto* button = m_page->findChild<QPushButton*>(QStringLiteral("live_start"));
    QVERIFY(button && button->isVisible());
    QVERIFY(allTexts().contains(QStringLiteral("No run is on.")));
    bool started = false;
    connect(m_start.get(), &QAction::triggered, this, [&] { started = true; });
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(started);
    m_start->setEnabled(false);
    QVERIFY(!button->isEnabled());
}

void TestLivePage::everyControlHasAName()
{
    for (const QWidget* widget : m_page->findChildren<QWidget*>()) {
        if ((widget->focusPolicy() & Qt::TabFocus) == 0 || !widget->isVisible()
            || widget->inherits("QScrollArea") || widget->inherits("QLineEdit"))
            continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        QVERIFY2(!widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
            widget->metaObject()->className());
    }
}

void TestLivePage::showsEveryPointOfTheRun()
{
    RunFixture fixture;
    fixture.setSteps(200);
    run(fixture);
    const SeriesPlot* plot = m_page->plots().loss();
    QCOMPARE(plot->curveCount(), 2);
    for (int variant = 0; variant < 2; ++variant) {
        const auto stored = m_session->buffer().read(variant, "loss");
        QCOMPARE(plot->curve(variant).size(), std::size_t{200});
        QVERIFY(std::ranges::equal(plot->curve(variant).raw().y(), stored.y));
    }
    QCOMPARE(m_page->plots().group().xRange().upper, 200.0);
    QVERIFY(allTexts().contains(QStringLiteral("skipped 0 of 200")));
    QVERIFY(!m_page->findChild<QPushButton*>(QStringLiteral("live_start"))->isVisible());
}

void TestLivePage::skippedStepsAreMarkedCountedAndListed()
{
    RunFixture fixture({"fp16"});
    fixture.config.variants[0].precision = Precision::Fp16;
    fixture.setSteps(100);
    fixture.argue({"--skip-every", "20"});
    run(fixture);
    QVERIFY(allTexts().contains(QStringLiteral("skipped 5 of 100")));
    const auto& marks = m_page->plots().loss()->marks();
    QCOMPARE(marks.size(), std::size_t{5});
    QCOMPARE(marks[0].x, 20.0);
    QCOMPARE(m_page->plots().scale()->curveCount(), 1);
}

void TestLivePage::clickOnAnAlertMovesTheCursor()
{
    RunFixture fixture({"fp16"});
    fixture.config.variants[0].precision = Precision::Fp16;
    fixture.setSteps(100);
    fixture.argue({"--skip-every", "30"});
    run(fixture);
    auto* events = m_page->findChild<QTableView*>(QStringLiteral("events"));
    QTRY_VERIFY(events->model()->rowCount() >= 3);
    const QRect newest = events->visualRect(events->model()->index(0, 3));
    const QString step = events->model()->index(0, 3).data().toString();
    QTest::mouseClick(events->viewport(), Qt::LeftButton, {}, newest.center());
    QCOMPARE(m_page->plots().group().cursor(), std::optional(step.toDouble()));
    auto* readout = m_page->findChild<QTableView*>(QStringLiteral("readout"));
    QCOMPARE(readout->model()->index(0, 1).data().toString(), step);
}

void TestLivePage::legendBoxHidesAVariant()
{
    RunFixture fixture;
    run(fixture);
    QCheckBox* second = nullptr;
    for (auto* box : m_page->findChildren<QCheckBox*>()) {
        if (box->accessibleName() == QStringLiteral("Show b"))
            second = box;
    }
    QVERIFY(second);
    QTest::mouseClick(second, Qt::LeftButton);
    QVERIFY(m_page->plots().loss()->curve(0).visible);
    QVERIFY(!m_page->plots().loss()->curve(1).visible);
    QVERIFY(!m_page->plots().memory()->curve(1).visible);
}

void TestLivePage::timeAxesShowTheSamePoints()
{
    RunFixture fixture;
    fixture.argue({"--step-us", "1000"});
    run(fixture);
    LivePlots& plots = m_page->plots();
    const auto times = m_session->buffer().read(0, "time_s");
    plots.setXAxisKind(XAxisKind::RelativeTime);
    QVERIFY(std::ranges::equal(plots.loss()->curve(0).raw().x(), times.y));
    QVERIFY(plots.group().xRange().upper >= times.y.back());
    plots.setXAxisKind(XAxisKind::WallTime);
    QVERIFY(plots.loss()->curve(0).raw().x().front() > 1e9);
    QCOMPARE(plots.loss()->curve(0).size(), std::size_t{40});
    plots.setXAxisKind(XAxisKind::Step);
    QCOMPARE(plots.loss()->curve(0).raw().x().back(), 40.0);
}

void TestLivePage::aKilledRunIsShownWithItsReason()
{
    RunFixture fixture;
    fixture.argue({"--fault", "kill", "--phase", "in-block", "--fault-variant", "b"});
    run(fixture);
    QVERIFY2(allTexts().contains(QStringLiteral("killed: ")), qPrintable(allTexts()));
    auto* events = m_page->findChild<QTableView*>(QStringLiteral("events"));
    bool listed = false;
    for (int row = 0; row < events->model()->rowCount(); ++row)
        listed = listed
            || events->model()->index(row, 4).data().toString().startsWith(
                QStringLiteral("killed"));
    QVERIFY(listed);
}

void TestLivePage::secondRunReplacesTheFirst()
{
    RunFixture first;
    run(first);
    RunFixture second({"x"});
    second.setSteps(10);
    run(second);
    QCOMPARE(m_page->plots().loss()->curveCount(), 1);
    QCOMPARE(m_page->plots().loss()->curve(0).size(), std::size_t{10});
}

void TestLivePage::optionsAreRemembered()
{
    auto* wall = m_page->findChild<QAbstractButton*>(QStringLiteral("x_axis_1"));
    QTest::mouseClick(wall, Qt::LeftButton);
    QCOMPARE(m_page->plots().group().xAxisKind(), XAxisKind::RelativeTime);
    const LivePage again(m_start.get(), *m_document, *m_settings, m_store, *m_profiler);
    QVERIFY(again.findChild<QAbstractButton*>(QStringLiteral("x_axis_1"))->isChecked());
    m_settings->set(QStringLiteral("live/x_axis"), QStringLiteral("broken"));
    m_settings->set(QStringLiteral("live/smoothing"), 17);
    const LivePage fallen(m_start.get(), *m_document, *m_settings, m_store, *m_profiler);
    QVERIFY(fallen.findChild<QAbstractButton*>(QStringLiteral("x_axis_0"))->isChecked());
}

void TestLivePage::reportIsWrittenAndOpened()
{
    QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "openUrl");
    RunFixture fixture;
    run(fixture);
    QString told;
    connect(m_page.get(), &Page::message, this, [&](const QString& text) { told = text; });
    auto* button = m_page->findChild<QPushButton*>(QStringLiteral("live_report"));
    QVERIFY(button->isEnabled());
    button->click();
    // It is written elsewhere: the button is back before anything is told.
    QVERIFY(!button->isEnabled());
    QCOMPARE(button->text(), QStringLiteral("Writing..."));
    QVERIFY(told.isEmpty());
    QTRY_VERIFY(button->isEnabled());
    QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
    QCOMPARE(button->text(), QStringLiteral("Report"));
    QVERIFY(told.contains(QStringLiteral("comparison-1.html")));
    QVERIFY(m_opened.toLocalFile().endsWith(QStringLiteral("comparison-1.html")));
    QVERIFY(
        std::filesystem::file_size(m_store.parent_path() / "reports" / "comparison-1.html") > 1000);
}

void TestLivePage::closingWaitsForAReport()
{
    RunFixture fixture;
    run(fixture);
    m_page->report();
    m_page.reset();
    QVERIFY(
        std::filesystem::file_size(m_store.parent_path() / "reports" / "comparison-1.html") > 1000);
}

void TestLivePage::docksBecomeTabsWhereThereIsLittleRoom()
{
    m_page->resize(1356, 810);
    QCoreApplication::processEvents();
    auto* frame = m_page->findChild<QMainWindow*>();
    const auto dock = [&](const char* name) {
        return m_page->findChild<QDockWidget*>(QString::fromLatin1(name));
    };
    const auto tabs = [&](const char* name) {
        // Qt counts a closed one too, after a layout was restored.
        return std::ranges::count_if(frame->tabifiedDockWidgets(dock(name)),
            [](const QDockWidget* other) { return !other->isHidden(); });
    };
    QCOMPARE(tabs("variants"), 1); // the scaler's panel is one at any size
    // The page of a window of 1100 x 700.
    m_page->resize(1016, 608);
    QTRY_COMPARE(tabs("variants"), 2);
    QCOMPARE(tabs("readout"), 1);
    for (const SeriesPlot* plot : m_page->plots().plots())
        QVERIFY2(plot->width() >= 300 && plot->height() >= 140, qPrintable(plot->objectName()));
    // What is kept is the roomy layout, also while there is little room.
    const QByteArray kept = m_page->saveLayout();
    m_page->resize(1356, 810);
    QTRY_COMPARE(tabs("variants"), 1);
    QCOMPARE(tabs("readout"), 0);
    m_page->restoreLayout(kept);
    QCOMPARE(tabs("variants"), 1);
    m_page->resize(1016, 608);
    QTRY_COMPARE(tabs("variants"), 2);
    m_page->restoreLayout(kept);
    QCOMPARE(tabs("variants"), 2);
}

void TestLivePage::anEarlierRepetitionCanBeShown()
{
    RunFixture fixture;
    fixture.config.settings.run.repeat = 2;
    fixture.forAllSettings([](Settings& settings) { settings.run.repeat = 2; });
    auto* chooser = m_page->findChild<QComboBox*>(QStringLiteral("repetitions"));
    QVERIFY(chooser->isHidden());
    run(fixture);
    QVERIFY(!chooser->isHidden());
    QCOMPARE(chooser->count(), 3);
    QCOMPARE(chooser->currentIndex(), 0);
    const auto shownLoss = [&] {
        const auto y = m_page->plots().loss()->curve(0).raw().y();
        return std::vector<double>(y.begin(), y.end());
    };
    // It follows the run: the second repetition, whose seed is its own.
    QCOMPARE(shownLoss(), m_session->buffer().read(2, "loss").y);
    QVERIFY(m_session->buffer().read(2, "loss").y != m_session->buffer().read(0, "loss").y);
    chooser->setFocus();
    QTest::keyClick(chooser, Qt::Key_Down);
    QCOMPARE(shownLoss(), m_session->buffer().read(0, "loss").y);
    QTest::keyClick(chooser, Qt::Key_Up);
    QCOMPARE(shownLoss(), m_session->buffer().read(2, "loss").y);
}

void TestLivePage::theSystemRowIsFoldedAndRemembersIt()
{
    auto* fold = m_page->findChild<QToolButton*>(QStringLiteral("system_fold"));
    QCOMPARE(fold->text(), QStringLiteral("System"));
    QVERIFY(!m_page->systemPlots().isVisible());
    QCOMPARE(fold->accessibleDescription(), QStringLiteral("hidden"));
    fold->setFocus();
    QTest::keyClick(fold, Qt::Key_Space);
    QVERIFY(m_page->systemPlots().isVisible());
    QCOMPARE(fold->accessibleDescription(), QStringLiteral("shown"));
    everyControlHasAName();
    const LivePage again(m_start.get(), *m_document, *m_settings, m_store, *m_profiler);
    QVERIFY(again.findChild<QToolButton*>(QStringLiteral("system_fold"))->isChecked());
    // It fits into a window of 1100 x 700, too: the page of that is 1016 x 608.
    QVERIFY2(m_page->minimumSizeHint().height() <= 608,
        qPrintable(QString::number(m_page->minimumSizeHint().height())));
    // A click on the title beside the button folds too.
    QTest::mouseClick(
        fold->parentWidget(), Qt::LeftButton, {}, QPoint(fold->parentWidget()->width() - 20, 10));
    QVERIFY(!m_page->systemPlots().isVisible());
    const LivePage folded(m_start.get(), *m_document, *m_settings, m_store, *m_profiler);
    QVERIFY(!folded.findChild<QToolButton*>(QStringLiteral("system_fold"))->isChecked());
    m_settings->set(QStringLiteral("live/system_folded"), QStringLiteral("broken"));
    const LivePage broken(m_start.get(), *m_document, *m_settings, m_store, *m_profiler);
    QVERIFY(!broken.findChild<QToolButton*>(QStringLiteral("system_fold"))->isChecked());
}

void TestLivePage::systemPlotsAreExportedFollowedAndHiddenLikeTheOthers()
{
    m_page->findChild<QToolButton*>(QStringLiteral("system_fold"))->click();
    RunFixture fixture({"a"});
    fixture.options.monitorInterval = std::chrono::milliseconds(10);
    fixture.argue({"--step-us", "5000"});
    fixture.setSteps(60);
    run(fixture);
    SystemPlots& system = m_page->systemPlots();
    QVERIFY(!system.plots().empty());
    const auto stored = m_session->buffer().read(0, "process_cpu_percent");
    const SeriesPlot* load = system.findChild<SeriesPlot*>(QStringLiteral("cpu_load_plot"));
    QVERIFY(std::ranges::equal(load->curve(0).raw().x(), stored.x));
    QVERIFY(std::ranges::equal(load->curve(0).raw().y(), stored.y));
    // Follow speaks for both groups of plots.
    QCheckBox* follow = nullptr;
    for (auto* box : m_page->findChildren<QCheckBox*>()) {
        if (box->text() == QStringLiteral("Follow"))
            follow = box;
    }
    QVERIFY(follow->isChecked());
    system.group().setXRange({0.01, 0.1});
    QVERIFY(!follow->isChecked() && m_page->plots().group().follow());
    follow->click();
    QVERIFY(follow->isChecked() && system.group().follow());
    QMenu* menu = nullptr;
    for (auto* candidate : m_page->findChildren<QMenu*>()) {
        if (candidate->title() == QStringLiteral("Export"))
            menu = candidate;
    }
    Q_EMIT menu->aboutToShow();
    QStringList texts;
    for (const QAction* action : menu->findChild<QMenu*>()->actions())
        texts << action->text();
    QVERIFY(texts.contains(QStringLiteral("Save CPU load plot...")));
    QVERIFY(texts.contains(QStringLiteral("Copy CPU load plot")));
    QCOMPARE(texts.count(QString()), 1); // the separator
    QCOMPARE(texts.size(), 2 * static_cast<int>(system.plots().size()) + 1);
}

QPushButton* TestLivePage::whyButton() const
{
    for (auto* button : m_page->findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Why?"))
            return button;
    }
    return nullptr;
}

void TestLivePage::aSlowVariantIsExplainedAfterTheEnd()
{
    RunFixture fixture;
    fixture.config.variants[1].precision = Precision::Bf16;
    fixture.setSteps(200);
    fixture.argue({"--step-us", "2000"});
    auto* dock = m_page->findChild<QDockWidget*>(QStringLiteral("speed_up"));
    QVERIFY(dock->isHidden());
    m_session = std::make_unique<RunSession>(fixture.config, fixture.options, m_store);
    m_page->setSession(m_session.get());
    // Both have measured enough, but one is still on: a profile would disturb it.
    QTRY_VERIFY_WITH_TIMEOUT(m_session->buffer().status(1).step >= 150, 30000);
    QVERIFY(m_session->ended() || !whyButton());
    QTRY_VERIFY_WITH_TIMEOUT(m_session->ended(), 30000);
    QVERIFY(whyButton() && whyButton()->isVisible() && whyButton()->isEnabled());
    QVERIFY(allTexts().contains(QStringLiteral("the speed of a.")));
    everyControlHasAName();

    QTest::mouseClick(whyButton(), Qt::LeftButton);
    QVERIFY(dock->isVisible());
    QTRY_VERIFY(allTexts().contains(QStringLiteral("no worker here")));
    QCOMPARE(m_profiled, std::vector<std::int64_t>({m_session->runId(1)}));
    everyControlHasAName();
    const QByteArray kept = m_page->saveLayout();
    // With the next comparison the answers of the last one go.
    m_page->setSession(nullptr);
    QVERIFY(!whyButton());
    QVERIFY(dock->isHidden());
    m_page->restoreLayout(kept);
    QVERIFY(dock->isHidden());
}

void TestLivePage::noSlowVariantNoLine()
{
    RunFixture fixture; // both in fp32
    fixture.setSteps(200);
    run(fixture);
    QVERIFY(!whyButton());
    RunFixture killed;
    killed.config.variants[1].precision = Precision::Bf16;
    killed.setSteps(200);
    killed.argue(
        {"--fault", "kill", "--phase", "in-block", "--fault-variant", "b", "--fault-step", "150"});
    run(killed);
    QVERIFY(!whyButton());
}

MANTISSA_WIDGET_TEST(TestLivePage)
#include "tst_live_page.moc"
