// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/realistic_store.h"
#include "ui/main_window/window_settings.h"
#include "ui/plot/series_plot.h"
#include "ui/runs/details_panel.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_exporter.h"
#include "ui/runs/run_plots.h"
#include "ui/runs/run_profiler.h"
#include "ui/runs/run_table_model.h"
#include "ui/runs/run_table_view.h"
#include "ui/runs/runs_page.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>

using namespace mantissa;
using namespace mantissa::ui;

class TestRunsPage : public QObject {
    Q_OBJECT

private:
    static QString settingsFile(const test::TempStore& temp);
    struct Shown; ///< a page on a realistic store

private Q_SLOTS:
    void emptyStoreSaysWhatToDo();
    void showsRunsAndDrawsTheChosenOnes();
    void newestComparisonIsChosenAtFirst();
    void drawnPointsAreThoseOfTheStore();
    void filterNarrowsTheTableAndSaysErrors();
    void everythingByKeyboard();
    void notesAreStoredWhenTheFieldIsLeft();
    void deleteAsksOnceAndNamesWhatIsLost();
    void followsAStoreThatAnotherProgramWrites();
    void cloneGivesTheExperiment();
    void resumeIsOfferedWhereARunCanGoOn();
    void writesReportAndExports();
    void readoutHasTheValuesAtTheCursor();
    void secondRunOfAPrecisionHasItsOwnColour();
    void reportButtonWaitsForTheReport();
    void brokenLayoutIsIgnored();
    void everyControlHasANameAndATip();
    void picturesForLooking();
};

QString TestRunsPage::settingsFile(const test::TempStore& temp)
{
    return QString::fromStdString((temp.folder() / "settings.ini").string());
}

struct TestRunsPage::Shown {
    test::TempStore temp;
    WindowSettings settings{settingsFile(temp)};
    std::vector<std::int64_t> ids;
    std::unique_ptr<RunProfiler> profiler;
    std::unique_ptr<RunsPage> page;
    RunTableView* table = nullptr;
    RunPlots* plots = nullptr;

    Shown()
        : ids(samples::makeRealisticStore(temp.file()))
        , profiler(std::make_unique<RunProfiler>(profilingIn(temp.file())))
        , page(std::make_unique<RunsPage>(temp.file(), settings, *profiler))
        , table(page->findChild<RunTableView*>())
        , plots(page->findChild<RunPlots*>())
    {
        page->resize(1356, 810);
        page->show();
        static_cast<void>(QTest::qWaitFor([this] { return table->model()->rowCount() == 7; }));
    }

    RunRecord stored(std::int64_t id) const
    {
        return (*RunStore::open(temp.file(), RunStore::Mode::ReadOnly))->run(id).value();
    }

    bool choose(const std::vector<std::int64_t>& runs) const
    {
        page->selectRuns(runs);
        return QTest::qWaitFor([&] {
            return plots->plots()[0]->curveCount() == static_cast<int>(runs.size())
                && plots->plots()[0]->curve(0).size() > 0;
        });
    }
};

void TestRunsPage::emptyStoreSaysWhatToDo()
{
    const test::TempStore temp;
    WindowSettings settings(settingsFile(temp));
    RunProfiler profiler(profilingIn(temp.file()));
    RunsPage page(temp.file(), settings, profiler);
    page.show();
    QPushButton* start = nullptr;
    for (auto* button : page.findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Start"))
            start = button;
    }
    QVERIFY(start && start->isVisible());
    QSignalSpy asked(&page, &RunsPage::startRequested);
    QTest::mouseClick(start, Qt::LeftButton);
    QCOMPARE(asked.count(), 1);
}

void TestRunsPage::showsRunsAndDrawsTheChosenOnes()
{
    const Shown shown;
    QCOMPARE(shown.table->model()->rowCount(), 7);
    QVERIFY(shown.choose(shown.ids));
    for (const SeriesPlot* plot : shown.plots->plots())
        QCOMPARE(plot->curveCount(), 3);
    // Only the fp16 run has a scaler, and so a curve and marks in the loss scale plot.
    const SeriesPlot& scale = *shown.plots->plots()[1];
    QCOMPARE(scale.curve(0).size(), 0U);
    QCOMPARE(scale.curve(2).size(), 2000U);
    QVERIFY(!scale.marks().empty());
    QTRY_COMPARE(
        shown.page->findChild<DetailsPanel*>()->findChild<QTreeWidget*>()->columnCount(), 4);
}

