// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli_process.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace mantissa::test;

/// The files of tests/data/bad from outside; tst_bad_files has the messages in full.
class TestCliBadFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesTheFileAndSaysWhere_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("place");
        QFile table(bad(QStringLiteral("expected.tsv")));
        QVERIFY(table.open(QIODevice::ReadOnly));
        for (const auto& line : table.readAll().split('\n')) {
            const auto cells = line.split('\t');
            if (line.startsWith('#') || cells.size() != 6)
                continue;
            const auto file = bad(QString::fromUtf8(cells[0] + ".toml"));
            const auto place = file.toUtf8() + (cells[1] == "0" ? ": " : ":" + cells[1] + ": ");
            QTest::addRow(
                "%s %s %s", cells[0].constData(), cells[1].constData(), cells[3].constData())
                << file << place;
        }
    }

    void refusesTheFileAndSaysWhere()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, place);
        const QTemporaryDir folder;
        CliProcess validate(folder);
        QCOMPARE(validate.run({QStringLiteral("validate"), file}), 2);
        QVERIFY2(validate.err().contains(place), validate.err().constData());
    }

    void doesNotRunABadFile()
    {
        const QTemporaryDir folder;
        CliProcess cli(folder);
        QCOMPARE(cli.run({QStringLiteral("run"), bad(QStringLiteral("nan.toml"))}), 2);
        QVERIFY(cli.err().contains("must be a finite number"));
    }

    void acceptsWhatIsShipped()
    {
        const QDir experiments(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments"));
        QStringList arguments{QStringLiteral("validate")};
        for (const auto& name : experiments.entryList({QStringLiteral("*.toml")}))
            arguments << experiments.filePath(name);
        const QTemporaryDir folder;
        CliProcess cli(folder);
        QCOMPARE(cli.run(arguments), 0);
    }

private:
    static QString bad(const QString& name)
    {
        return QStringLiteral(MANTISSA_SOURCE_DIR "/tests/data/bad/") + name;
    }
};

MANTISSA_TEST(TestCliBadFiles)
#include "tst_cli_bad_files.moc"
