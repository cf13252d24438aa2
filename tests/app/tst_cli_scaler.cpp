// SPDX-License-Identifier: GPL-3.0-or-later
// `replay` and `set`: the scaler's commands, with the fake worker.
#include "tests/app/cli_process.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTest>

using namespace mantissa;
using namespace mantissa::test;

namespace {

QStringList words(const char* text)
{
    return QString::fromLatin1(text).split(QLatin1Char(' '));
}

const QByteArray kOne = "name = \"fp16\"\nprecision = \"fp16\"\n";

QByteArray experiment(int steps)
{
    return "name = \"one\"\n[data]\nsource = \"shapes\"\n[train]\nsteps = "
        + QByteArray::number(steps) + "\n[[variant]]\n" + kOne;
}

/// A run that goes on until its host is told to stop; its id.
std::int64_t startLongRun(CliProcess& host)
{
    host.useFakeWorker("--step-us 2000");
    host.start({"--json", "run", host.write("long.toml", experiment(1'000'000))});
    if (host.awaitLine("samples").is_null())
        qFatal("%s", host.err().constData());
    return host.awaitLine("samples").value("run", std::int64_t{-1});
}

} // namespace

class TestCliScaler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void replayPrintsTheGoldenTraces_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("options");
        QTest::newRow("pytorch") << "pytorch-a"
                                 << "--growth-interval 3";
        QTest::newRow("apex") << "hysteresis-step-b"
                              << "--policy hysteresis --hysteresis-refill step --growth-interval 4";
        QTest::newRow("megatron") << "hysteresis-growth-a"
                                  << "--policy hysteresis --growth-interval 3 --hysteresis 2";
        QTest::newRow("deepspeed") << "deepspeed-b"
                                   << "--policy deepspeed --growth-interval 4";
        QTest::newRow("fairseq") << "fairseq-half-a"
                                 << "--policy fairseq --tolerance 0.5 --growth-interval 3";
        QTest::newRow("floor") << "hysteresis-floor"
                               << "--policy hysteresis --hysteresis 3 --growth-interval 5 "
                                  "--min-scale 1";
        QTest::newRow("long") << "pytorch-long"
                              << "--init-scale 1000 --growth-factor 1.7 --backoff-factor 0.37 "
                                 "--growth-interval 7";
    }

    void replayPrintsTheGoldenTraces()
    {
        QFETCH(QString, file);
        QFETCH(QString, options);
        QFile golden(
            QStringLiteral(MANTISSA_SOURCE_DIR "/tests/data/scaler-traces/%1.csv").arg(file));
        QVERIFY(golden.open(QIODevice::ReadOnly));
        auto rows = QString::fromUtf8(golden.readAll()).split('\n', Qt::SkipEmptyParts);
        rows.erase(rows.begin(), rows.begin() + 2);
        QByteArray trace;
        for (const auto& row : rows)
            trace += row.left(1).toLatin1() + '\n';
        QTemporaryDir folder;
        CliProcess cli(folder);
        QStringList arguments{"replay", "--trace", cli.write("trace.txt", trace)};
        QCOMPARE(cli.run(arguments + words(qPrintable(options))), 0);
        const auto lines = QString::fromUtf8(cli.out()).split('\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), rows.size() + 1);
        QCOMPARE(lines[0], "step,found_inf,scale,growth_tracker");
        for (int i = 0; i < rows.size(); ++i) {
            const auto want = rows[i].split(',');
            const auto got = lines[i + 1].split(',');
            QCOMPARE(got.size(), 4);
            QCOMPARE(got[0].toInt(), i + 1);
            QCOMPARE(got[1], want[0]);
            QVERIFY(got[2].toDouble() == want[1].toDouble());
            QCOMPARE(got[3], want[2]);
        }
    }

    void replaySaysWhereAPolicyEndsTheRun()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto trace = cli.write("trace.txt", "1\n1\n1\n1\n0\n0\n");
        QCOMPARE(cli.run(QStringList{"--json", "replay", "--trace", trace}
                     + words("--policy deepspeed --init-scale 2 --hysteresis 1")),
            0);
        const auto json = nlohmann::json::parse(cli.out().toStdString());
        QCOMPARE(json["scale"].dump(), std::string("[1.0,1.0]"));
        QCOMPARE(json["step"].dump(), std::string("[1,2]"));
        QCOMPARE(json["skipped"].get<int>(), 2);
        QCOMPARE(json["final_scale"].get<double>(), 1.0);
        const auto stopped = json["stopped"].get<std::string>();
        QVERIFY(stopped.find("cannot fall below 1 ") != std::string::npos);
        QVERIFY(cli.err().contains("The policy ends the run at step 2"));
        QCOMPARE(json["settings"]["policy"].get<std::string>(), std::string("deepspeed"));
    }

    void replayOfARunGivesItsOwnOverflows()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("--skip-every 7");
        QCOMPARE(cli.run({"--json", "run", cli.write("a.toml", experiment(30))}), 0);
        const auto id = QString::number(cli.lines().back()["runs"][0]["id"].get<int>());
        QCOMPARE(cli.run({"--json", "replay", id, "--growth-interval", "5"}), 0);
        const auto json = nlohmann::json::parse(cli.out().toStdString());
        QCOMPARE(json["skipped"].get<int>(), 4);
        QCOMPARE(json["found_inf"][6].get<int>(), 1);
        QCOMPARE(json["step"].back().get<int>(), 30);
        QCOMPARE(json["settings"]["growth_interval"].get<int>(), 5);
    }

    void badReplaysAreRefused_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* arguments, const char* message) {
            QTest::newRow(arguments) << QString::fromLatin1(arguments) << QByteArray(message);
        };
        row("replay", "give either a run, or --trace FILE");
        row("replay 1 --trace TRACE", "give either a run, or --trace FILE");
        row("replay --trace /nowhere", "/nowhere: ");
        row("replay --trace BAD", "line 2: 'x' is not allowed; allowed: 0");
        row("replay --trace TRACE --policy apex", "--policy apex: ");
        row("replay --trace TRACE --policy apex", "allowed: static, pytorch, hysteresis");
        row("replay --trace TRACE --growth-factor 1", "--growth-factor 1: ");
        row("replay --trace TRACE --hysteresis 0", "allowed: 1 to 1,000");
        row("replay --trace TRACE --init-scale 1 --min-scale 2", "init_scale 1 is below");
        row("replay --trace TRACE --max-scale 0.5", "is above max_scale 0.5");
    }

    void badReplaysAreRefused()
    {
        QFETCH(QString, arguments);
        QFETCH(QByteArray, message);
        QTemporaryDir folder;
        CliProcess cli(folder);
        arguments.replace("TRACE", cli.write("trace.txt", "0\n1\n"));
        arguments.replace("BAD", cli.write("bad.txt", "0\nx\n"));
        QCOMPARE(cli.run(words(qPrintable(arguments))), 2);
        QVERIFY2(cli.err().contains(message), cli.err().constData());
        QVERIFY(cli.out().isEmpty());
    }

    void setReachesARunOfAnotherProcess()
    {
        QTemporaryDir folder;
        CliProcess host(folder);
        const auto id = QString::number(startLongRun(host));
        CliProcess other(folder);
        QVERIFY2(other.run({"set", id, "growth_interval=200", "max_scale=none"}) == 0,
            other.err().constData());
        QVERIFY(other.out().contains("growth_interval: none -> 200"));
        QVERIFY(other.out().contains("max_scale: none -> none"));
        const auto event = host.awaitLine("event", {}, "setting_changed");
        QVERIFY(!event.is_null());
        QCOMPARE(other.run({"--json", "set", id, "scaler.policy=smooth"}), 0); // as in the file
        const auto json = nlohmann::json::parse(other.out().toStdString());
        QCOMPARE(json["type"].get<std::string>(), std::string("changed"));
        QVERIFY(json["changes"][0]["new"] == "smooth");
        // The fake worker refuses 0.
        QCOMPARE(other.run({"set", id, "scale=0"}), 2);
        QVERIFY(other.err().contains("was not changed: scale = 0 is not allowed"));
        host.signal(SIGINT);
        QCOMPARE(host.awaitEnd(), 130);
        QCOMPARE(other.run({"set", id, "scale=8"}), 2);
        QVERIFY2(other.err().contains("is stopped, not running"), other.err().constData());
        // Its changes are stored, and no socket is left.
        QCOMPARE(other.run({"--json", "show", id}), 0);
        QVERIFY(other.out().contains("\"setting_changed\""));
        QVERIFY(QDir(folder.path()).entryList({"*.sock"}, QDir::System).isEmpty());
    }

    void badSetsAreRefused_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* arguments, const char* message) {
            QTest::newRow(arguments) << QString::fromLatin1(arguments) << QByteArray(message);
        };
        row("set 1", "settings is required");
        row("set 1 growth_interval", "is not of the form KEY=VALUE");
        row("set 1 scale=", "is not of the form KEY=VALUE");
        row("set 1 init_scale=4", "allowed: policy, growth_factor");
        row("set 1 scale=4 scale=5", "scale is given twice");
        row("set 99 scale=4", "99");
    }

    void badSetsAreRefused()
    {
        QFETCH(QString, arguments);
        QFETCH(QByteArray, message);
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("");
        QCOMPARE(cli.run({"run", cli.write("a.toml", experiment(3))}), 0);
        QCOMPARE(cli.run(words(qPrintable(arguments))), 2);
        QVERIFY2(cli.err().contains(message), cli.err().constData());
    }
};

MANTISSA_TEST(TestCliScaler)
#include "tst_cli_scaler.moc"