void TestRunsPage::newestComparisonIsChosenAtFirst()
{
    const Shown shown;
    std::vector<std::int64_t> chosen;
    for (const RunRecord& run : shown.table->selectedRuns())
        chosen.insert(chosen.begin(), run.id);
    QCOMPARE(chosen, shown.ids);
}

void TestRunsPage::drawnPointsAreThoseOfTheStore()
{
    const Shown shown;
    QVERIFY(shown.choose({shown.ids[1]}));
    const auto store = RunStore::open(shown.temp.file(), RunStore::Mode::ReadOnly);
    const auto loss = (*store)->readSeries(shown.ids[1], "loss").value();
    const auto raw = shown.plots->plots()[0]->curve(0).raw().y();
    QVERIFY(std::equal(raw.begin(), raw.end(), loss.y.begin(), loss.y.end()));
    const auto memory = (*store)->readSeries(shown.ids[1], "memory_bytes").value();
    QCOMPARE(shown.plots->plots()[3]->curve(0).raw().y()[5], memory.y[5] / 1048576);
}

void TestRunsPage::filterNarrowsTheTableAndSaysErrors()
{
    const Shown shown;
    auto* filter = shown.page->findChild<QLineEdit*>(QStringLiteral("runs_filter"));
    QTest::keyClicks(filter, QStringLiteral("precision:fp16"));
    QCOMPARE(shown.table->model()->rowCount(), 3);
    filter->setText(QStringLiteral("precision:fp16 nonsense:1"));
    QCOMPARE(shown.table->model()->rowCount(), 3);
    bool said = false;
    for (const auto* label : shown.page->findChildren<QLabel*>())
        said = said || (label->isVisible() && label->text().contains(QStringLiteral("nonsense")));
    QVERIFY(said);
    filter->clear();
    QCOMPARE(shown.table->model()->rowCount(), 7);
}

