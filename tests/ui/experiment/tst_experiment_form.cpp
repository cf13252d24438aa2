// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/experiment_form.h"

#include "tests/core/config/random_config.h"
#include "tests/support/test_program.h"
#include "ui/experiment/command_line.h"
#include "ui/experiment/field_text.h"
#include "ui/experiment/problem_model.h"
#include "ui/main_window/experiment_document.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace mantissa;
using namespace mantissa::ui;

namespace {

const QByteArray kExperiment = "name = \"small\"\n[train]\nsteps = 100\n[[variant]]\n"
                               "name = \"fp32\"\nprecision = \"fp32\"\n[[variant]]\n"
                               "name = \"fp16\"\nprecision = \"fp16\"\ntrain.lr = 3e-4\n";

/// kExperiment with other first lines, or more at the end.
QByteArray changed(const char* begin, qsizetype skipped, const char* end = "")
{
    QByteArray text(begin);
    text.append(kExperiment.mid(skipped));
    text.append(end);
    return text;
}

/// A document with a file of its own, and the form on it.
struct Fixture {
    explicit Fixture(const QByteArray& toml = kExperiment)
        : file(folder.filePath(QStringLiteral("it's one.toml")).toStdString())
    {
        write(toml);
        document.open(file);
    }
    void write(const QByteArray& toml) const
    {
        QFile out(QString::fromStdString(file.string()));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(toml);
    }
    std::string command() const
    {
        return commandLine(file, document.saved(), form.config(), form.badTexts());
    }

    QTemporaryDir folder;
    std::filesystem::path file;
    ExperimentDocument document;
    ExperimentForm form{document};
};

/// Runs the command line with a stand-in for mantissa-cli, as a shell does: what the command would
/// load, and whether from a file or standard input.
LoadedConfig runInShell(const std::string& command, const QString& folder)
{
    QFile program(folder + QStringLiteral("/mantissa-cli"));
    if (!program.open(QIODevice::WriteOnly))
        return {};
    program.write("#!/bin/sh\nprintf '%s\\0' \"$@\" > args\n"
                  "if [ \"$2\" = /dev/stdin ]; then cat > in.toml; fi\n");
    program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    program.close();
    QProcess shell;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(
        QStringLiteral("PATH"), folder + u':' + environment.value(QStringLiteral("PATH")));
    shell.setProcessEnvironment(environment);
    shell.setWorkingDirectory(folder);
    shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QString::fromStdString(command)});
    if (!shell.waitForFinished() || shell.exitCode() != 0)
        return {};
    QFile out(folder + QStringLiteral("/args"));
    if (!out.open(QIODevice::ReadOnly))
        return {};
    const auto arguments = out.readAll().split('\0');
    std::vector<ConfigOverride> overrides;
    for (qsizetype i = 2; i + 1 < arguments.size(); i += 2) {
        if (arguments[i] == "--set")
            overrides.push_back(*parseOverride(arguments[i + 1].toStdString()));
    }
    auto file = arguments[1].toStdString();
    if (file == "/dev/stdin")
        file = folder.toStdString() + "/in.toml";
    return loadExperiment(file, overrides);
}

bool sameRun(const ExperimentConfig& a, const ExperimentConfig& b)
{
    const auto same = [](const Variant& x, const Variant& y) {
        return x.name == y.name && x.precision == y.precision && x.settings == y.settings;
    };
    return a.name == b.name && a.description == b.description && a.settings == b.settings
        && std::equal(
            a.variants.begin(), a.variants.end(), b.variants.begin(), b.variants.end(), same);
}

const KeySpec& key(const char* path)
{
    return *findKey(path);
}

} // namespace

