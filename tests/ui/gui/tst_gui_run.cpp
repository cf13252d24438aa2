// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/run_store.h"
#include "tests/support/test_program.h"
#include "ui/live/live_page.h"
#include "ui/live/scaler_panel.h"
#include "ui/main_window/experiment_document.h"
#include "ui/runs/runs_page.h"
#include "ui/session/run_session.h"
#include "ui/window/program_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDesktopServices>
#include <QFile>
#include <QPushButton>
#include <QSlider>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>
#include <QUrl>
#include <algorithm>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

constexpr int kSteps = 150;

// Many small micro-batches: a step is long enough for a person to press Pause in mid-run, and short
// where a format is emulated.
const QByteArray kExperiment = R"(name = "small-shapes"
description = "Three precisions on generated shapes."

[model]
kind = "mlp"
hidden = [16]

[data]
source = "shapes"
batch_size = 16
train_limit = 512
validation_limit = 64

[train]
steps = 150
accumulate = 32

[eval]
every = 50

[device]
kind = "cpu"
threads = 1

[run]
block = 10

[scaler]
growth_interval = 20

[[variant]]
name = "fp32"
precision = "fp32"

[[variant]]
name = "bf16"
precision = "bf16"

[[variant]]
name = "fp16"
precision = "fp16"
)";

QImage insideOf(SeriesPlot* plot)
{
    return plot->grab(plot->frame().adjusted(1, 1, -1, -1)).toImage();
}

} // namespace

/// An A/B run from Start to report, by mouse and keyboard on what is visible, with the real worker.
class TestGuiRun : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void chooseTheExperiment();
    void startAndSeeThePlotsMove();
    void pauseAndResume();
    void zoomEndsFollowAndDoubleClickFits();
    void runEndsWithEveryVariantFinished();
    void visiblePointsEqualTheStore();
    void reportIsWritten();
    void runsPageListsTheRuns();
    void aNewVariantBeginsAtTheCheckpointOfAStoppedRun();
    void aStoppedRunGoesOnFromTheRunsPage();
    void cleanupTestCase();

public Q_SLOTS:
    void openUrl(const QUrl& url) { m_opened = url; }

private:
    template <typename Widget> Widget* find(const QString& name) const
    {
        return m_window->findChild<Widget*>(name);
    }
    QWidget* button(const QString& text) const;
    QAbstractButton* buttonOn(const QWidget& page, const QString& text) const;
    void stopAfter(std::int64_t steps);
    RunsPage* showRuns();
    LivePage* live() const { return m_window->findChild<LivePage*>(); }

    QUrl m_opened;
    bool m_broken = false; ///< a part failed: the later ones cannot work
    QTemporaryDir m_folder;
    std::filesystem::path m_store;
    std::int64_t m_stoppedRun = 0;
    std::int64_t m_stoppedAt = 0;
    std::unique_ptr<Theme> m_theme;
    ExperimentDocument m_document;
    std::unique_ptr<MainWindow> m_window;
};

