// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/main_window.h"

#include "core/storage/capability_store.h"
#include "tests/core/run/run_fixture.h"
#include "tests/support/test_program.h"
#include "ui/live/live_page.h"
#include "ui/main_window/experiment_document.h"
#include "ui/runs/run_profiler.h"
#include "ui/session/run_session.h"

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QMenu>
#include <QMessageBox>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>

using namespace mantissa;
using namespace mantissa::ui;
using mantissa::test::RunFixture;

/// The window with the fake worker of tests/support.
class TestMainWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void startIsOffUntilTheExperimentIsValid();
    void actionsFollowTheRun();
    void aSlowFormatIsNamedAtTheStart();
    void closingDuringARunAsksOnce();
    void resumeNeedsACheckpointAndAFreeWindow();
    void changesAreNotDroppedUnasked();
    void brokenSettingsFallBackToDefaults();
    void layoutIsKept();
    void everyActionHasATextAndPagesHaveKeys();

private:
    void open();
    QAction* action(const QString& text) const;
    void answerBox(QMessageBox::StandardButton button);
    std::filesystem::path experiment(int steps) const;

    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ExperimentDocument> m_document;
    std::unique_ptr<RunProfiler> m_profiler;
    std::unique_ptr<MainWindow> m_window;
    QStringList m_workerArguments;
    int m_boxes = 0;
    QString m_lastBox;
};

void TestMainWindow::initTestCase()
{
    m_theme = std::make_unique<Theme>(*qobject_cast<QApplication*>(QCoreApplication::instance()));
}

void TestMainWindow::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_boxes = 0;
    open();
}

void TestMainWindow::cleanup()
{
    m_window.reset();
    m_document.reset();
}

void TestMainWindow::open()
{
    m_window.reset();
    m_document = std::make_unique<ExperimentDocument>();
    MainWindow::Options options;
    options.store = m_folder->filePath(QStringLiteral("runs.db")).toStdString();
    options.settingsFile = m_folder->filePath(QStringLiteral("window.ini"));
    options.controller.worker = MANTISSA_FAKE_WORKER;
    options.controller.workerArguments = {"--step-us", "1000"};
    m_window = std::make_unique<MainWindow>(options, *m_theme, *m_document);
    m_profiler = std::make_unique<RunProfiler>(profilingIn(options.store));
    m_window->addPage(new LivePage(
        m_window->startAction(), *m_document, m_window->settings(), options.store, *m_profiler));
    m_window->restore();
    m_window->show();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

QAction* TestMainWindow::action(const QString& text) const
{
    for (QAction* one : m_window->findChild<QToolBar*>(QStringLiteral("run"))->actions()) {
        if (one->text() == text)
            return one;
    }
    return nullptr;
}

std::filesystem::path TestMainWindow::experiment(int steps) const
{
    QFile file(m_folder->filePath(QStringLiteral("e.toml")));
    if (file.open(QIODevice::WriteOnly))
        file.write(
            "name = \"e\"\n[model]\nkind = \"mlp\"\n[data]\nsource = \"shapes\"\n[train]\nsteps = "
            + QByteArray::number(steps)
            + "\n[[variant]]\nname = \"fp32\"\nprecision = \"fp32\"\n"
              "[[variant]]\nname = \"bf16\"\nprecision = \"bf16\"\n");
    return file.fileName().toStdString();
}

/// Clicks a button of the next message box.
void TestMainWindow::answerBox(QMessageBox::StandardButton button)
{
    auto* timer = new QTimer(m_window.get());
    connect(timer, &QTimer::timeout, this, [this, timer, button] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (!box)
            return;
        timer->stop(); // the deletion waits for the next event loop
        timer->deleteLater();
        ++m_boxes;
        m_lastBox = box->text();
        QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
    timer->start(10);
}

void TestMainWindow::startIsOffUntilTheExperimentIsValid()
{
    ExperimentConfig config;
    m_document->adopt(config); // no variants: invalid
    QVERIFY(!m_window->startAction()->isEnabled());
    QVERIFY(m_window->startAction()->toolTip().contains(QStringLiteral("error")));
    answerBox(QMessageBox::Discard);
    m_window->openExperiment(experiment(20));
    QVERIFY(m_window->startAction()->isEnabled());
    QVERIFY(!action(QStringLiteral("Pause"))->isEnabled());
    QVERIFY(action(QStringLiteral("Pause"))->toolTip().contains(QStringLiteral("no run is on")));
}

void TestMainWindow::actionsFollowTheRun()
{
    m_window->openExperiment(experiment(100000));
    auto* bar = m_window->findChild<QToolBar*>(QStringLiteral("run"));
    const auto click = [&](const QString& text) {
        QTest::mouseClick(bar->widgetForAction(action(text)), Qt::LeftButton);
    };
    click(QStringLiteral("Start"));
    QVERIFY(m_window->session());
    QVERIFY(!m_window->startAction()->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->stepsDone() > 5, 10000);
    click(QStringLiteral("Pause"));
    QVERIFY(action(QStringLiteral("Resume")));
    QTRY_COMPARE(m_window->session()->state(), SessionState::Paused);
    click(QStringLiteral("Resume"));
    QTRY_COMPARE(m_window->session()->state(), SessionState::Running);
    click(QStringLiteral("Stop"));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->ended(), 10000);
    QVERIFY(m_window->startAction()->isEnabled());
    QVERIFY(!action(QStringLiteral("Stop"))->isEnabled());
    click(QStringLiteral("Start")); // the next run starts
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->stepsDone() > 5, 10000);
    m_window->stopRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->ended(), 10000);
}

