// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/realistic_store.h"
#include "ui/main_window/experiment_document.h"
#include "ui/main_window/main_window.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_table_view.h"
#include "ui/runs/runs_page.h"
#include "ui/theme/theme.h"
#include "ui/window/program_window.h"

#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QTest>
#include <QToolButton>

using namespace mantissa;
using namespace mantissa::ui;

/// From a stored run to the Experiment page, with mouse and keys in the whole window.
class TestCloneRun : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cloneFillsTheFormAndCanBeStarted();
};

void TestCloneRun::cloneFillsTheFormAndCanBeStarted()
{
    const test::TempStore temp;
    const auto ids = samples::makeRealisticStore(temp.file());
    Theme theme(*qApp, Appearance::Light);
    ExperimentDocument document;
    MainWindow::Options options;
    options.store = temp.file();
    options.settingsFile = QString::fromStdString((temp.folder() / "window.ini").string());
    MainWindow window(options, theme, document);
    addProgramPages(window, document, temp.file());
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(!window.startAction()->isEnabled());

    QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
    auto* table = window.findChild<RunTableView*>();
    QTRY_VERIFY(table->isVisible() && table->model()->rowCount() == 7);
    const QModelIndex cell = table->model()->index(0, 2);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(cell).center());
    QTRY_COMPARE(table->selectedRuns().size(), 1U);
    const RunRecord run = table->selectedRuns().front();
    auto* page = window.findChild<RunsPage*>();
    QToolButton* clone = nullptr;
    for (auto* button : page->findChildren<QToolButton*>()) {
        if (button->defaultAction() == page->runActions().clone)
            clone = button;
    }
    QVERIFY(clone && clone->isVisible() && clone->isEnabled());
    QTest::mouseClick(clone, Qt::LeftButton);

    // The form shows what the run's comparison was made with.
    auto* name = window.findChild<QLineEdit*>(QStringLiteral("name"));
    QTRY_VERIFY(name->isVisible());
    const auto store = RunStore::open(temp.file(), RunStore::Mode::ReadOnly);
    const auto stored = experimentFromJson((*store)->comparison(run.comparisonId)->config);
    QVERIFY(stored);
    QCOMPARE(name->text().toStdString(), stored->name);
    QVERIFY(document.experiment() && document.experiment()->variants == stored->variants);
    QVERIFY(document.file().empty());
    QVERIFY(window.startAction()->isEnabled());
}

MANTISSA_WIDGET_TEST(TestCloneRun)
#include "tst_clone_run.moc"
