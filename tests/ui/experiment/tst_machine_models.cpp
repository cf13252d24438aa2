// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"
#include "tests/ui/experiment/fake_machine.h"
#include "ui/experiment/fit_table.h"
#include "ui/experiment/memory_table.h"
#include "ui/experiment/outcome_table.h"
#include "ui/experiment/prediction_table.h"
#include "ui/experiment/whole_table.h"
#include "ui/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHeaderView>
#include <QScrollBar>
#include <QTest>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

QStringList texts(const QAbstractItemModel& model, int row)
{
    QStringList result;
    for (int column = 0; column < model.columnCount(); ++column)
        result << model.index(row, column).data().toString();
    return result;
}

QStringList titles(const QAbstractItemModel& model)
{
    QStringList result;
    for (int column = 0; column < model.columnCount(); ++column)
        result << model.headerData(column, Qt::Horizontal).toString();
    return result;
}

/// fp32 and bf16 measured, fp16 refused.
std::vector<ModelProbe> probes()
{
    const auto config = test::experiment({Precision::Fp32, Precision::Bf16, Precision::Fp16});
    auto list = samples::checkOf(config).probes;
    list[1].peakMemoryBytes = 100 * samples::kMiB; // less than its roles' peaks together
    list[2].reason = "conv2d is not implemented for Half";
    return list;
}

PredictionOutcome outcome(std::int64_t run, double predicted, double measured)
{
    return {run, 1'700'000'000'000, "bf16", "key", Precision::Bf16, predicted, measured};
}

VariantFit fitOf(Precision precision, std::int64_t batch, std::optional<double> gain)
{
    BatchFit fit;
    fit.batch = batch;
    fit.peakBytes = 2000 * samples::kMiB;
    fit.trials.resize(7);
    return {std::string(toString(precision)), precision, fit, gain};
}

} // namespace

class TestMachineModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_theme = new Theme(*qApp, Appearance::Light); }
    void cleanupTestCase() { delete m_theme; }

    void predictionsAreARowAVariant()
    {
        PredictionTable table;
        const QAbstractItemModelTester tester(&table);
        table.set(probes());
        QCOMPARE(table.rowCount(), 3);
        QCOMPARE(titles(table),
            (QStringList{QStringLiteral("Variant"), QStringLiteral("Step"),
                QStringLiteral("Against fp32"), QStringLiteral("Whole run"),
                QStringLiteral("Samples/s"), QStringLiteral("Peak memory")}));
        QCOMPARE(texts(table, 0),
            (QStringList{QStringLiteral("fp32"), QStringLiteral("6.14 ms"),
                QStringLiteral("same speed"), QStringLiteral("15 s"), QStringLiteral("10,423"),
                QStringLiteral("118.0 MiB")}));
        QCOMPARE(texts(table, 1)[2], QStringLiteral("65x slower"));
        QCOMPARE(texts(table, 1)[3], QStringLiteral("16 min 38 s"));
        QVERIFY(!table.index(0, 0).data(Qt::DecorationRole).isNull());
        QCOMPARE(table.index(0, 0).data(Qt::TextAlignmentRole).toInt(),
            int(Qt::AlignLeft | Qt::AlignVCenter));
        QCOMPARE(table.index(0, 1).data(Qt::TextAlignmentRole).toInt(),
            int(Qt::AlignRight | Qt::AlignVCenter));
        QVERIFY(table.index(0, 1)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("20 steps")));
    }

    void whatCannotRunSaysWhyOverItsRow()
    {
        PredictionTable table;
        WholeTable view(table, QStringLiteral("predicted"));
        table.set(probes());
        QCOMPARE(table.index(2, 1).data().toString(),
            QStringLiteral("conv2d is not implemented for Half"));
        QCOMPARE(texts(table, 2).mid(2).join(QString()), QString());
        QCOMPARE(view.columnSpan(2, 1), 5);
        QCOMPARE(view.columnSpan(1, 1), 1);
        QCOMPARE(
            table.index(2, 1).data(Qt::ForegroundRole).value<QColor>(), lightColours().mutedText);
        table.set({probes().front()});
        QCOMPARE(view.columnSpan(0, 1), 1);
    }

    void staleFiguresAreMuted()
    {
        PredictionTable table;
        const QAbstractItemModelTester tester(&table);
        table.set(probes());
        QVERIFY(!table.index(0, 1).data(Qt::ForegroundRole).isValid());
        table.setStale(true);
        QCOMPARE(
            table.index(0, 1).data(Qt::ForegroundRole).value<QColor>(), lightColours().mutedText);
        table.setStale(false);
        QVERIFY(!table.index(0, 1).data(Qt::ForegroundRole).isValid());
    }

    void memoryIsARowARole()
    {
        MemoryTable table;
        const QAbstractItemModelTester tester(&table);
        QCOMPARE(table.rowCount(), 0);
        table.set(probes());
        // The one that cannot run has no column.
        QCOMPARE(titles(table),
            (QStringList{QStringLiteral("Role"), QStringLiteral("fp32"), QStringLiteral("bf16")}));
        const char* expected[][3] = {{"weights", "4.6", "4.6"}, {"gradients", "4.5", "4.5"},
            {"optimizer state", "9.2", "9.2"}, {"cast cache", "0.0", "0.0"},
            {"activations", "78.4", "78.4"}, {"workspace", "21.2", "21.2"},
            {"to the peak", "0.1", "\u221217.9"}, {"peak", "118.0", "100.0"}};
        QCOMPARE(table.rowCount(), 8);
        for (int row = 0; row < 8; ++row) {
            for (int column = 0; column < 3; ++column)
                QCOMPARE(table.index(row, column).data().toString(),
                    QString::fromUtf8(expected[row][column]));
        }
        QVERIFY(table.index(MemoryTable::Activations, 1)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("70.0 MiB")));
        table.set({});
        QCOMPARE(table.rowCount(), 0);
    }

    void outcomesAreSummedUpInASentence()
    {
        OutcomeTable table;
        const QAbstractItemModelTester tester(&table);
        QCOMPARE(table.summary(), QString());
        table.set({outcome(9, 10, 11)});
        QCOMPARE(table.summary(), QStringLiteral("1 prediction here; its run took 1.10x of it."));
        QCOMPARE(texts(table, 0).mid(0, 4),
            (QStringList{QStringLiteral("9 bf16"), QStringLiteral("10.0 ms"),
                QStringLiteral("11.0 ms"), QStringLiteral("1.10x")}));
        QVERIFY(!texts(table, 0)[4].isEmpty());
        // 1.1, 3.0, 0.5 and 0.4: two within 2x, the median between 0.5 and 1.1.
        table.set({outcome(4, 10, 11), outcome(3, 10, 30), outcome(2, 10, 5), outcome(1, 10, 4)});
        QCOMPARE(table.summary(),
            QStringLiteral("Of 4 predictions here, 2 within 2x; median 0.80x (measured / "
                           "predicted)."));
        table.set({outcome(4, 10, 11), outcome(3, 10, 30), outcome(2, 10, 5)});
        QVERIFY(table.summary().contains(QStringLiteral("Of 3 predictions here, 2 within 2x")));
        QVERIFY(table.summary().contains(QStringLiteral("median 1.10x")));
    }

    void fitsAreARowAVariant()
    {
        FitTable table;
        const QAbstractItemModelTester tester(&table);
        QCOMPARE(table.smallest(), -1);
        auto none = fitOf(Precision::Fp16, 0, std::nullopt);
        VariantFit refused{"odd", Precision::Tf32, fail("TF32 needs CUDA"), std::nullopt};
        table.set(
            {fitOf(Precision::Fp32, 1024, 1), fitOf(Precision::Bf16, 1946, 1.9), none, refused});
        QCOMPARE(texts(table, 0),
            (QStringList{QStringLiteral("fp32"), QStringLiteral("1,024"),
                QStringLiteral("2,000.0 MiB"), QString(), QStringLiteral("7")}));
        QCOMPARE(texts(table, 1)[3], QStringLiteral("1.90x"));
        QCOMPARE(texts(table, 2)[1], QStringLiteral("not even one sample fits"));
        QCOMPARE(texts(table, 3)[1], QStringLiteral("TF32 needs CUDA"));
        QVERIFY(table.isSentence(2) && table.isSentence(3) && !table.isSentence(0));
        QCOMPARE(table.smallest(), 0);
        QCOMPARE(table.batch(1), 1946);
    }

    void wholeTablesShowAllRowsAndScrollSideways()
    {
        PredictionTable table;
        WholeTable view(table, QStringLiteral("predicted"));
        table.set(probes());
        view.resize(600, view.sizeHint().height());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.horizontalScrollBar()->maximum(), 0);
        QVERIFY(view.visualRect(table.index(2, 0)).bottom() < view.viewport()->height());
        // The figures are never squeezed, and a name gets what they leave.
        std::vector<int> needed;
        for (int column = 0; column < table.columnCount(); ++column)
            needed.push_back(
                view.fontMetrics().horizontalAdvance(table.index(0, column).data().toString()));
        QCOMPARE(view.horizontalHeader()->length(), view.viewport()->width());
        view.resize(200, view.height());
        QTRY_VERIFY(view.horizontalScrollBar()->maximum() > 0);
        for (int column = 0; column < table.columnCount(); ++column)
            QVERIFY(view.columnWidth(column) >= needed[static_cast<std::size_t>(column)]);
    }

private:
    Theme* m_theme = nullptr;
};

MANTISSA_WIDGET_TEST(TestMachineModels)
#include "tst_machine_models.moc"
