// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "tests/ui/experiment/machine_fixture.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSignalSpy>

using namespace mantissa;
using namespace mantissa::ui;
using samples::script;
using samples::Shown;

class TestMachinePanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_theme = new Theme(*qApp, Appearance::Light); }
    void cleanupTestCase() { delete m_theme; }

    void measuresWhatTheFormHolds()
    {
        Shown shown;
        shown.show();
        QVERIFY(shown.find<QWidget>("machine_empty")->isVisible());
        QCOMPARE(shown.panel().summary(), QStringLiteral("not measured yet"));
        shown.page->form().setText("train.steps", QStringLiteral("77"));
        shown.page->form().setText("data.batch_size", QStringLiteral("32"));
        const QSignalSpy busy(&shown.panel(), &MachinePanel::busyChanged);
        shown.click("machine_measure");
        QTRY_COMPARE(shown.machine->started(), 1);
        QCOMPARE(shown.machine->config().settings.train.steps, 77);
        QCOMPARE(shown.machine->config().variants[1].settings.data.batchSize, 32);
        QCOMPARE(busy.count(), 1);
        QVERIFY(!busy.first().first().toString().isEmpty());
        QVERIFY(!shown.find<QPushButton>("machine_measure")->isEnabled());
        QVERIFY(shown.find<QPushButton>("machine_cancel")->isEnabled());
        shown.panel().measure(); // one at a time
        shown.machine->end(samples::checkOf(*shown.document.experiment()));
        QTRY_COMPARE(busy.count(), 2);
        QCOMPARE(busy.last().first().toString(), QString());
        QCOMPARE(shown.machine->started(), 1);
    }

    void rowsComeOneByOneAndTheResultIsKept()
    {
        Shown shown;
        shown.show();
        shown.click("machine_measure");
        const auto config = *shown.document.experiment();
        shown.machine->give(samples::probeOf(config.variants[0], 6.14, 1));
        QTRY_COMPARE(shown.said("machine_progress"), QStringLiteral("1 of 4 measured"));
        QCOMPARE(shown.cell("predictions", 0, 1), QStringLiteral("6.14 ms"));
        QVERIFY(!shown.find<QWidget>("machine_empty")->isVisible());
        auto check = samples::checkOf(config, 1'700'000'000'000);
        check.probes[2].reason = "out of memory: the worker was killed by signal 9 (SIGKILL)";
        shown.machine->end(check);
        QTRY_VERIFY(!shown.panel().runner().isOn());
        QVERIFY(shown.find<WholeTable>("predictions")->isVisible());
        QCOMPARE(shown.cell("predictions", 1, 2), QStringLiteral("65x slower"));
        QVERIFY(shown.cell("predictions", 2, 1).startsWith(QStringLiteral("out of memory")));
        QCOMPARE(shown.cell("memory_roles", 0, 1), QStringLiteral("4.6"));
        QVERIFY(shown.panel().summary().startsWith(QStringLiteral("measured")));
        QTRY_COMPARE(shown.stored().size(), std::size_t{1});
        QCOMPARE(toJson(shown.stored().front()).dump(), toJson(check).dump());
    }

    void editsThatMatterMakeItStaleUntilTheyAreTakenBack()
    {
        Shown shown;
        shown.show();
        shown.measured();
        auto& form = shown.page->form();
        for (const auto* path : {"eval.every", "train.lr", "description"}) {
            form.setText(path, QStringLiteral("1"));
            QVERIFY2(shown.said("machine_stale").isEmpty() && !shown.isMuted(), path);
        }
        const auto expectStale = [&](bool stale, const char* what) {
            QVERIFY2(
                shown.said("machine_stale").contains(QStringLiteral("earlier settings")) == stale,
                what);
            QVERIFY2(shown.isMuted() == stale, what);
            QVERIFY2(
                (shown.panel().summary() == QStringLiteral("for earlier settings")) == stale, what);
        };
        for (const auto* path : {"data.batch_size", "train.steps", "device.threads"}) {
            const auto before = form.text(path);
            form.setText(path, QStringLiteral("3"));
            expectStale(true, path);
            form.setText(path, before);
            expectStale(false, path);
        }
        form.setText("data.batch_size", QStringLiteral("many"));
        expectStale(true, "a field in error");
        form.setText("data.batch_size", QStringLiteral("64"));
        form.setPrecision(1, Precision::Fp32);
        expectStale(true, "precision");
        shown.measured();
        expectStale(false, "measured again");
    }

    void anotherExperimentClearsIt()
    {
        Shown shown;
        shown.show();
        shown.measured();
        QVERIFY(shown.document.save(shown.temp.folder() / "saved.toml"));
        QVERIFY(shown.find<QWidget>("predictions")->isVisible()); // the same one, in a file
        shown.document.open(MANTISSA_SOURCE_DIR "/experiments/fashion-mnist-quick.toml");
        QVERIFY(!shown.find<QWidget>("predictions")->isVisible());
        QVERIFY(shown.find<QWidget>("machine_empty")->isVisible());
        QVERIFY(shown.said("machine_stale").isEmpty());
        QCOMPARE(shown.panel().summary(), QStringLiteral("not measured yet"));
    }

    void anotherExperimentEndsWhatIsOn()
    {
        Shown shown;
        shown.show();
        shown.click("machine_measure");
        QTRY_COMPARE(shown.machine->started(), 1);
        shown.document.open(MANTISSA_SOURCE_DIR "/experiments/fashion-mnist-quick.toml");
        QTRY_VERIFY(!shown.panel().runner().isOn());
        QVERIFY(!shown.find<QWidget>("predictions")->isVisible());
        QVERIFY(shown.find<QPushButton>("machine_measure")->isEnabled());
    }

    void cancelAnswersAtOnce()
    {
        Shown shown;
        shown.show();
        shown.click("machine_measure");
        shown.machine->give(samples::probeOf(shown.document.experiment()->variants[0], 6.14, 1));
        QTRY_VERIFY(shown.find<QWidget>("predictions")->isVisible());
        QElapsedTimer clock;
        clock.start();
        shown.click("machine_cancel");
        QVERIFY(QTest::qWaitFor([&] { return !shown.panel().runner().isOn(); }, 2000));
        QVERIFY2(clock.elapsed() < 200, qPrintable(QString::number(clock.elapsed())));
        QVERIFY(shown.said("machine_progress").contains(QStringLiteral("Cancelled")));
        QVERIFY(!shown.find<QWidget>("predictions")->isVisible());
        QVERIFY(shown.find<QPushButton>("machine_measure")->isEnabled());
        QVERIFY(!shown.find<QPushButton>("machine_cancel")->isEnabled());
        QVERIFY(shown.stored().empty());
    }

    void cancelEndsARealWorkerAtOnce()
    {
        Shown shown;
        shown.worker = script(shown.temp, "#!/bin/sh\necho $$ > \"$0.pid\"\nexec sleep 100\n");
        shown.show(true);
        shown.click("machine_measure");
        QFile pid(QString::fromStdString((shown.temp.folder() / "worker.sh.pid").string()));
        QTRY_VERIFY(pid.exists() && pid.size() > 0);
        QElapsedTimer clock;
        clock.start();
        shown.click("machine_cancel");
        QVERIFY(QTest::qWaitFor([&] { return !shown.panel().runner().isOn(); }, 5000));
        QVERIFY2(clock.elapsed() < 200, qPrintable(QString::number(clock.elapsed())));
        QVERIFY(pid.open(QIODevice::ReadOnly));
        QVERIFY(!QFile::exists(
            QStringLiteral("/proc/") + QString::fromLatin1(pid.readAll().trimmed())));
    }

    void aWorkerThatDiesIsAReasonInItsRow()
    {
        Shown shown(test::experiment({Precision::Fp32}));
        shown.worker = script(shown.temp, "#!/bin/sh\nkill -9 $$\n");
        shown.show(true);
        shown.click("machine_measure");
        QTRY_VERIFY(!shown.panel().runner().isOn());
        QCOMPARE(shown.find<WholeTable>("predictions")->model()->rowCount(), 4);
        QVERIFY2(shown.cell("predictions", 0, 1).contains(QStringLiteral("SIGKILL")),
            qPrintable(shown.cell("predictions", 0, 1)));
        QVERIFY(!shown.find<QWidget>("memory_roles")->isVisible());
    }

    void measureSaysWhyItCannot()
    {
        Shown shown;
        shown.show();
        const auto* measure = shown.find<QPushButton>("machine_measure");
        QVERIFY(measure->isEnabled() && !measure->toolTip().isEmpty());
        shown.page->form().setText("train.steps", QStringLiteral("none"));
        QVERIFY(!measure->isEnabled());
        QVERIFY(measure->toolTip().contains(QStringLiteral("1 error in the experiment")));
        QVERIFY(!shown.find<QPushButton>("fit_start")->isEnabled());
        shown.panel().measure();
        QCOMPARE(shown.machine->started(), 0);
        shown.page->form().setText("train.steps", QStringLiteral("10"));
        QVERIFY(measure->isEnabled());
        shown.panel().setOtherWork(QStringLiteral("a hardware check is on"));
        QVERIFY(!measure->isEnabled());
        QVERIFY(measure->toolTip().contains(QStringLiteral("a hardware check is on")));
        shown.panel().setOtherWork({});
        QVERIFY(measure->isEnabled());
    }

    void failuresAreToldInWords()
    {
        Shown shown;
        shown.worker = fail("no worker in /bin");
        shown.show();
        shown.click("machine_measure");
        QCOMPARE(shown.said("machine_notice"), QStringLiteral("no worker in /bin"));
        shown.worker = WorkerProgram{"/nowhere", {}, {}};
        shown.click("machine_measure");
        QCOMPARE(shown.said("machine_notice"), QString());
        shown.machine->end(fail("the pipe broke"));
        QTRY_VERIFY(shown.said("machine_notice").contains(QStringLiteral("the pipe broke")));
    }

    void panelMayGoWhileItMeasures()
    {
        Shown shown;
        shown.show();
        shown.click("machine_measure");
        QTRY_COMPARE(shown.machine->started(), 1);
        shown.page.reset();
        QCoreApplication::processEvents();
        QCOMPARE(shown.machine.use_count(), 1L);
    }

private:
    Theme* m_theme = nullptr;
};

MANTISSA_WIDGET_TEST(TestMachinePanel)
#include "tst_machine_panel.moc"