void TestRunsPage::everythingByKeyboard()
{
    const Shown shown;
    shown.page->activateWindow();
    shown.table->setFocus();
    QVERIFY(QTest::qWaitFor([&] { return shown.table->hasFocus(); }));
    // Newest first: the top row is the last run.
    shown.table->setCurrentIndex(shown.table->model()->index(0, 0));
    QTest::keyClick(shown.table, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(shown.table->selectedRuns().size(), 2U);
    QTest::keyClick(shown.table, Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_COMPARE(shown.table->model()->rowCount(), 5);
    QVERIFY(shown.stored(shown.ids[2]).archived);
    QTest::keyClick(shown.table, Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(shown.table->model()->rowCount(), 7);
    QTest::keyClick(shown.table, Qt::Key_F, Qt::ControlModifier);
    QVERIFY(shown.page->findChild<QLineEdit*>(QStringLiteral("runs_filter"))->hasFocus());
    shown.table->setFocus();
    shown.page->selectRuns({shown.ids[0]});
    QTest::keyClick(shown.table, Qt::Key_F2);
    QVERIFY(shown.page->findChild<QPlainTextEdit*>()->hasFocus());
}

void TestRunsPage::notesAreStoredWhenTheFieldIsLeft()
{
    const Shown shown;
    shown.page->activateWindow();
    shown.page->selectRuns({shown.ids[0]});
    auto* note = shown.page->findChild<QPlainTextEdit*>();
    note->setFocus();
    QTest::keyClicks(note, QStringLiteral("looks good"));
    shown.table->setFocus();
    QCOMPARE(shown.stored(shown.ids[0]).note, std::string("looks good"));
    // Another choice must not carry the text over.
    shown.page->selectRuns({shown.ids[1]});
    QCOMPARE(note->toPlainText(), QString());
    QCOMPARE(shown.stored(shown.ids[1]).note, std::string());
    shown.page->runActions().undo->trigger();
    QCOMPARE(shown.stored(shown.ids[0]).note, std::string());
}

void TestRunsPage::deleteAsksOnceAndNamesWhatIsLost()
{
    const Shown shown;
    shown.page->selectRuns({shown.ids[2]});
    QString said;
    const auto answer = [&said](const QString& button) {
        QTimer::singleShot(0, [&said, button] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            said = box->informativeText();
            for (auto* choice : box->buttons()) {
                if (choice->text().remove(QLatin1Char('&')) == button)
                    choice->click();
            }
        });
    };
    answer(QStringLiteral("Cancel"));
    shown.page->runActions().remove->trigger();
    QVERIFY(said.contains(
        QStringLiteral("run %1: fashion-mnist-cnn, fp16, 2,000 steps").arg(shown.ids[2])));
    QCOMPARE(shown.stored(shown.ids[2]).id, shown.ids[2]);
    answer(QStringLiteral("Delete"));
    shown.page->runActions().remove->trigger();
    QTRY_COMPARE(shown.table->model()->rowCount(), 6);
}

void TestRunsPage::followsAStoreThatAnotherProgramWrites()
{
    const Shown shown;
    shown.page->selectRuns({shown.ids[1]});
    test::storeFinishedRun(shown.temp.file());
    QTRY_COMPARE(shown.table->model()->rowCount(), 8);
    QCOMPARE(shown.table->selectedRuns().size(), 1U);
    QCOMPARE(shown.table->selectedRuns().front().id, shown.ids[1]);
}

void TestRunsPage::cloneGivesTheExperiment()
{
    const Shown shown;
    QSignalSpy cloned(shown.page.get(), &RunsPage::cloneRequested);
    shown.page->selectRuns({shown.ids[1]});
    shown.page->runActions().clone->trigger();
    QCOMPARE(cloned.count(), 1);
    const auto config = cloned.first().first().value<ExperimentConfig>();
    QCOMPARE(config.name, std::string("fashion-mnist-cnn"));
    QCOMPARE(config.variants.size(), 3U);
}

void TestRunsPage::resumeIsOfferedWhereARunCanGoOn()
{
    const Shown shown;
    const QAction* resume = shown.page->runActions().resume;
    QSignalSpy asked(shown.page.get(), &RunsPage::resumeRequested);
    shown.page->selectRuns({shown.ids[0]}); // finished
    QVERIFY(!resume->isEnabled());
    QVERIFY(resume->toolTip().contains(QStringLiteral("Only a stopped")));
    shown.page->selectRuns({shown.ids[0], shown.ids[2]});
    QVERIFY(!resume->isEnabled());
    shown.page->selectRuns({shown.ids[2]}); // stopped at its time limit
    QVERIFY(resume->isEnabled());
    QTest::keyClick(shown.table, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked.first().first().toLongLong(), shown.ids[2]);
}

void TestRunsPage::writesReportAndExports()
{
    const Shown shown;
    QSignalSpy written(&shown.page->exporter(), &RunExporter::written);
    QSignalSpy failed(&shown.page->exporter(), &RunExporter::failed);
    const auto folder = QString::fromStdString(shown.temp.folder().string());
    shown.page->exporter().writeReport(shown.ids, folder + QStringLiteral("/r.html"));
    shown.page->exporter().writeJson(shown.ids, folder + QStringLiteral("/r.json"));
    shown.page->exporter().writeCsv(shown.ids, folder + QStringLiteral("/csv"));
    QTRY_COMPARE(written.count(), 3);
    QCOMPARE(failed.count(), 0);
    QFile report(folder + QStringLiteral("/r.html"));
    QVERIFY(report.open(QIODevice::ReadOnly));
    QVERIFY(report.readAll().contains("fashion-mnist-cnn"));
    QVERIFY(QFileInfo(folder + QStringLiteral("/csv/runs.csv")).size() > 0);
    shown.page->exporter().writeReport({4711}, folder + QStringLiteral("/none.html"));
    QTRY_COMPARE(failed.count(), 1);
}

void TestRunsPage::readoutHasTheValuesAtTheCursor()
{
    const Shown shown;
    QVERIFY(shown.choose(shown.ids));
    auto* view = shown.page->findChild<QTableView*>(QStringLiteral("readout"));
    const auto cell = [view](int row, int column) {
        return view->model()->index(row, column).data().toString();
    };
    QCOMPARE(view->model()->rowCount(), 5); // three runs, two differences
    QCOMPARE(cell(0, ReadoutTable::Loss), QString());
    shown.plots->moveCursorTo(shown.ids[0], 1204);
    const auto store = RunStore::open(shown.temp.file(), RunStore::Mode::ReadOnly);
    for (int i = 0; i < 3; ++i) {
        const auto run = shown.ids[static_cast<std::size_t>(i)];
        const auto loss = (*store)->readSeries(run, "loss").value();
        QCOMPARE(cell(i, ReadoutTable::Step), QStringLiteral("1,204"));
        QCOMPARE(cell(i, ReadoutTable::Loss), QString::number(loss.y[1203], 'f', 4));
    }
    QCOMPARE(cell(0, ReadoutTable::Scale), QStringLiteral("none"));
    QVERIFY(!cell(2, ReadoutTable::Scale).isEmpty());
    // Pointing at any plot moves it, too.
    const auto* rate = shown.plots->plots()[2];
    QTest::mouseMove(shown.plots->plots()[2], rate->frame().center());
    QTRY_VERIFY(cell(0, ReadoutTable::Step) != QStringLiteral("1,204"));
}

void TestRunsPage::secondRunOfAPrecisionHasItsOwnColour()
{
    const Shown shown;
    std::vector<std::int64_t> alike;
    const auto* model = shown.page->findChild<RunTableModel*>();
    for (int row = 0; row < model->rowCount() && alike.size() < 2; ++row) {
        if (model->runAt(row).precision == "fp32")
            alike.push_back(model->runAt(row).id);
    }
    QCOMPARE(alike.size(), 2U);
    QVERIFY(shown.choose(alike));
    const auto swatch = [model](std::int64_t run) {
        const auto cell = model->index(model->rowOf(run), static_cast<int>(RunColumn::Variant));
        return cell.data(Qt::DecorationRole).value<QPixmap>().toImage().pixelColor(7, 6);
    };
    const auto& set = colours(qApp->palette());
    for (int i = 0; i < 2; ++i) {
        const auto colour = shown.plots->plots()[0]->curve(i).spec().colour;
        QTRY_COMPARE(swatch(alike[static_cast<std::size_t>(i)]), set.series(colour));
    }
    QVERIFY(swatch(alike[0]) != swatch(alike[1]));
}

void TestRunsPage::reportButtonWaitsForTheReport()
{
    const Shown shown;
    QVERIFY(shown.choose(shown.ids));
    const QAction* report = shown.page->runActions().report;
    QVERIFY(report->isEnabled());
    shown.page->exporter().writeReport(
        shown.ids, QString::fromStdString((shown.temp.folder() / "r.html").string()));
    QVERIFY(!report->isEnabled());
    QCOMPARE(report->text(), QStringLiteral("Writing…"));
    QTRY_VERIFY(report->isEnabled());
    QCOMPARE(report->text(), QStringLiteral("Report…"));
}

void TestRunsPage::brokenLayoutIsIgnored()
{
    const test::TempStore temp;
    WindowSettings settings(settingsFile(temp));
    settings.set(QStringLiteral("runs/columns"), QByteArray("nonsense"));
    settings.set(QStringLiteral("runs/smoothing"), QStringLiteral("many"));
    RunProfiler profiler(profilingIn(temp.file()));
    RunsPage page(temp.file(), settings, profiler);
    const QByteArray layout = page.saveLayout();
    page.restoreLayout({});
    page.restoreLayout("x");
    page.restoreLayout(layout.left(layout.size() / 2));
    page.restoreLayout(layout);
    QCOMPARE(page.findChild<RunTableView*>()->isColumnHidden(0), false);
}

void TestRunsPage::everyControlHasANameAndATip()
{
    const test::TempStore temp;
    WindowSettings settings(settingsFile(temp));
    RunProfiler profiler(profilingIn(temp.file()));
    const RunsPage page(temp.file(), settings, profiler);
    for (const QAction* action : page.QWidget::actions()) {
        QVERIFY2(!action->text().isEmpty(), qPrintable(action->toolTip()));
        QVERIFY2(!action->toolTip().isEmpty(), qPrintable(action->text()));
    }
    for (const auto* view : page.findChildren<QAbstractItemView*>()) {
        if (!qobject_cast<const QHeaderView*>(view) && !view->window()->inherits("QMenu")
            && !view->parentWidget()->inherits("QComboBoxPrivateContainer"))
            QVERIFY2(!view->accessibleName().isEmpty(), view->metaObject()->className());
    }
}

/// Writes pictures to $MANTISSA_PICTURES for people to look at; elsewhere only draws them.
void TestRunsPage::picturesForLooking()
{
    const QString folder = qEnvironmentVariable("MANTISSA_PICTURES");
    for (const auto look : {Appearance::Light, Appearance::Dark}) {
        const Theme theme(*qApp, look);
        const Shown shown;
        QVERIFY(shown.choose(shown.ids));
        QTest::qWait(150); // the queued replots
        const QPixmap picture = shown.page->grab();
        QCOMPARE(picture.size(), QSize(1356, 810));
        if (!folder.isEmpty()) {
            picture.save(folder
                + (look == Appearance::Light ? QStringLiteral("/runs-light.png")
                                             : QStringLiteral("/runs-dark.png")));
        }
    }
}

MANTISSA_WIDGET_TEST(TestRunsPage)
#include "tst_runs_page.moc"
