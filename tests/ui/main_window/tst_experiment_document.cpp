// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "ui/main_window/experiment_document.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace mantissa;
using namespace mantissa::ui;

class TestExperimentDocument : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void opensAValidFile();
    void aBrokenFileCannotStart();
    void anEditIsCheckedAndCanBeReverted();
    void anEditKeepsTheLinesOfTheRest();
    void savesWhatItHolds();

private:
    std::filesystem::path write(const QByteArray& text);
    QTemporaryDir m_folder;
};

std::filesystem::path TestExperimentDocument::write(const QByteArray& text)
{
    QFile file(m_folder.filePath(QStringLiteral("a.toml")));
    if (file.open(QIODevice::WriteOnly))
        file.write(text);
    return file.fileName().toStdString();
}

static const QByteArray kGood =
    "name = \"a\"\n[model]\nkind = \"mlp\"\n[data]\nsource = \"shapes\"\n"
    "[train]\nsteps = 50\n[[variant]]\nname = \"fp32\"\nprecision = \"fp32\"\n";

void TestExperimentDocument::opensAValidFile()
{
    ExperimentDocument document;
    QSignalSpy changed(&document, &ExperimentDocument::changed);
    QCOMPARE(document.startProblem(), QStringLiteral("choose an experiment"));
    document.open(write(kGood));
    QCOMPARE(changed.size(), 1);
    QVERIFY(document.experiment().has_value());
    QCOMPARE(document.startProblem(), QString());
    QCOMPARE(document.experiment()->settings.train.steps, std::int64_t{50});
}

void TestExperimentDocument::aBrokenFileCannotStart()
{
    ExperimentDocument document;
    document.open(write(kGood + "[scaler]\nbackoff_factor = 1.5\n"));
    QVERIFY(!document.experiment());
    QCOMPARE(document.errorCount(), 1);
    QCOMPARE(document.startProblem(), QStringLiteral("1 error in the experiment"));
    document.open("/no/such/file.toml");
    QVERIFY(!document.experiment());
    QVERIFY(document.errorCount() > 0);
}

void TestExperimentDocument::anEditIsCheckedAndCanBeReverted()
{
    ExperimentDocument document;
    document.open(write(kGood));
    ExperimentConfig config = *document.draft();
    config.settings.scaler.backoffFactor = 1.5;
    document.edit(config);
    QVERIFY(document.isModified());
    QVERIFY(!document.experiment());
    QCOMPARE(document.draft()->settings.scaler.backoffFactor, 1.5);
    document.revert();
    QVERIFY(document.experiment().has_value());
    QVERIFY(!document.isModified());
}

void TestExperimentDocument::anEditKeepsTheLinesOfTheRest()
{
    ExperimentDocument document;
    // A rule about two keys, on line 12, and an override that is no number, on line 11.
    document.open(write(kGood + "train.lr = \"much\"\n[scaler]\ninit_scale = 1\nmin_scale = 2\n"));
    const auto lineOf = [&](const char* key) {
        const auto& all = document.problems();
        const auto found = std::ranges::find(all, key, &ConfigProblem::key);
        return found == all.end() ? -1 : found->line;
    };
    QCOMPARE(lineOf("scaler.init_scale"), 13);
    ExperimentConfig config = *document.draft();
    config.settings.train.steps = 51;
    document.edit(config);
    QCOMPARE(lineOf("scaler.init_scale"), 13);
    // A value that is not the file's any more stands on no line.
    config.settings.scaler.initScale = 1.5;
    document.edit(config);
    QCOMPARE(lineOf("scaler.init_scale"), 0);
    document.revert();
    QCOMPARE(lineOf("scaler.init_scale"), 13);
}

void TestExperimentDocument::savesWhatItHolds()
{
    ExperimentDocument document;
    document.open(write(kGood));
    ExperimentConfig config = *document.draft();
    config.settings.train.steps = 77;
    document.adopt(config);
    QVERIFY(document.file().empty());
    const auto file = std::filesystem::path(m_folder.path().toStdString()) / "b.toml";
    QVERIFY(document.save(file).has_value());
    ExperimentDocument again;
    again.open(file);
    QVERIFY(again.experiment() == document.experiment());
    const auto failed = document.save("/no/such/folder/b.toml");
    QVERIFY(!failed && failed.error().message.find("/no/such/folder") != std::string::npos);
}

MANTISSA_TEST(TestExperimentDocument)
#include "tst_experiment_document.moc"
