// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "tests/ui/runs/sample_runs.h"
#include "ui/runs/run_sort_filter.h"
#include "ui/runs/run_table_model.h"

#include <QAbstractItemModelTester>
#include <QItemSelectionModel>
#include <QSignalSpy>
#include <QTest>
#include <limits>

using namespace mantissa;
using namespace mantissa::ui;

class TestRunTableModel : public QObject {
    Q_OBJECT

private:
    static std::vector<RunRecord> withLosses(const std::vector<std::optional<double>>& losses);
    static QString order(const RunSortFilter& sorted);

private Q_SLOTS:
    void obeysTheModelRules();
    void refreshTouchesOnlyWhatChanged();
    void selectionSurvivesARefresh();
    void sortsNanAfterNumbersAndMissingLast_data();
    void sortsNanAfterNumbersAndMissingLast();
    void sortsTextWithoutCase();
    void equalValuesStandNewestFirst();
    void archivedRunsAreHiddenUntilAskedFor();
    void wrongFilterKeepsTheOneBefore();
    void everyHeaderHasANameAndATip();
};

std::vector<RunRecord> TestRunTableModel::withLosses(
    const std::vector<std::optional<double>>& losses)
{
    std::vector<RunRecord> runs;
    for (const auto& loss : losses) {
        RunRecord run = samples::finishedRun(static_cast<std::int64_t>(runs.size()) + 1);
        run.summary.finalLoss = loss;
        runs.push_back(run);
    }
    return runs;
}

QString TestRunTableModel::order(const RunSortFilter& sorted)
{
    QString ids;
    for (const auto id : sorted.visibleRuns())
        ids += QString::number(id);
    return ids;
}

void TestRunTableModel::obeysTheModelRules()
{
    RunTableModel model;
    RunSortFilter sorted(model);
    const QAbstractItemModelTester tester(
        &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester sortedTester(
        &sorted, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRuns({});
    model.setRuns(withLosses({0.3, 0.1, std::nullopt}));
    sorted.sort(static_cast<int>(RunColumn::Loss), Qt::DescendingOrder);
    auto runs = withLosses({0.3, 0.2, 0.5, 0.4});
    runs.erase(runs.begin());
    model.setRuns(runs);
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.columnCount(), kRunColumns);
    model.setRuns({});
    QCOMPARE(model.rowCount(), 0);
}

void TestRunTableModel::refreshTouchesOnlyWhatChanged()
{
    RunTableModel model;
    model.setRuns(withLosses({0.3, 0.1, 0.2}));
    const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    const QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    const QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    const QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
    model.setRuns(withLosses({0.3, 0.1, 0.2}));
    QCOMPARE(changed.count(), 0);
    model.setRuns(withLosses({0.3, 0.15, 0.2, 0.9}));
    QCOMPARE(changed.count(), 1);
    QCOMPARE(changed.first().first().value<QModelIndex>().row(), 1);
    QCOMPARE(inserted.count(), 1);
    QCOMPARE(removed.count(), 0);
    QCOMPARE(reset.count(), 0);
    QCOMPARE(model.rowOf(4), 3);
    QCOMPARE(model.rowOf(77), -1);
}

void TestRunTableModel::selectionSurvivesARefresh()
{
    RunTableModel model;
    RunSortFilter sorted(model);
    sorted.sort(static_cast<int>(RunColumn::Loss));
    model.setRuns(withLosses({0.3, 0.1, 0.2}));
    QItemSelectionModel selection(&sorted);
    selection.select(sorted.mapFromSource(model.index(model.rowOf(3), 0)),
        QItemSelectionModel::Select | QItemSelectionModel::Rows);
    auto runs = withLosses({0.3, 0.1, 0.9, 0.05});
    runs.erase(runs.begin());
    model.setRuns(runs);
    QCOMPARE(selection.selectedRows().size(), 1);
    QCOMPARE(selection.selectedRows().first().data(RunTableModel::RunIdRole).toLongLong(), 3);
}

void TestRunTableModel::sortsNanAfterNumbersAndMissingLast_data()
{
    QTest::addColumn<Qt::SortOrder>("direction");
    QTest::addColumn<QString>("expected");
    // 1: NaN, 2: 0.3, 3: missing, 4: infinity, 5: 0.1, 6: NaN
    QTest::newRow("ascending") << Qt::AscendingOrder << QStringLiteral("524613");
    QTest::newRow("descending") << Qt::DescendingOrder << QStringLiteral("425613");
}

void TestRunTableModel::sortsNanAfterNumbersAndMissingLast()
{
    QFETCH(Qt::SortOrder, direction);
    QFETCH(QString, expected);
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    RunTableModel model;
    RunSortFilter sorted(model);
    model.setRuns(
        withLosses({kNan, 0.3, std::nullopt, std::numeric_limits<double>::infinity(), 0.1, kNan}));
    sorted.sort(static_cast<int>(RunColumn::Loss), direction);
    QCOMPARE(order(sorted), expected);
}

void TestRunTableModel::sortsTextWithoutCase()
{
    auto runs = withLosses({0.1, 0.1, 0.1});
    runs[0].experiment = "Beta";
    runs[1].experiment = "alpha";
    runs[2].experiment = "gamma";
    RunTableModel model;
    RunSortFilter sorted(model);
    model.setRuns(runs);
    sorted.sort(static_cast<int>(RunColumn::Experiment));
    QCOMPARE(order(sorted), QStringLiteral("213"));
}

void TestRunTableModel::equalValuesStandNewestFirst()
{
    RunTableModel model;
    RunSortFilter sorted(model);
    model.setRuns(withLosses({0.1, 0.1, 0.1}));
    for (const auto direction : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        sorted.sort(static_cast<int>(RunColumn::Loss), direction);
        QCOMPARE(order(sorted), QStringLiteral("321"));
    }
}

void TestRunTableModel::archivedRunsAreHiddenUntilAskedFor()
{
    auto runs = withLosses({0.1, 0.2});
    runs[0].archived = true;
    RunTableModel model;
    RunSortFilter sorted(model);
    sorted.sort(0);
    model.setRuns(runs);
    QCOMPARE(order(sorted), QStringLiteral("2"));
    sorted.setArchivedShown(true);
    QCOMPARE(order(sorted), QStringLiteral("12"));
    runs[1].archived = true;
    model.setRuns(runs);
    sorted.setArchivedShown(false);
    QCOMPARE(sorted.rowCount(), 0);
}

void TestRunTableModel::wrongFilterKeepsTheOneBefore()
{
    RunTableModel model;
    RunSortFilter sorted(model);
    sorted.sort(0);
    model.setRuns(withLosses({0.1, 0.2, 0.3}));
    QVERIFY(sorted.setFilterText(QStringLiteral("loss:<0.25")));
    QCOMPARE(order(sorted), QStringLiteral("12"));
    QVERIFY(!sorted.setFilterText(QStringLiteral("loss:<oops")));
    QCOMPARE(order(sorted), QStringLiteral("12"));
    QVERIFY(sorted.setFilterText({}));
    QCOMPARE(order(sorted), QStringLiteral("123"));
}

void TestRunTableModel::everyHeaderHasANameAndATip()
{
    const RunTableModel model;
    for (int c = 0; c < kRunColumns; ++c) {
        QVERIFY(!model.headerData(c, Qt::Horizontal).toString().isEmpty());
        QVERIFY(!model.headerData(c, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
    }
}

MANTISSA_WIDGET_TEST(TestRunTableModel)
#include "tst_run_table_model.moc"
