// SPDX-License-Identifier: GPL-3.0-or-later
// The Hardware page while a check is on, and what comes of one.
#include "tests/support/test_program.h"
#include "tests/ui/hardware/shown_page.h"
#include "ui/hardware/check_controls.h"
#include "ui/hardware/rate_chart.h"

#include <QElapsedTimer>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

using namespace mantissa;
using namespace mantissa::ui;
using samples::Shown;

class TestHardwareCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cellsArriveWhileTheCheckIsOn();
    void finishedCheckIsKeptAndShown();
    void disturbedCheckIsCalledSo();
    void cancelAnswersAtOnce();
    void failureIsToldInWords();
    void missingWorkerIsToldInWords();
    void pageMayGoWhileACheckIsOn();
};

void TestHardwareCheck::cellsArriveWhileTheCheckIsOn()
{
    const Shown shown({samples::cpuCard()});
    QTest::mouseClick(shown.find<QToolButton>("check_quick"), Qt::LeftButton);
    // The old figures do not stand between the new ones.
    QCOMPARE(shown.cell(0, 2), QStringLiteral("measuring"));
    QTRY_VERIFY(shown.check->request().quick);
    shown.check->give(samples::cell(CheckWork::MatMul, CheckFormat::Fp32, 150e9, 10, 10));
    QTRY_COMPARE(shown.cell(0, 2), QStringLiteral("150 GFLOP/s"));
    QCOMPARE(shown.cell(0, 4), QStringLiteral("measuring"));
    QCOMPARE(shown.page->findChild<RateChart*>()->bars().size(), 1U);
    bool said = false;
    for (const auto* label : shown.page->findChildren<QLabel*>())
        said = said || label->text().contains(QStringLiteral("1 of 35 measured"));
    QVERIFY(said);
    QVERIFY(!shown.find<QToolButton>("check_run")->isEnabled());
    QVERIFY(shown.find<QToolButton>("check_cancel")->isEnabled());
    // A second request while one is on does nothing.
    shown.page->startCheck(false);
    QCOMPARE(shown.check->started(), 1);
}

void TestHardwareCheck::finishedCheckIsKeptAndShown()
{
    const Shown shown;
    QSignalSpy busy(shown.page.get(), &HardwarePage::busyChanged);
    shown.page->startCheck(false);
    shown.check->end(samples::cpuCard(1'700'000'500'000));
    QTRY_VERIFY(shown.page->card());
    QCOMPARE(shown.cell(0, 4), QStringLiteral("438 GFLOP/s"));
    QCOMPARE(busy.count(), 2);
    QCOMPARE(busy.last().first().toString(), QString());
    QTRY_VERIFY(shown.page->status().contains(QStringLiteral("check 1 of 1 on this machine")));
    const auto store = CapabilityStore::open(shown.temp.file(), RunStore::Mode::ReadOnly);
    QCOMPARE((*store)->checks().value().size(), 1U);
    QCOMPARE((*store)->checks().value().front().card.measuredMs, 1'700'000'500'000);
}

void TestHardwareCheck::disturbedCheckIsCalledSo()
{
    const Shown shown;
    auto card = samples::cpuCard();
    card.facts["foreign_load"] = 0.02;
    shown.page->startCheck(false);
    shown.check->end(card);
    QTRY_VERIFY(shown.page->card());
    QCOMPARE(shown.notice(), QString());
    card.measuredMs += 1000;
    card.facts["foreign_load"] = 0.77;
    shown.check->end(card);
    shown.page->startCheck(false);
    QTRY_VERIFY(shown.notice().contains(QStringLiteral("77.0 % of the machine")));
}

void TestHardwareCheck::cancelAnswersAtOnce()
{
    const Shown shown({samples::cpuCard()});
    shown.page->startCheck(false);
    QTRY_COMPARE(shown.check->started(), 1);
    QElapsedTimer clock;
    clock.start();
    QTest::mouseClick(shown.find<QToolButton>("check_cancel"), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !shown.page->runner().isOn(); }, 2000));
    QVERIFY2(clock.elapsed() < 200, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(shown.notice().contains(QStringLiteral("Cancelled")));
    // The stored check is back.
    QCOMPARE(shown.cell(0, 4), QStringLiteral("438 GFLOP/s"));
    QVERIFY(shown.find<QToolButton>("check_run")->isEnabled());
    const auto store = CapabilityStore::open(shown.temp.file(), RunStore::Mode::ReadOnly);
    QCOMPARE((*store)->checks().value().size(), 1U);
}

void TestHardwareCheck::failureIsToldInWords()
{
    const Shown shown;
    shown.page->startCheck(false);
    shown.check->end(fail("the worker was killed by signal 9 (SIGKILL)"));
    QTRY_VERIFY(shown.notice().contains(QStringLiteral("SIGKILL")));
    QVERIFY(shown.find<QPushButton>("check_first")->isVisible());
    QVERIFY(!shown.page->card());
}

void TestHardwareCheck::missingWorkerIsToldInWords()
{
    const test::TempStore temp;
    WindowSettings settings(QString::fromStdString((temp.folder() / "s.ini").string()));
    HardwarePage page(
        temp.file(), settings, []() -> Result<WorkerProgram> { return fail("no worker in /bin"); },
        [](const WorkerProgram&, const CheckRequest&, const auto&,
            std::stop_token) -> Result<CapabilityCard> { return fail("not reached"); });
    page.show();
    page.startCheck(false);
    QVERIFY(!page.runner().isOn());
    QCOMPARE(page.findChild<QLabel*>(QStringLiteral("hardware_notice"))->text(),
        QStringLiteral("no worker in /bin"));
}

void TestHardwareCheck::pageMayGoWhileACheckIsOn()
{
    Shown shown;
    shown.page->startCheck(false);
    QTRY_COMPARE(shown.check->started(), 1);
    shown.check->give(samples::cell(CheckWork::MatMul, CheckFormat::Fp32, 150e9, 10, 10));
    QElapsedTimer clock;
    clock.start();
    shown.page.reset();
    QVERIFY(clock.elapsed() < 1000);
    QCoreApplication::processEvents();
    // The check's thread is gone: nothing but the fixture holds what it ran.
    QCOMPARE(shown.check.use_count(), 1L);
}

MANTISSA_WIDGET_TEST(TestHardwareCheck)
#include "tst_hardware_check.moc"
