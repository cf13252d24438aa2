// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"
#include "ui/hardware/hardware_page.h"
#include "ui/main_window/experiment_document.h"
#include "ui/main_window/main_window.h"
#include "ui/runs/run_profiler.h"
#include "ui/session/run_session.h"
#include "ui/theme/theme.h"
#include "ui/window/program_window.h"

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace mantissa;
using namespace mantissa::ui;

/// In the whole window: a profile, a hardware check and a comparison take turns.
class TestProfileTurns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void startAndCheckWaitForAProfile();
    void aProfileWaitsForARun();
    void closingTheWindowEndsAProfile();

private:
    QPushButton* runCheck() const;

    std::unique_ptr<test::TempStore> m_temp;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<ExperimentDocument> m_document;
    std::unique_ptr<MainWindow> m_window;
    RunProfiler* m_profiler = nullptr;
    std::int64_t m_run = 0;
};

void TestProfileTurns::init()
{
    m_temp = std::make_unique<test::TempStore>();
    m_run = test::storeFinishedRun(m_temp->file());
    m_theme = std::make_unique<Theme>(*qApp, Appearance::Light);
    m_document = std::make_unique<ExperimentDocument>();
    MainWindow::Options options;
    options.store = m_temp->file();
    options.settingsFile = QString::fromStdString((m_temp->folder() / "window.ini").string());
    options.controller.worker = MANTISSA_FAKE_WORKER;
    options.controller.workerArguments = {"--step-us", "1000"};
    // The profile's worker never answers.
    QFile worker(QString::fromStdString((m_temp->folder() / "deaf").string()));
    QVERIFY(worker.open(QIODevice::WriteOnly));
    worker.write("#!/bin/sh\nexec tail -f /dev/null\n");
    worker.close();
    QVERIFY(worker.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
    qputenv("MANTISSA_WORKER", worker.fileName().toLocal8Bit());
    m_window = std::make_unique<MainWindow>(options, *m_theme, *m_document);
    addProgramPages(*m_window, *m_document, options.store);
    m_profiler = m_window->findChild<RunProfiler*>();
    auto config = test::experiment({Precision::Fp32});
    config.settings.train.steps = 3000;
    config.settings.train.epochs = 0;
    for (Variant& variant : config.variants)
        variant.settings.train = config.settings.train;
    m_document->adopt(config);
    m_window->show();
    QVERIFY(m_window->startAction()->isEnabled());
}

void TestProfileTurns::cleanup()
{
    m_window.reset();
    m_document.reset();
    m_theme.reset();
    qunsetenv("MANTISSA_WORKER");
}

QPushButton* TestProfileTurns::runCheck() const
{
    for (auto* button : m_window->findChild<HardwarePage*>()->findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Run check"))
            return button;
    }
    return nullptr;
}

void TestProfileTurns::startAndCheckWaitForAProfile()
{
    QVERIFY(runCheck()->isEnabled());
    QSignalSpy ended(m_profiler, &RunProfiler::ended);
    m_profiler->start(m_run);
    QVERIFY(m_profiler->isOn());
    QVERIFY(!m_window->startAction()->isEnabled());
    QVERIFY(m_window->startAction()->toolTip().contains(QStringLiteral("being profiled")));
    QVERIFY(!runCheck()->isEnabled());
    QVERIFY(runCheck()->toolTip().contains(QStringLiteral("being profiled")));
    m_window->startRun();
    QVERIFY(!m_window->session());
    m_window->findChild<HardwarePage*>()->startCheck(true);
    QVERIFY(!m_window->findChild<HardwarePage*>()->runner().isOn());
    m_profiler->cancel();
    QVERIFY(ended.count() > 0 || ended.wait());
    QVERIFY(m_window->startAction()->isEnabled());
    QVERIFY(runCheck()->isEnabled());
}

void TestProfileTurns::aProfileWaitsForARun()
{
    m_window->startRun();
    QVERIFY(m_window->session() && !m_window->session()->ended());
    QSignalSpy ended(m_profiler, &RunProfiler::ended);
    m_profiler->start(m_run);
    QVERIFY(!m_profiler->isOn());
    QCOMPARE(ended.count(), 1);
    QCOMPARE(ended.first().at(1).toString(), QStringLiteral("a run is on"));
    QVERIFY(!m_window->session()->ended());
    m_window->stopRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->ended(), 20000);
    m_profiler->start(m_run);
    QVERIFY(m_profiler->isOn());
}

void TestProfileTurns::closingTheWindowEndsAProfile()
{
    m_profiler->start(m_run);
    QVERIFY(m_profiler->isOn());
    m_window.reset(); // would else wait for a worker that never answers
    const auto events = (*RunStore::open(m_temp->file()))->events(m_run);
    QVERIFY(events);
    QVERIFY(!profilesOf(*events));
}

MANTISSA_WIDGET_TEST(TestProfileTurns)
#include "tst_profile_turns.moc"
