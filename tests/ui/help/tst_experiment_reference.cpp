// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"
#include "core/config/schema.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTest>

using namespace mantissa;

/// The manual's page of the experiment file against the program's own table of keys.
class TestExperimentReference : public QObject {
    Q_OBJECT

private:
    static QString file()
    {
        return QStringLiteral(MANTISSA_SOURCE_DIR "/resources/docs/experiment-file.md");
    }
    static QString page();
    static QString keyTables();

private Q_SLOTS:
    void listsEveryKeyAsTheProgramKnowsIt();
    void exampleIsValid();
};

namespace {

const QString kBegin = QStringLiteral("<!-- keys: written from the program's own table -->\n");
const QString kEnd = QStringLiteral("<!-- end of keys -->");

QString text(std::string_view value)
{
    return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

QString defaultText(const KeySpec& key)
{
    const QString value = text(toTomlText(key.get(Settings())));
    return value.isEmpty() ? QStringLiteral("not set")
                           : QLatin1Char('`') + value + QLatin1Char('`');
}

QString keyRow(const KeySpec& key)
{
    QString allowed = text(key.allowed());
    if (!key.unit.empty())
        allowed += QStringLiteral(" (") + text(key.unit) + QLatin1Char(')');
    QString help = text(key.help);
    if (!key.zeroMeans.empty()) {
        const bool words = key.type == ValueType::Text || key.type == ValueType::IntegerList
            || key.type == ValueType::TextList;
        help +=
            (words ? QStringLiteral("; empty: ") : QStringLiteral("; 0: ")) + text(key.zeroMeans);
    }
    return QStringLiteral("| `%1` | %2 | %3 | %4 |\n")
        .arg(text(key.key()), defaultText(key), allowed, help);
}

} // namespace

QString TestExperimentReference::page()
{
    QFile page(file());
    return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

QString TestExperimentReference::keyTables()
{
    QString tables;
    for (const GroupSpec& group : schemaGroups()) {
        tables += QStringLiteral("\n### %1: `[%2]`\n\n| key | default | allowed | meaning |\n"
                                 "|---|---|---|---|\n")
                      .arg(text(group.title), text(group.name));
        for (const KeySpec& key : schemaKeys()) {
            if (key.group() == group.name)
                tables += keyRow(key);
        }
    }
    return tables + QLatin1Char('\n');
}

void TestExperimentReference::listsEveryKeyAsTheProgramKnowsIt()
{
    const QString now = page();
    const qsizetype begin = now.indexOf(kBegin) + kBegin.size();
    const qsizetype end = now.indexOf(kEnd);
    QVERIFY(begin >= kBegin.size() && end >= begin);
    // MANTISSA_UPDATE_DOCS=1 writes the tables into the page instead of comparing.
    if (qEnvironmentVariableIsSet("MANTISSA_UPDATE_DOCS")) {
        QFile out(file());
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write((now.left(begin) + keyTables() + now.mid(end)).toUtf8());
        return;
    }
    const QStringList expected = keyTables().split(QLatin1Char('\n'));
    const QStringList got = now.mid(begin, end - begin).split(QLatin1Char('\n'));
    for (qsizetype i = 0; i < std::min(expected.size(), got.size()); ++i)
        QCOMPARE(got.at(i), expected.at(i));
    QCOMPARE(got.size(), expected.size());
}

void TestExperimentReference::exampleIsValid()
{
    const QString start = QStringLiteral("```toml\n");
    const QString now = page();
    const QString toml = now.section(start, 1).section(QStringLiteral("```"), 0, 0);
    const LoadedConfig loaded = parseExperiment(toml.toStdString(), "example");
    for (const auto& problem : loaded.problems)
        qInfo("%s", problem.text().c_str());
    QVERIFY(loaded.ok());
    QVERIFY(loaded.problems.empty());
    QCOMPARE(loaded.config->variants.size(), 2U);
}

MANTISSA_TEST(TestExperimentReference)
#include "tst_experiment_reference.moc"
