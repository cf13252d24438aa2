// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/schema.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>
#include <cmath>
#include <limits>

using namespace mantissa;
using namespace mantissa::test;

namespace {

QString manual()
{
    QFile file(QStringLiteral(MANTISSA_SOURCE_DIR "/resources/docs/file-formats.md"));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString pythonReader()
{
    static const QRegularExpression block(
        QStringLiteral("```python\\n(.*?)```"), QRegularExpression::DotMatchesEverythingOption);
    return block.match(manual()).captured(1);
}

QString read(const TempStore& temp, const QString& series)
{
    QProcess python;
    python.start(QStringLiteral("python3"),
        {QStringLiteral("-c"), pythonReader(), QString::fromStdString(temp.file().string()),
            QStringLiteral("1"), series});
    python.waitForFinished();
    return QString::fromUtf8(python.readAllStandardOutput() + python.readAllStandardError());
}

} // namespace

class TestFileFormats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theManualsPythonReadsTheStore()
    {
        const TempStore temp;
        QString expected;
        {
            const auto writer = writerOf(temp.file());
            for (std::int64_t step = 1; step <= 5000; step += 500)
                writer->onEvent(0, samples(step, 500));
            writer->onEvent(0, Points{Axis::Step, {10, 25}, {{"metric", {0.5, std::nan("")}}}});
            writer->onEvent(0, Points{Axis::Time, {0.25}, {{"rss_bytes", {-INFINITY}}}});
            // Also while the run is on.
            writer->flush();
            QCOMPARE(read(temp, QStringLiteral("metric")), QStringLiteral("10.0 0.5\n25.0 nan\n"));
        }
        QCOMPARE(read(temp, QStringLiteral("rss_bytes")), QStringLiteral("0.25 -inf\n"));
        const auto loss = read(temp, QStringLiteral("loss")).split(QLatin1Char('\n'));
        QCOMPARE(loss.size(), 5001);
        for (int i = 0; i < 5000; ++i) {
            const auto fields = loss[i].split(QLatin1Char(' '));
            QCOMPARE(fields.at(0).toDouble(), double(i + 1));
            QCOMPARE(fields.at(1).toDouble(), 1.0 / (i + 1));
        }
    }

    void theManualNamesEveryTableAndColumn()
    {
        const auto text = manual();
        SQLite::Database db(":memory:", SQLite::OPEN_READWRITE);
        for (const auto& step : storeMigrations())
            db.exec(step.sql);
        SQLite::Statement names(db,
            "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c"
            " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.name != 'id'"
            " AND c.name NOT LIKE 'host_%'");
        int columns = 0;
        while (names.executeStep()) {
            for (int i : {0, 1}) {
                const auto name = QStringLiteral("`%1`").arg(
                    QString::fromStdString(names.getColumn(i).getString()));
                QVERIFY2(text.contains(name), qPrintable(name));
            }
            ++columns;
        }
        QVERIFY(columns > 40);
        QVERIFY(
            text.contains(QStringLiteral("version, now %1").arg(storeMigrations().back().version)));
    }
};

MANTISSA_TEST(TestFileFormats)
#include "tst_file_formats.moc"