void TestMainWindow::aSlowFormatIsNamedAtTheStart()
{
    m_document->open(experiment(3));
    QVERIFY(m_document->experiment());
    const auto& variants = m_document->experiment()->variants;
    ModelCheck check{"t", "cpu", 1, {}};
    for (const auto& variant : variants) {
        ModelProbe probe;
        probe.precision = variant.precision;
        probe.key = predictionKey(variant);
        probe.factor = variant.precision == Precision::Fp32 ? 1.0 : 40.0;
        check.probes.push_back(probe);
    }
    QVERIFY(variants.back().precision != Precision::Fp32);
    const auto store = m_folder->filePath(QStringLiteral("runs.db")).toStdString();
    QVERIFY(CapabilityStore::open(store).value()->addModelCheck(check));
    m_window->startAction()->trigger();
    QVERIFY2(
        m_window->statusBar()->currentMessage().contains(QStringLiteral("40x slower than fp32")),
        qPrintable(m_window->statusBar()->currentMessage()));
    QTRY_VERIFY(m_window->session()->ended());
}

void TestMainWindow::closingDuringARunAsksOnce()
{
    m_window->openExperiment(experiment(100000));
    QTest::keyClick(m_window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->session()->stepsDone() > 5, 10000);
    answerBox(QMessageBox::Cancel);
    QVERIFY(!m_window->close());
    QCOMPARE(m_boxes, 1);
    QVERIFY(!m_window->session()->ended());
    answerBox(QMessageBox::Close);
    QVERIFY(m_window->close());
    QCOMPARE(m_boxes, 2);
    QVERIFY(!m_window->session());
    const auto store = RunStore::open(
        m_folder->filePath(QStringLiteral("runs.db")).toStdString(), RunStore::Mode::ReadOnly);
    QVERIFY(store.has_value());
    const auto runs = (*store)->runs();
    QVERIFY(runs && runs->size() == 2);
    for (const RunRecord& run : *runs)
        QVERIFY2(run.state == RunState::Stopped, run.reason.c_str());
}

void TestMainWindow::resumeNeedsACheckpointAndAFreeWindow()
{
    m_window->openExperiment(experiment(100000));
    QTest::keyClick(m_window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->session()->stepsDone() > 5, 10000);
    const auto run = m_window->session()->runId(0);
    answerBox(QMessageBox::Ok);
    m_window->resumeRun(run);
    QCOMPARE(m_boxes, 1);
    QVERIFY2(m_lastBox.contains(QStringLiteral("One comparison at a time")), qPrintable(m_lastBox));
    QVERIFY(!m_window->session()->ended());
    m_window->stopRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->ended(), 10000);
    answerBox(QMessageBox::Ok);
    m_window->resumeRun(run);
    QCOMPARE(m_boxes, 2);
    QVERIFY2(m_lastBox.contains(QStringLiteral("checkpoint")), qPrintable(m_lastBox));
    QVERIFY(!m_window->session());
    QVERIFY(m_window->startAction()->isEnabled());
}

void TestMainWindow::changesAreNotDroppedUnasked()
{
    m_window->openExperiment(experiment(20));
    auto changed = *m_document->experiment();
    changed.name = "changed";
    m_document->edit(changed);
    answerBox(QMessageBox::Cancel);
    m_window->openExperiment(experiment(30));
    QCOMPARE(m_boxes, 1);
    QCOMPARE(m_document->experiment()->name, std::string("changed"));
    answerBox(QMessageBox::Cancel);
    QVERIFY(!m_window->close());
    answerBox(QMessageBox::Discard);
    m_window->openExperiment(experiment(30));
    QCOMPARE(m_boxes, 3);
    QCOMPARE(m_document->experiment()->name, std::string("e"));
    QVERIFY(m_window->close());
}

void TestMainWindow::brokenSettingsFallBackToDefaults()
{
    m_window->close();
    QFile file(m_folder->filePath(QStringLiteral("window.ini")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[window]\ngeometry=@ByteArray(garbage)\npage=Nowhere\nexperiment=/no/file.toml\n"
               "[layout]\nlive=@ByteArray(\\x1\\x2)\n[live]\nsmoothing=many\nx_axis=-4\n\x01\x02");
    file.close();
    open();
    QVERIFY(m_window->isVisible());
    QCOMPARE(m_window->size(), QSize(1440, 900));
}

void TestMainWindow::layoutIsKept()
{
    m_window->resize(1000, 650);
    m_window->openExperiment(experiment(20));
    m_window->close();
    open();
    QCOMPARE(m_window->size(), QSize(1000, 650));
    QCOMPARE(
        QString::fromStdString(m_document->file().filename().string()), QStringLiteral("e.toml"));
}

void TestMainWindow::everyActionHasATextAndPagesHaveKeys()
{
    bool hasPageKey = false;
    for (const QAction* one : m_window->findChildren<QAction*>()) {
        const auto* menu = qobject_cast<const QMenu*>(one->parent());
        // A menu's own action without a title is the tool bar's overflow arrow.
        if (one->isSeparator() || one->inherits("QWidgetAction")
            || (menu && menu->menuAction() == one))
            continue;
        QVERIFY2(!one->text().isEmpty(), one->parent()->metaObject()->className());
        hasPageKey = hasPageKey || one->shortcut() == QKeySequence(QStringLiteral("Ctrl+1"));
    }
    QVERIFY(hasPageKey);
}

MANTISSA_WIDGET_TEST(TestMainWindow)
#include "tst_main_window.moc"
