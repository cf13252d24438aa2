// SPDX-License-Identifier: GPL-3.0-or-later
// A hardware check and a training run exclude each other: in the whole window, with the fake
// worker of tests/support.
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"
#include "tests/ui/hardware/fake_check.h"
#include "tests/ui/hardware/sample_card.h"
#include "ui/hardware/hardware_page.h"
#include "ui/main_window/experiment_document.h"
#include "ui/main_window/main_window.h"
#include "ui/session/run_session.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QTest>
#include <QToolButton>

using namespace mantissa;
using namespace mantissa::ui;

class TestHardwareAndRuns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void startWaitsForACheckAndSaysSo();
    void checkWaitsForARunAndSaysSo();
    void statusLineSpeaksForThePage();

private:
    QToolButton* runCheck() const
    {
        return m_page->findChild<QToolButton*>(QStringLiteral("check_run"));
    }
    bool anyLabelSays(const QString& text) const;

    std::unique_ptr<test::TempStore> m_temp;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<ExperimentDocument> m_document;
    std::unique_ptr<MainWindow> m_window;
    std::shared_ptr<samples::FakeCheck> m_check;
    HardwarePage* m_page = nullptr;
};

void TestHardwareAndRuns::init()
{
    m_temp = std::make_unique<test::TempStore>();
    m_theme = std::make_unique<Theme>(*qApp, Appearance::Light);
    m_document = std::make_unique<ExperimentDocument>();
    m_check = std::make_shared<samples::FakeCheck>();
    MainWindow::Options options;
    options.store = m_temp->file();
    options.settingsFile = QString::fromStdString((m_temp->folder() / "window.ini").string());
    options.controller.worker = MANTISSA_FAKE_WORKER;
    options.controller.workerArguments = {"--step-us", "1000"};
    m_window = std::make_unique<MainWindow>(options, *m_theme, *m_document);
    m_page = new HardwarePage(
        options.store, m_window->settings(), [this] { return m_window->workerProgram(); },
        samples::runOf(m_check));
    m_window->addPage(m_page);
    connect(m_page, &HardwarePage::busyChanged, m_window.get(),
        [this](const QString& why) { m_window->setStartBlock(m_page, why); });
    auto config = test::experiment({Precision::Fp32});
    config.settings.train.steps = 3000;
    config.settings.train.epochs = 0;
    for (Variant& variant : config.variants)
        variant.settings.train = config.settings.train;
    m_document->adopt(config);
    m_window->show();
    QVERIFY2(m_document->experiment().has_value(),
        m_document->problems().empty() ? "" : m_document->problems()[0].message.c_str());
}

void TestHardwareAndRuns::cleanup()
{
    m_window.reset();
    m_document.reset();
    m_theme.reset();
}

bool TestHardwareAndRuns::anyLabelSays(const QString& text) const
{
    for (const auto* label : m_window->findChildren<QLabel*>()) {
        if (label->isVisible() && label->text().contains(text))
            return true;
    }
    return false;
}

void TestHardwareAndRuns::startWaitsForACheckAndSaysSo()
{
    QVERIFY(m_window->startAction()->isEnabled());
    m_page->startCheck(false);
    QVERIFY(!m_window->startAction()->isEnabled());
    QVERIFY(m_window->startAction()->toolTip().contains(QStringLiteral("hardware check")));
    QVERIFY(anyLabelSays(QStringLiteral("Start waits: a hardware check is on")));
    m_window->startRun();
    QVERIFY(!m_window->session());
    m_check->end(samples::cpuCard());
    QTRY_VERIFY(m_window->startAction()->isEnabled());
    QVERIFY(!anyLabelSays(QStringLiteral("Start waits")));
}

void TestHardwareAndRuns::checkWaitsForARunAndSaysSo()
{
    QVERIFY(runCheck()->isEnabled());
    m_window->startRun();
    QVERIFY(m_window->session() && !m_window->session()->ended());
    QVERIFY(!runCheck()->isEnabled());
    QVERIFY(runCheck()->toolTip().contains(QStringLiteral("a run is on")));
    m_page->startCheck(false);
    QCOMPARE(m_check->started(), 0);
    m_window->stopRun();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->ended(), 20000);
    QTRY_VERIFY(runCheck()->isEnabled());
}

void TestHardwareAndRuns::statusLineSpeaksForThePage()
{
    QVERIFY(anyLabelSays(QStringLiteral("not measured yet")));
    m_page->startCheck(false);
    QVERIFY(anyLabelSays(QStringLiteral("hardware check is on")));
    m_check->end(samples::cpuCard());
    QTRY_VERIFY(anyLabelSays(QStringLiteral("35 measurements, 28 done, 7 unsupported")));
}

MANTISSA_WIDGET_TEST(TestHardwareAndRuns)
#include "tst_hardware_and_runs.moc"
