// SPDX-License-Identifier: GPL-3.0-or-later
// "This machine" beside the rest of the program: past runs, the form, the window.
#include "core/storage/slow_formats.h"
#include "tests/support/test_program.h"
#include "tests/ui/experiment/machine_fixture.h"
#include "ui/hardware/hardware_page.h"
#include "ui/theme/theme.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/dock_area.h"
#include "ui/window/program_window.h"

#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QToolButton>

using namespace mantissa;
using namespace mantissa::ui;
using samples::script;
using samples::Shown;

namespace {

VariantFit fitOf(Precision precision, std::int64_t batch, std::optional<double> gain, bool all)
{
    BatchFit fit;
    fit.batch = batch;
    fit.peakBytes = 500 * samples::kMiB;
    fit.limitedByData = all;
    return {std::string(toString(precision)), precision, fit, gain};
}

} // namespace

class TestMachineInPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_theme = new Theme(*qApp, Appearance::Light); }
    void cleanupTestCase() { delete m_theme; }

    void tellsHowGoodPastPredictionsWere()
    {
        const auto config = test::experiment({Precision::Fp32});
        Shown shown(config);
        shown.show();
        QTRY_VERIFY(shown.said("machine_outcomes").contains(QStringLiteral("not predicted")));
        const auto store = CapabilityStore::open(shown.temp.file()).value();
        QVERIFY(store->addModelCheck(samples::checkOf(config)));
        shown.page->pageShown();
        QTRY_VERIFY(shown.said("machine_outcomes").contains(QStringLiteral("no run")));
        QVERIFY(!shown.find<QWidget>("outcomes")->isVisible());
        const auto run = test::storeFinishedRun(shown.temp.file(), 30);
        shown.page->pageShown();
        QTRY_VERIFY(shown.find<QWidget>("outcomes")->isVisible());
        // Steps of 1.000 to 1.006 ms where 6.14 ms were predicted.
        QCOMPARE(shown.cell("outcomes", 0, 0), QStringLiteral("%1 fp32").arg(run));
        QCOMPARE(shown.cell("outcomes", 0, 1), QStringLiteral("6.14 ms"));
        QCOMPARE(shown.cell("outcomes", 0, 2), QStringLiteral("1.00 ms"));
        QCOMPARE(shown.cell("outcomes", 0, 3), QStringLiteral("0.16x"));
        QVERIFY(shown.said("machine_outcomes").contains(QStringLiteral("0.16x")));
        // Other settings have no past.
        shown.page->form().setText("data.batch_size", QStringLiteral("3"));
        QVERIFY(!shown.find<QWidget>("outcomes")->isVisible());
    }

    void slowFormatsAreToldInTheWordsOfTheStart()
    {
        Shown shown;
        const auto check = samples::checkOf(*shown.document.experiment());
        QVERIFY(CapabilityStore::open(shown.temp.file()).value()->addModelCheck(check));
        shown.show();
        const auto wanted = slowFormatWarnings(*shown.document.experiment(), shown.temp.file());
        QCOMPARE(wanted.size(), std::size_t{2});
        QTRY_COMPARE(
            shown.said("machine_slow"), QString::fromStdString(wanted[0] + '\n' + wanted[1]));
        shown.page->form().setText("data.batch_size", QStringLiteral("3"));
        QCOMPARE(shown.said("machine_slow"), QString());
    }

    void matchMemoryGivesEachVariantItsBatch()
    {
        Shown shown;
        shown.show();
        shown.page->form().setOverride(2, "data.batch_size", QStringLiteral("5"));
        const auto before = shown.document.experiment()->variants;
        QCOMPARE(before[2].settings.data.batchSize, 5);
        shown.click("fit_match");
        QTRY_COMPARE(shown.machine->started(), 1);
        QVERIFY(!shown.find<QPushButton>("fit_match")->isEnabled());
        const MemoryMatch match{shown.machine->config(),
            {{"fp32", Precision::Fp32, 64, 10 * samples::kMiB, true, false, 1},
                {"bf16", Precision::Bf16, 110, 9.9 * samples::kMiB, false, false, 1.71875},
                {"fp16", Precision::Fp16, 32, 9.8 * samples::kMiB, false, false, 0.5}}};
        shown.machine->endMatch(match);
        QTRY_VERIFY(!shown.panel().runner().isOn());
        const auto variants = shown.document.experiment()->variants;
        QVERIFY(variants[0].overrides.empty()); // the baseline's stays
        QCOMPARE(variants[1].settings.data.batchSize, 110);
        QCOMPARE(variants[2].settings.data.batchSize, 32);
        QCOMPARE(variants[2].overrides.size(), std::size_t{1}); // taken over, not added
        QCOMPARE(shown.said("fit_text"),
            QStringLiteral("At the 10.0 MiB of fp32's batch 64: bf16 trains with 110 (1.72x), fp16 "
                           "trains with 32 (0.50x)."));
    }

    void anExperimentChangedMeanwhileIsNotMatched()
    {
        Shown shown;
        shown.show();
        shown.click("fit_match");
        QTRY_COMPARE(shown.machine->started(), 1);
        shown.page->form().setText("data.batch_size", QStringLiteral("7"));
        shown.machine->endMatch(MemoryMatch{shown.machine->config(),
            {{"fp32", Precision::Fp32, 64, 1, true, false, 1},
                {"bf16", Precision::Bf16, 110, 1, false, false, 1.7},
                {"fp16", Precision::Fp16, 110, 1, false, false, 1.7}}});
        QTRY_VERIFY(!shown.panel().runner().isOn());
        QVERIFY(shown.document.experiment()->variants[1].overrides.empty());
        QCOMPARE(shown.said("machine_progress"),
            QStringLiteral("The experiment was changed meanwhile: no batch is set."));
    }

    void fitFindsABatchThatCanBeTaken()
    {
        Shown shown;
        shown.show();
        auto* limit = shown.find<QLineEdit>("fit_memory");
        limit->setText(QStringLiteral("3 parsecs"));
        QVERIFY(!shown.find<QPushButton>("fit_start")->isEnabled());
        QVERIFY(shown.said("fit_text").contains(QStringLiteral("2GiB")));
        limit->setText(QStringLiteral("2GiB"));
        shown.click("fit_start");
        QTRY_COMPARE(
            shown.said("machine_progress"), QStringLiteral("fp32, batch 1,234: out of memory"));
        QCOMPARE(shown.machine->limit(), 2048.0 * samples::kMiB);
        QVERIFY(!shown.find<QPushButton>("machine_measure")->isEnabled());
        shown.machine->endFit({fitOf(Precision::Fp32, 1000, 1, false),
            fitOf(Precision::Bf16, 1900, 1.9, true), fitOf(Precision::Fp16, 0, {}, false)});
        QTRY_VERIFY(!shown.panel().runner().isOn());
        QCOMPARE(shown.said("fit_text"),
            QStringLiteral("Within 2,048.0 MiB: bf16 holds 1.90x the batch of fp32. bf16: all "
                           "samples of the data in one batch."));
        // The batch that all can take is chosen by itself.
        auto* use = shown.find<QPushButton>("fit_use");
        QCOMPARE(use->text(), QStringLiteral("Use batch 1,000"));
        QTest::mouseClick(use, Qt::LeftButton);
        QCOMPARE(shown.document.draft()->settings.data.batchSize, 1000);
        QVERIFY(shown.document.isModified());
        // A batch size changes nothing in what fits; the model does.
        QVERIFY(use->isEnabled());
        shown.page->form().setText("model.hidden", QStringLiteral("7"));
        QVERIFY(!use->isEnabled());
        QVERIFY(use->toolTip().contains(QStringLiteral("earlier settings")));
    }

    void everythingByKeyboardAndNamed()
    {
        Shown shown;
        shown.show();
        shown.measured();
        for (const auto* view : shown.panel().findChildren<QTableView*>())
            QVERIFY(!view->accessibleName().isEmpty());
        for (const auto* button : shown.panel().findChildren<QPushButton*>()) {
            QVERIFY2(!button->toolTip().isEmpty(), qPrintable(button->text()));
            QVERIFY((button->focusPolicy() & Qt::TabFocus) != 0);
        }
        QVERIFY(!shown.find<QLineEdit>("fit_memory")->accessibleName().isEmpty());
        shown.page->activateWindow();
        shown.find<QPushButton>("machine_measure")->setFocus();
        const auto before = shown.machine->started();
        QTest::keyClick(shown.find<QPushButton>("machine_measure"), Qt::Key_Space);
        QTRY_COMPARE(shown.machine->started(), before + 1);
        // The focus is on what can be pressed next, not on a field.
        QTRY_VERIFY(shown.find<QPushButton>("machine_measure")->hasFocus());
    }

    void smallWindowsHaveItAsATab()
    {
        Shown shown;
        shown.show();
        auto* dock = shown.find<Dock>("machine");
        auto* variants = shown.find<Dock>("variants");
        QTRY_VERIFY(dock->isVisible() && dock->x() > variants->x());
        shown.page->resize(1016, 608);
        const auto* docks = shown.page->findChild<DockArea*>();
        QTRY_VERIFY(docks->tabifiedDockWidgets(variants).contains(dock));
        // The form keeps its place: the side is as wide as one panel.
        QTRY_VERIFY2(variants->width() < 400, qPrintable(QString::number(variants->width())));
    }

    void windowKeepsMeasurementsApart()
    {
        test::TempStore temp;
        ExperimentDocument document;
        document.adopt(samples::threeVariants());
        MainWindow::Options options;
        options.store = temp.file();
        options.settingsFile = QString::fromStdString((temp.folder() / "window.ini").string());
        options.controller.worker = script(temp, "#!/bin/sh\nexec sleep 100\n").program;
        MainWindow window(options, *m_theme, document);
        addProgramPages(window, document, temp.file());
        window.show();
        auto& machine = window.findChild<ExperimentPage*>()->machine();
        const auto* check =
            window.findChild<HardwarePage*>()->findChild<QToolButton*>(QStringLiteral("check_run"));
        QVERIFY(window.startAction()->isEnabled() && check->isEnabled());
        machine.measure();
        QVERIFY(!window.startAction()->isEnabled() && !check->isEnabled());
        QVERIFY(window.startAction()->toolTip().contains(QStringLiteral("measurement")));
        QVERIFY(check->toolTip().contains(QStringLiteral("measurement")));
        machine.runner().cancel();
        QTRY_VERIFY(window.startAction()->isEnabled() && check->isEnabled());
    }

private:
    Theme* m_theme = nullptr;
};

MANTISSA_WIDGET_TEST(TestMachineInPage)
#include "tst_machine_in_page.moc"
