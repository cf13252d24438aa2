// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTest>
#include <map>
#include <set>

using namespace mantissa;

namespace {

struct Expected {
    int line;
    Severity severity;
    std::string key;
    std::string suggestion;
    std::string words;
};

QString folder()
{
    return QStringLiteral(MANTISSA_SOURCE_DIR "/tests/data/bad/");
}

std::map<QString, std::vector<Expected>> readExpectations()
{
    std::map<QString, std::vector<Expected>> all;
    QFile table(folder() + QStringLiteral("expected.tsv"));
    if (!table.open(QIODevice::ReadOnly))
        return all;
    for (const auto& line : QString::fromUtf8(table.readAll()).split(u'\n')) {
        const auto cells = line.split(u'\t');
        if (line.startsWith(u'#') || cells.size() != 6)
            continue;
        all[cells[0]].push_back(
            {cells[1].toInt(), cells[2] == u"error" ? Severity::Error : Severity::Warning,
                cells[3].toStdString(), cells[4].toStdString(), cells[5].toStdString()});
    }
    return all;
}

QByteArray listed(const LoadedConfig& loaded)
{
    std::string text = "found:";
    for (const auto& problem : loaded.problems)
        text += "\n  " + problem.text();
    return QByteArray::fromStdString(text);
}

} // namespace

/// tests/data/bad/expected.tsv says what is wrong with each file.
class TestBadFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableAndFolderAgree()
    {
        const auto expected = readExpectations();
        QVERIFY(expected.size() >= 30);
        const auto files = QDir(folder()).entryList({QStringLiteral("*.toml")});
        QCOMPARE(static_cast<std::size_t>(files.size()), expected.size());
        for (const auto& file : files)
            QVERIFY2(expected.count(file.chopped(5)) == 1, qPrintable(file));
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<QString>("file");
        for (const auto& entry : readExpectations())
            QTest::newRow(qPrintable(entry.first)) << entry.first;
    }

    void saysWhatIsWrong()
    {
        QFETCH(QString, file);
        const auto expected = readExpectations()[file];
        const auto path = (folder() + file + QStringLiteral(".toml")).toStdString();
        const auto loaded = loadExperiment(path);
        QVERIFY2(!loaded.ok(), "loaded without an error");
        QVERIFY2(loaded.problems.size() == expected.size(), listed(loaded).constData());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto& problem = loaded.problems[i];
            QCOMPARE(problem.file, path);
            QCOMPARE(problem.line, expected[i].line);
            QVERIFY(problem.severity == expected[i].severity);
            QCOMPARE(problem.key, expected[i].key);
            QCOMPARE(problem.suggestion, expected[i].suggestion);
            QVERIFY2(problem.text().find(expected[i].words) != std::string::npos,
                problem.text().c_str());
            QVERIFY(problem.severity == Severity::Warning || !problem.allowed.empty());
        }
    }

    void showsTheValueAsItIsWritten()
    {
        const auto path = (folder() + QStringLiteral("many-errors.toml")).toStdString();
        const auto loaded = loadExperiment(path);
        QCOMPARE(loaded.problems.size(), std::size_t{5});
        QCOMPARE(loaded.problems[0].value, "\"mpl\"");
        QCOMPARE(loaded.problems[2].value, "nan");
        QCOMPARE(loaded.problems[1].text(),
            path + ":7: train.steps = 0: is out of range; allowed: 1 to 10,000,000");
    }
};

MANTISSA_TEST(TestBadFiles)
#include "tst_bad_files.moc"