class TestExperimentForm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsTheFile()
    {
        const Fixture f;
        QVERIFY(f.form.isEditable());
        QCOMPARE(f.form.text("name"), QStringLiteral("small"));
        QCOMPARE(f.form.text("train.steps"), QStringLiteral("100"));
        QCOMPARE(f.form.text("model.hidden"), QStringLiteral("128"));
        QCOMPARE(f.form.text("scaler.min_scale"), QString());
        QCOMPARE(f.form.overrideText(1, 0), QStringLiteral("0.0003"));
        QCOMPARE(f.form.whyUnused(key("train.momentum")), QStringLiteral("sgd and rmsprop only"));
        QCOMPARE(f.form.whyUnused(key("scaler.init_scale")), QString());
    }

    void writesEveryEditToTheDocument()
    {
        Fixture f;
        const QSignalSpy spy(&f.document, &ExperimentDocument::changed);
        f.form.setText("train.lr", QStringLiteral("0.25"));
        f.form.setText("model.hidden", QStringLiteral("64, 32"));
        f.form.setText("train.steps", QStringLiteral("10,000"));
        f.form.setText("scaler.min_scale", QStringLiteral("1"));
        f.form.setText("scaler.enabled", QStringLiteral("true"));
        f.form.setText("data.root", QStringLiteral("/a \"b\""));
        QCOMPARE(spy.count(), 6);
        const auto& settings = f.document.experiment()->settings;
        QCOMPARE(settings.train.lr, 0.25);
        QCOMPARE(settings.model.hidden, (std::vector<std::int64_t>{64, 32}));
        QCOMPARE(settings.train.steps, 10000);
        QVERIFY(settings.scaler.minScale == 1.0);
        QVERIFY(settings.scaler.enabled == ScalerEnabled::On);
        QCOMPARE(settings.data.root, std::string("/a \"b\""));
        f.form.setText("scaler.min_scale", QString());
        QVERIFY(!f.document.experiment()->settings.scaler.minScale);
        QVERIFY(f.document.isModified());
    }

    void keepsAWrongTextAsAProblem()
    {
        Fixture f;
        f.form.setText("scaler.backoff_factor", QStringLiteral("1.5"));
        QVERIFY(!f.document.experiment());
        QCOMPARE(f.document.errorCount(), 1);
        QCOMPARE(f.form.text("scaler.backoff_factor"), QStringLiteral("1.5"));
        QCOMPARE(f.form.problem("scaler.backoff_factor")->allowed, std::string("above 0, below 1"));
        QVERIFY(f.command().find("--set scaler.backoff_factor=1.5") != std::string::npos);
        f.form.setText("train.steps", QStringLiteral("many"));
        f.form.setText("scaler.backoff_factor", QStringLiteral("0.5"));
        QVERIFY(!f.document.experiment());
        f.form.setText("train.steps", QStringLiteral("100"));
        QVERIFY(f.document.experiment().has_value());
    }

    void showsProblemsThatConcernTwoFields()
    {
        Fixture f;
        f.form.setText("train.warmup_steps", QStringLiteral("101"));
        QVERIFY(f.form.problem("train.warmup_steps").has_value());
        f.form.setText("train.steps", QStringLiteral("101"));
        QVERIFY(!f.form.problem("train.warmup_steps").has_value());
    }

    void opensAFileWithWrongValues()
    {
        const Fixture f("name = \"x\"\n[train]\nsteps = 5.0\n[[variant]]\nname = \"a\"\n"
                        "precision = \"fp16\"\nscaler.growth_factor = 0.5\n");
        QVERIFY(f.form.isEditable());
        QCOMPARE(f.form.text("train.steps"), QStringLiteral("5.0"));
        QCOMPARE(f.form.problem("train.steps")->line, 3);
        QCOMPARE(f.form.overrideText(0, 0), QStringLiteral("0.5"));
        QVERIFY(f.form.problem("variant[0].scaler.growth_factor").has_value());
    }

    void leavesAloneWhatItCannotShow()
    {
        QVERIFY(!Fixture(changed("name = \"x\"\nlr = 1\n", 15)).form.isEditable());
        QVERIFY(!Fixture("name = ").form.isEditable());
        QVERIFY(!Fixture(changed("", 0, "precison = 1\n")).form.isEditable());
    }

    void changesVariants()
    {
        Fixture f;
        f.form.addVariant();
        QCOMPARE(f.form.variants()[2].name, std::string("bf16"));
        f.form.duplicateVariant(1);
        QCOMPARE(f.form.variants()[2].name, std::string("fp16-2"));
        QCOMPARE(f.form.variants()[2].overrides.size(), std::size_t{1});
        f.form.makeBaseline(3);
        QCOMPARE(f.form.variants()[0].name, std::string("bf16"));
        QCOMPARE(f.form.variants()[1].name, std::string("fp32"));
        f.form.setPrecision(1, Precision::Tf32);
        QCOMPARE(f.form.variants()[1].name, std::string("tf32"));
        f.form.setVariantName(1, QStringLiteral("bf16"));
        QVERIFY(f.form.problem("variant[1].name").has_value());
        f.form.removeVariant(1);
        QVERIFY(f.document.experiment().has_value());
        QCOMPARE(f.document.experiment()->variants.size(), std::size_t{3});
    }

    void changesOverrides()
    {
        Fixture f;
        f.form.addOverride(0, key("train.optimizer"));
        QCOMPARE(f.form.overrideText(0, 0), QStringLiteral("adamw"));
        f.form.setOverride(0, 0, QStringLiteral("sgd"));
        QVERIFY(
            f.document.experiment()->variants[0].settings.train.optimizer == OptimizerKind::Sgd);
        f.form.setOverride(0, 0, QStringLiteral("lion"));
        QVERIFY(f.form.problem("variant[0].train.optimizer").has_value());
        f.form.removeOverride(0, 0);
        QVERIFY(f.document.experiment()->variants[0].overrides.empty());
        for (const auto* free : f.form.freeKeys(1)) {
            QVERIFY(free->sharedBecause.empty());
            QVERIFY(free->path != "train.lr");
        }
    }

    void stepsNumbers_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QString>("from");
        QTest::addColumn<int>("steps");
        QTest::addColumn<QString>("to");
        const auto row = [](const char* path, const char* from, int steps, const char* to) {
            QTest::addRow("%s %s %d", path, from, steps)
                << QByteArray(path) << QString::fromLatin1(from) << steps
                << QString::fromLatin1(to);
        };
        row("train.steps", "5", 1, "6");
        row("train.steps", "1", -1, "1");
        row("train.steps", "10000000", 10, "10000000");
        row("train.steps", "x", 1, "x");
        row("train.lr", "0.001", 1, "0.002");
        row("train.lr", "0.001", -1, "0.0009");
        row("train.lr", "0.0123", 1, "0.02");
        row("train.lr", "0.0123", -1, "0.01");
        row("train.lr", "10", 1, "10");
        row("scaler.backoff_factor", "0.9", 1, "0.9");
        row("train.momentum", "0", 1, "0.01");
        row("train.momentum", "0", -1, "0");
    }

    void stepsNumbers()
    {
        QFETCH(QByteArray, path);
        QFETCH(QString, from);
        QFETCH(int, steps);
        QFETCH(QString, to);
        QCOMPARE(steppedText(key(path.constData()), from, steps), to);
    }

    void commandLineGivesTheSameRun()
    {
        Fixture f;
        f.form.setText("train.lr", QStringLiteral("0.25"));
        f.form.setText("description", QStringLiteral("it's \"new\"\n$HOME `x`"));
        f.form.setText("train.epochs", QStringLiteral("2"));
        f.form.setOverride(1, 0, QStringLiteral("0.125"));
        f.form.addVariant();
        const auto loaded = runInShell(f.command(), f.folder.path());
        QVERIFY(loaded.ok());
        QVERIFY(sameRun(*loaded.config, *f.document.experiment()));
    }

    void commandLineOfRandomEditsGivesTheSameRun()
    {
        test::RandomConfig random(99);
        Fixture f;
        for (int i = 0; i < 25; ++i) {
            const auto saved = *checkExperiment(random.next()).config;
            const auto now = *checkExperiment(random.next()).config;
            f.write(QByteArray::fromStdString(toToml(saved)));
            const auto loaded = runInShell(commandLine(f.file, saved, now, {}), f.folder.path());
            QVERIFY(loaded.ok());
            QVERIFY2(sameRun(*loaded.config, now), commandLine(f.file, saved, now, {}).c_str());
        }
    }

    void commandLineMendsTheFilesErrors()
    {
        Fixture f(changed("name = \"x\"\n[train]\nsteps = 5.0\n", 35));
        f.form.setText("train.steps", QStringLiteral("5"));
        QVERIFY(f.document.experiment().has_value());
        const auto loaded = runInShell(f.command(), f.folder.path());
        QVERIFY2(loaded.ok(), f.command().c_str());
        QCOMPARE(loaded.config->settings.train.steps, 5);
    }

    void listsProblems()
    {
        ProblemModel model;
        QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto loaded = parseExperiment("name = \"x\"\n[scaler]\nbackoff_factor = 1.5\n"
                                            "[[variant]]\nname = \"a\"\nprecision = \"bf16\"\n"
                                            "scaler.enabled = true\n",
            "dir/a.toml");
        model.setProblems(loaded.problems);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.summary(), QStringLiteral("1 error, 1 warning"));
        const auto cell = [&](int row, int column) {
            return model.index(row, column).data().toString();
        };
        QCOMPARE(cell(0, ProblemModel::Place), QStringLiteral("a.toml:3"));
        QCOMPARE(cell(0, ProblemModel::Key), QStringLiteral("scaler.backoff_factor"));
        QCOMPARE(cell(0, ProblemModel::What),
            QStringLiteral("1.5 is out of range; allowed: above 0, below 1"));
        model.setProblems({});
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.summary(), QString());
    }
};

MANTISSA_WIDGET_TEST(TestExperimentForm)
#include "tst_experiment_form.moc"