void TestGuiRun::initTestCase()
{
    m_store = m_folder.filePath(QStringLiteral("runs.db")).toStdString();
    QFile file(m_folder.filePath(QStringLiteral("small-shapes.toml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(kExperiment);
    file.close();
    const QString settings = m_folder.filePath(QStringLiteral("window.ini"));
    WindowSettings(settings).addRecentFile(file.fileName());

    m_theme = std::make_unique<Theme>(*qobject_cast<QApplication*>(QCoreApplication::instance()));
    MainWindow::Options options;
    options.store = m_store;
    options.settingsFile = settings;
    options.controller.worker = MANTISSA_REAL_WORKER;
    m_window = std::make_unique<MainWindow>(options, *m_theme, m_document);
    addProgramPages(*m_window, m_document, m_store);
    m_window->restore();
    m_window->show();
    // Without a window manager nobody else gives it the keyboard.
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void TestGuiRun::init()
{
    QVERIFY2(!m_broken, "an earlier part failed");
}

void TestGuiRun::cleanup()
{
    m_broken = m_broken || QTest::currentTestFailed();
}

QWidget* TestGuiRun::button(const QString& text) const
{
    auto* bar = find<QToolBar>(QStringLiteral("run"));
    for (QAction* action : bar->actions()) {
        if (action->text() == text)
            return bar->widgetForAction(action);
    }
    return nullptr;
}

void TestGuiRun::chooseTheExperiment()
{
    auto* picker = find<QComboBox>(QStringLiteral("experiment_picker"));
    QVERIFY(picker && picker->isVisible());
    const int row = picker->findText(QStringLiteral("small-shapes"));
    QVERIFY(row >= 0);
    QTest::mouseClick(picker, Qt::LeftButton);
    QTRY_VERIFY(picker->view()->isVisible());
    QCOMPARE(row, picker->count() - 1); // recent files stand at the end
    QTest::keyClick(picker->view(), Qt::Key_End);
    QTest::keyClick(picker->view(), Qt::Key_Return);
    QTRY_VERIFY(m_document.experiment() && m_document.experiment()->name == "small-shapes");
}

void TestGuiRun::startAndSeeThePlotsMove()
{
    QWidget* start = button(QStringLiteral("Start"));
    QVERIFY(start && start->isEnabled());
    QTest::mouseClick(start, Qt::LeftButton);
    QVERIFY(m_window->session());
    LivePlots& plots = live()->plots();
    QVERIFY(plots.isVisible());
    // A growth of the scale lies between the two pictures.
    const auto hasSteps = [&](std::size_t steps) {
        return std::ranges::all_of(std::vector{0, 1, 2}, [&](int i) {
            return plots.loss()->curveCount() == 3 && plots.loss()->curve(i).size() >= steps;
        });
    };
    QTRY_VERIFY_WITH_TIMEOUT(hasSteps(10), 120000);
    std::vector<QImage> before;
    for (SeriesPlot* plot : plots.plots())
        before.push_back(insideOf(plot));
    QTRY_VERIFY_WITH_TIMEOUT(hasSteps(45), 120000);
    QTest::qWait(50);
    for (std::size_t i = 0; i < 4; ++i)
        QVERIFY2(insideOf(plots.plots()[i]) != before[i], qPrintable(plots.plots()[i]->title()));
}

void TestGuiRun::pauseAndResume()
{
    QTest::mouseClick(button(QStringLiteral("Pause")), Qt::LeftButton);
    QVERIFY(button(QStringLiteral("Resume")));
    QTRY_VERIFY_WITH_TIMEOUT(
        m_window->session()->state() == SessionState::Paused || m_window->session()->ended(),
        20000);
    QVERIFY(!m_window->session()->ended());
    QTest::keyClick(m_window.get(), Qt::Key_F6);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->session()->state(), SessionState::Running, 20000);
}

void TestGuiRun::zoomEndsFollowAndDoubleClickFits()
{
    SeriesPlot* plot = live()->plots().loss();
    PlotGroup& group = live()->plots().group();
    QWidget* canvas = plot->findChild<QWidget*>();
    const QPoint middle = plot->frame().center();
    QVERIFY(group.follow());
    QTest::mousePress(canvas, Qt::LeftButton, Qt::ShiftModifier, middle - QPoint(50, 30));
    QTest::mouseMove(canvas, middle);
    QTest::mouseMove(canvas, middle + QPoint(50, 30));
    QTest::mouseRelease(canvas, Qt::LeftButton, Qt::ShiftModifier, middle + QPoint(50, 30));
    QVERIFY(!group.follow());
    const double zoomed = group.xRange().span();
    QTest::mouseDClick(canvas, Qt::LeftButton, {}, middle);
    QVERIFY(group.xRange().span() > zoomed);
    for (auto* box : m_window->findChildren<QAbstractButton*>()) {
        if (box->text() == QStringLiteral("Follow"))
            QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    }
    QVERIFY(group.follow());
}

void TestGuiRun::runEndsWithEveryVariantFinished()
{
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->ended(), 120000);
    for (int run = 0; run < 3; ++run) {
        const RunOutcome outcome = m_window->session()->buffer().status(run).outcome;
        QVERIFY2(outcome.state == RunState::Finished, outcome.reason.c_str());
        QCOMPARE(outcome.stepsAttempted, std::int64_t{kSteps});
    }
    QVERIFY(button(QStringLiteral("Start"))->isEnabled());
    QVERIFY(!button(QStringLiteral("Stop"))->isEnabled());
}

void TestGuiRun::visiblePointsEqualTheStore()
{
    auto* smoothing = live()->findChild<QSlider*>(QStringLiteral("smoothing"));
    QVERIFY(smoothing && smoothing->isVisible());
    smoothing->setFocus();
    QTest::keyClick(smoothing, Qt::Key_Home); // no smoothing
    SeriesPlot* plot = live()->plots().loss();
    const auto store = RunStore::open(m_store, RunStore::Mode::ReadOnly);
    QVERIFY(store.has_value());
    for (int run = 0; run < 3; ++run) {
        const auto stored = (*store)->readSeries(m_window->session()->runId(run), "loss");
        QVERIFY(stored.has_value());
        QCOMPARE(stored->y.size(), std::size_t{kSteps});
        QTRY_COMPARE(plot->drawnPoints(run).y, stored->y);
        QCOMPARE(plot->drawnPoints(run).x, stored->x);
        const QRect frame = plot->frame();
        for (std::size_t i = 0; i < stored->x.size(); ++i)
            QVERIFY(frame.adjusted(-1, -1, 1, 1)
                        .contains(plot->pixelOf(stored->x[i], stored->y[i]).toPoint()));
    }
}

void TestGuiRun::reportIsWritten()
{
    QPushButton* report = nullptr;
    for (auto* one : live()->findChildren<QPushButton*>()) {
        if (one->text() == QStringLiteral("Report"))
            report = one;
    }
    QVERIFY(report && report->isVisible() && report->isEnabled());
    QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "openUrl");
    QTest::mouseClick(report, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(
        m_opened.toLocalFile().endsWith(QStringLiteral("comparison-1.html")), 20000);
    QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
    QFile file(
        QString::fromStdString((m_store.parent_path() / "reports" / "comparison-1.html").string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray html = file.readAll();
    for (const char* text : {"small-shapes", "fp32", "bf16", "fp16", "<svg"})
        QVERIFY2(html.contains(text), text);
}

/// Goes to the Runs page by its key; null if it does not come.
RunsPage* TestGuiRun::showRuns()
{
    for (QAction* action : m_window->findChildren<QAction*>()) {
        if (action->text() != QStringLiteral("Runs") || action->shortcut().isEmpty())
            continue;
        const auto key = action->shortcut()[0];
        QTest::keyClick(m_window.get(), key.key(), key.keyboardModifiers());
    }
    auto* page = m_window->findChild<RunsPage*>();
    return page && page->isVisible() ? page : nullptr;
}

void TestGuiRun::runsPageListsTheRuns()
{
    auto* page = showRuns();
    QVERIFY(page);
    const auto tableOfRuns = [&]() -> const QAbstractItemModel* {
        for (auto* view : page->findChildren<QTableView*>()) {
            if (view->isVisible() && view->model() && view->model()->rowCount() == 3)
                return view->model();
        }
        return nullptr;
    };
    QTRY_VERIFY_WITH_TIMEOUT(tableOfRuns(), 10000);
    const QAbstractItemModel* table = tableOfRuns();
    const auto rowsWith = [&](const char* text) {
        int rows = 0;
        for (int row = 0; row < table->rowCount(); ++row) {
            bool found = false;
            for (int column = 0; column < table->columnCount(); ++column)
                found |= table->index(row, column).data().toString() == QLatin1String(text);
            rows += found ? 1 : 0;
        }
        return rows;
    };
    for (const char* variant : {"fp32", "bf16", "fp16"})
        QCOMPARE(rowsWith(variant), 1);
    // The table follows the store, which gets the last state within a moment.
    QTRY_COMPARE_WITH_TIMEOUT(rowsWith("finished"), 3, 10000);
}

QAbstractButton* TestGuiRun::buttonOn(const QWidget& page, const QString& text) const
{
    for (auto* one : page.findChildren<QAbstractButton*>()) {
        if (one->text() == text && one->isVisible())
            return one;
    }
    return nullptr;
}

/// Lets the run that is on go up to a step at least, and stops it by the button.
void TestGuiRun::stopAfter(std::int64_t steps)
{
    const auto* session = m_window->session();
    QTRY_VERIFY_WITH_TIMEOUT(session->buffer().status(0).step >= steps, 120000);
    QTest::mouseClick(button(QStringLiteral("Stop")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(session->ended(), 20000);
    const RunOutcome outcome = session->buffer().status(0).outcome;
    QVERIFY2(outcome.state == RunState::Stopped, outcome.reason.c_str());
}

void TestGuiRun::aNewVariantBeginsAtTheCheckpointOfAStoppedRun()
{
    QByteArray text = kExperiment;
    text.replace("steps = 150", "steps = 1000000");
    text.replace("block = 10", "block = 10\ncheckpoint_every = 5");
    text.truncate(text.indexOf("[[variant]]"));
    text += "[[variant]]\nname = \"fp16\"\nprecision = \"fp16\"\n";
    QFile file(m_folder.filePath(QStringLiteral("endless.toml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    m_window->openExperiment(file.fileName().toStdString());
    QTest::mouseClick(button(QStringLiteral("Start")), Qt::LeftButton);
    stopAfter(12);
    m_stoppedRun = m_window->session()->runId(0);
    m_stoppedAt = m_window->session()->buffer().status(0).outcome.stepsAttempted;
    auto* panel = live()->findChild<ScalerPanel*>();
    QVERIFY(panel && panel->hasScaler(0));
    auto* variant = panel->findChild<QPushButton*>(QStringLiteral("live.variant"));
    QTRY_VERIFY_WITH_TIMEOUT(variant->isEnabled(), 10000);
    variant->click();
    stopAfter(m_stoppedAt + 5);
    const auto store = RunStore::open(m_store, RunStore::Mode::ReadOnly);
    const auto run = m_window->session()->runId(0);
    QVERIFY(run != m_stoppedRun);
    QCOMPARE((*store)->run(run)->variant, std::string("fp16-scaler"));
    QCOMPARE((*store)->readSeries(run, "loss")->x.front(), static_cast<double>(m_stoppedAt + 1));
}

void TestGuiRun::aStoppedRunGoesOnFromTheRunsPage()
{
    auto* page = showRuns();
    QVERIFY(page);
    page->selectRuns({m_stoppedRun});
    QAbstractButton* resume = buttonOn(*page, QStringLiteral("Resume"));
    QVERIFY(resume);
    QTRY_VERIFY_WITH_TIMEOUT(resume->isEnabled(), 10000);
    QTest::mouseClick(resume, Qt::LeftButton);
    QVERIFY(live()->isVisible());
    QCOMPARE(m_window->session()->runId(0), m_stoppedRun);
    stopAfter(m_stoppedAt + 5);
    const auto store = RunStore::open(m_store, RunStore::Mode::ReadOnly);
    const auto loss = (*store)->readSeries(m_stoppedRun, "loss");
    QVERIFY(loss->x.size() > static_cast<std::size_t>(m_stoppedAt));
    for (std::size_t i = 0; i < loss->x.size(); ++i)
        QCOMPARE(loss->x[i], static_cast<double>(i + 1));
}

void TestGuiRun::cleanupTestCase()
{
    m_window->close();
    m_window.reset();
}

MANTISSA_WIDGET_TEST(TestGuiRun)
#include "tst_gui_run.moc"
