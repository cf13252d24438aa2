// SPDX-License-Identifier: GPL-3.0-or-later
// `mantissa-cli profile` with the real worker.
#include "tests/app/cli_process.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTest>

using namespace mantissa;
using namespace mantissa::test;

namespace {

const QByteArray kExperiment = "name = \"tiny\"\n"
                               "[model]\nkind = \"mlp\"\nhidden = [8]\n"
                               "[data]\nsource = \"shapes\"\nbatch_size = 4\ntrain_limit = 64\n"
                               "validation_limit = 16\n"
                               "[train]\nsteps = 20\n"
                               "[device]\nkind = \"cpu\"\nthreads = 1\n"
                               "[[variant]]\nname = \"full\"\nprecision = \"fp32\"\n"
                               "[[variant]]\nname = \"half\"\nprecision = \"bf16\"\n";

/// What Perfetto needs, said by Python's own parser of JSON.
const QString kTraceCheck = QStringLiteral(
    "import json, sys\n"
    "events = json.load(open(sys.argv[1]))['traceEvents']\n"
    "whole = [e for e in events if e.get('ph') == 'X']\n"
    "assert len(whole) > 50, len(whole)\n"
    "assert all(isinstance(e['name'], str) and e['ts'] >= 0 and e['dur'] >= 0 for e in whole)\n"
    "assert sum(e['name'] == 'train_step' for e in whole) == 3\n"
    "assert any(e['name'] == 'aten::addmm' for e in whole)\n");

} // namespace

class TestCliProfile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableFilesAndTrace()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml", kExperiment);
        const auto trace = folder.filePath(QStringLiteral("trace.json"));
        const auto csv = folder.filePath(QStringLiteral("operators.csv"));
        QVERIFY2(cli.run({"profile", file, "--variant", "half", "--steps", "3", "--trace", trace,
                     "-o", csv})
                == 0,
            cli.err().constData());
        const auto text = cli.out().simplified();
        QVERIFY2(text.startsWith("half (bf16) on cpu: median step"), text.constData());
        QVERIFY2(text.contains("_to_copy fp32→bf16 cast"), text.constData());
        QVERIFY2(text.contains("addmm bf16 matrix 2.00"), text.constData());
        QFile table(csv);
        QVERIFY(table.open(QIODevice::ReadOnly));
        QVERIFY(table.readLine().startsWith("operator,dtype,kind,"));
        QProcess python;
        python.start(QStringLiteral("python3"), {QStringLiteral("-c"), kTraceCheck, trace});
        QVERIFY(python.waitForFinished());
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
    }

    void jsonHoldsEverythingAndNothingElseIsOnStdout()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml", kExperiment);
        QVERIFY2(cli.run({"--json", "profile", file, "--variant", "full", "--steps", "2", "--set",
                     "data.batch_size=8"})
                == 0,
            cli.err().constData());
        const auto lines = cli.lines();
        QCOMPARE(lines.size(), std::size_t{1});
        QCOMPARE(lines[0].at("samples_per_step").get<int>(), 8);
        QCOMPARE(lines[0].at("steps").get<int>(), 2);
        // 2 B (2 x 784 x 8 + 3 x 8 x 8): see tst_trainer_profile.
        QCOMPARE(lines[0].at("flops_per_step").get<double>(), 2.0 * 8 * (2 * 784 * 8 + 3 * 8 * 8));
        QVERIFY2(!cli.err().contains("gpuGetDeviceCount"), cli.err().constData());
    }

    void aStoredRunIsProfiledAfterwards()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml", kExperiment);
        QVERIFY2(cli.run({"-q", "run", file}) == 0, cli.err().constData());
        QVERIFY2(cli.run({"--json", "show", "2"}) == 0, cli.err().constData());
        const auto figures = cli.lines().at(0).at("median_step_ms");
        QVERIFY2(cli.run({"--json", "checklist", "2", "--profile"}) == 0, cli.err().constData());
        QVERIFY2(cli.err().contains("profiling full (fp32)"), cli.err().constData());
        const auto first = cli.lines().at(0);
        const auto answerOf = [](const nlohmann::json& list, const char* id) {
            for (const auto& check : list.at("checks")) {
                if (check.at("id") == id)
                    return check.at("answer").get<std::string>();
            }
            return std::string("missing");
        };
        for (const char* id : {"matrix_share", "matrix_rate", "launch_bound", "cast_share"})
            QVERIFY2(answerOf(first, id) != "cannot_tell", id);
        // Kept with the run, whose figures are what they were.
        QVERIFY(cli.run({"--json", "checklist", "2"}) == 0);
        QVERIFY(cli.lines().at(0) == first);
        QVERIFY(cli.run({"--json", "show", "2"}) == 0);
        QVERIFY(cli.lines().at(0).at("median_step_ms") == figures);
        QCOMPARE(cli.run({"checklist", "99", "--profile"}), 2);
    }

    void wrongArgumentsAreNamed_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("no such variant") << QStringList{
            "--variant", "third"} << 2 << QByteArray("third: no such variant; allowed: full, half");
        QTest::newRow("no variant") << QStringList{} << 2 << QByteArray("--variant is missing");
        QTest::newRow("too many steps")
            << QStringList{"--variant", "full", "--steps", "21"} << 2 << QByteArray("1 to 20");
        QTest::newRow("no number")
            << QStringList{"--variant", "full", "--steps", "all"} << 2 << QByteArray("1 to 20");
        QTest::newRow("suffix") << QStringList{"--variant", "full", "-o", "x.txt"} << 2
                                << QByteArray(".csv, .json");
        QTest::newRow("trace in no folder")
            << QStringList{"--variant", "full", "--trace", "/no/such/folder/t.json"} << 1
            << QByteArray("cannot write the trace /no/such/folder/t.json");
        QTest::newRow("bad override") << QStringList{"--variant", "full", "--set", "train.lr=-1"}
                                      << 2 << QByteArray("train.lr");
        QTest::newRow("no such data") << QStringList{"--variant", "full", "--set",
            "data.source=csv", "--set", "data.path=/no/such.csv", "--set", "data.target=y"}
                                      << 1 << QByteArray("/no/such.csv");
    }
    void wrongArgumentsAreNamed()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, message);
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml", kExperiment);
        QTEST(cli.run(QStringList{"profile", file} + arguments), "code");
        QVERIFY2(cli.err().contains(message), cli.err().constData());
        QVERIFY2(cli.out().isEmpty(), cli.out().constData());
    }
};

MANTISSA_TEST(TestCliProfile)
#include "tst_cli_profile.moc"
