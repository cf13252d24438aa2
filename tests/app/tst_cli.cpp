// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as a program, with the fake worker: exit codes, signals, what is stored.
#include "core/storage/run_store.h"
#include "tests/app/cli_process.h"
#include "tests/support/fake_values.h"
#include "tests/support/test_program.h"
#include "tests/support/waits.h"

#include <QTest>
#include <fstream>

using namespace mantissa;
using namespace mantissa::test;

namespace {

constexpr const char* kExperiment = "name = \"two\"\n"
                                    "[model]\nkind = \"mlp\"\n"
                                    "[data]\nsource = \"shapes\"\n"
                                    "[train]\nsteps = 200\n"
                                    "[[variant]]\nname = \"a\"\nprecision = \"fp32\"\n"
                                    "[[variant]]\nname = \"b\"\nprecision = \"bf16\"\n";

/// Whether a process is gone or only waits to be reaped.
bool isGone(int pid)
{
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return !(stat >> number >> name >> state) || state == "Z";
}

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void badUsageExitsWith2_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("said");
        const auto row = [](const char* name, const char* arguments, const char* said) {
            QTest::newRow(name) << QString::fromLatin1(arguments).split(
                QLatin1Char(' '), Qt::SkipEmptyParts)
                                << QByteArray(said);
        };
        row("no command", "", "a command is missing");
        row("unknown command", "train", "'train' is no command");
        row("not built yet", "compare 1 2", "'compare' is not built");
        row("not built lists what is", "tune 1", "doctor");
        row("unknown option", "list --colour", "--colour");
        row("no experiment", "run", "experiment is required");
        row("missing file", "run nowhere.toml", "nowhere.toml");
        row("set without value", "run two.toml --set train.lr", "PATH=VALUE");
        row("set of an unknown key", "run two.toml --set train.lrr=1", "train.lr");
        row("set out of range", "run two.toml --set train.steps=-1", "train.steps");
        row("steps no number", "run two.toml --max-steps many", "run.max_steps");
        row("unknown variant", "run two.toml --variant c", "allowed: a, b");
        row("unknown schedule", "run two.toml --schedule random", "interleaved");
        row("report of another kind", "run two.toml --report out.docx", ".html");
        row("unknown state", "list --status odd", "finished");
        row("unknown format", "export 1 -o x --format tensorboard", "csv");
        row("run id no number", "show first", "first");
    }

    void badUsageExitsWith2()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, said);
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("");
        cli.write("two.toml", kExperiment);
        QCOMPARE(cli.run(arguments), 2);
        QVERIFY2(cli.err().contains(said), cli.err().constData());
        QCOMPARE(cli.out(), QByteArray());
    }

    void jsonLinesEndWithTheResult()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("--skip-every 50");
        QCOMPARE(cli.run({json(), QStringLiteral("run"), cli.write("two.toml", kExperiment)}), 0);
        const auto lines = cli.lines();
        for (const auto& line : lines)
            QVERIFY(line.is_object() && line.contains("type"));
        const auto& result = lines.back();
        QCOMPARE(result.at("type").get<std::string>(), "result");
        QVERIFY(result.at("comparison").is_number_integer());
        QCOMPARE(result.at("runs").size(), std::size_t{2});
        for (const auto& run : result.at("runs")) {
            for (const char* key :
                {"id", "variant", "repetition", "status", "reason", "steps_attempted",
                    "steps_applied", "steps_skipped", "final_loss", "final_metric",
                    "median_step_ms", "samples_per_second", "peak_memory_bytes", "final_scale"})
                QVERIFY2(run.contains(key), key);
            QCOMPARE(run.at("status").get<std::string>(), "finished");
            QCOMPARE(run.at("steps_attempted").get<int>(), 200);
            QCOMPARE(run.at("steps_skipped").get<int>(), 4);
            QCOMPARE(run.at("final_loss").get<std::string>(), "Infinity"); // step 200 is skipped
            QCOMPARE(run.at("final_metric").get<double>(), fakeMetric(200));
        }
    }

    void aLimitThatWasAskedForIsDone()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("");
        QCOMPARE(cli.run({json(), QStringLiteral("run"), cli.write("two.toml", kExperiment),
                     QStringLiteral("--max-steps"), QStringLiteral("30")}),
            0);
        const auto result = cli.lines().back();
        for (const auto& run : result.at("runs")) {
            QCOMPARE(run.at("steps_attempted").get<int>(), 30);
            QCOMPARE(run.at("reason").get<std::string>(), "step limit");
        }
    }

    void ctrlCFinishesTheStepStoresAndExitsWith130()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("--steps 1000000 --step-us 1000");
        cli.start({json(), QStringLiteral("run"), cli.write("two.toml", kExperiment)});
        QVERIFY(!cli.awaitLine("samples", "b").is_null());
        cli.signal(SIGINT);
        QCOMPARE(cli.awaitEnd(), 130);
        const auto result = cli.lines().back();
        QCOMPARE(result.at("type").get<std::string>(), "result");
        for (const auto& run : result.at("runs"))
            QCOMPARE(run.at("status").get<std::string>(), "stopped");
        checkStore(cli, result);
    }

    void theSecondCtrlCStopsAtOnce()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("--step-us 600000000"); // a step of ten minutes
        cli.start({json(), QStringLiteral("run"), cli.write("two.toml", kExperiment)});
        const auto pid = cli.awaitLine("hello", "a").at("pid").get<int>();
        QVERIFY(!cli.awaitLine("event", "a", "fake_block").is_null());
        cli.signal(SIGINT);
        QVERIFY(cli.awaitErr("again"));
        cli.signal(SIGINT);
        QCOMPARE(cli.awaitEnd(), 130);
        QVERIFY(isGone(pid));
        QCOMPARE(cli.lines().back().at("runs").at(0).at("status").get<std::string>(), "killed");
    }

    void aKilledWorkerEndsItsRunOnly()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("--step-us 2000");
        cli.start({json(), QStringLiteral("run"), cli.write("two.toml", kExperiment)});
        const auto pid = cli.awaitLine("hello", "a").at("pid").get<int>();
        QVERIFY(!cli.awaitLine("samples", "a").is_null());
        ::kill(pid, SIGKILL);
        QCOMPARE(cli.awaitEnd(), 1);
        const auto result = cli.lines().back();
        const auto& runs = result.at("runs");
        QCOMPARE(runs.at(0).at("status").get<std::string>(), "killed");
        QVERIFY(runs.at(0).at("reason").get<std::string>().find("signal 9 (SIGKILL)")
            != std::string::npos);
        QCOMPARE(runs.at(1).at("status").get<std::string>(), "finished");
        QCOMPARE(runs.at(1).at("steps_attempted").get<int>(), 200);
        checkStore(cli, result);
    }

    void aKilledHostLeavesNoWorkerAndAnInterruptedRun()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("--steps 1000000 --step-us 1000");
        cli.start({json(), QStringLiteral("run"), cli.write("two.toml", kExperiment)});
        const int pids[] = {cli.awaitLine("hello", "a").at("pid").get<int>(),
            cli.awaitLine("hello", "b").at("pid").get<int>()};
        QVERIFY(!cli.awaitLine("samples", "a").is_null());
        cli.signal(SIGKILL);
        QCOMPARE(cli.awaitEnd(), -2);
        for (const int pid : pids)
            QVERIFY(await([pid] { return isGone(pid); }));
        const auto store = RunStore::open(cli.storePath().toStdString());
        QVERIFY(store.has_value());
        const auto runs = (*store)->runs();
        QVERIFY(runs.has_value());
        QCOMPARE(runs->size(), std::size_t{2});
        for (const auto& run : *runs)
            QCOMPARE(toString(run.state), "interrupted");
        QCOMPARE((*store)->integrityCheck().value_or("failed"), "ok");
    }

    void aWorkerThatIsNotThereFailsTheRuns()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("");
        QFile::remove(folder.filePath(QStringLiteral("worker")));
        QCOMPARE(cli.run({QStringLiteral("run"), cli.write("two.toml", kExperiment)}), 1);
        QVERIFY2((cli.out() + cli.err()).contains("does not exist"), cli.err().constData());
    }

    void anUnusableStoreExitsWith4()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("");
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("runs.db"))); // a folder is no store
        QCOMPARE(cli.run({QStringLiteral("run"), cli.write("two.toml", kExperiment)}), 4);
        QVERIFY(cli.err().contains("runs.db"));
    }

    void dryRunTrainsNothing()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker("");
        QCOMPARE(cli.run({QStringLiteral("run"), cli.write("two.toml", kExperiment),
                     QStringLiteral("--dry-run"), QStringLiteral("--repeat"), QStringLiteral("2")}),
            0);
        QVERIFY(cli.out().contains("4 runs"));
        QVERIFY(!QFile::exists(cli.storePath()));
    }

private:
    static QString json() { return QStringLiteral("--json"); }

    /// What the result says has been stored: every step, in order, with its value.
    static void checkStore(const CliProcess& cli, const nlohmann::json& result)
    {
        const auto store = RunStore::open(cli.storePath().toStdString(), RunStore::Mode::ReadOnly);
        QVERIFY(store.has_value());
        QCOMPARE((*store)->integrityCheck().value_or("failed"), "ok");
        for (const auto& run : result.at("runs")) {
            const auto loss = (*store)->readSeries(run.at("id").get<std::int64_t>(), "loss");
            QVERIFY(loss.has_value());
            QCOMPARE(loss->y.size(), run.at("steps_attempted").get<std::size_t>());
            for (std::size_t i = 0; i < loss->y.size(); ++i) {
                QCOMPARE(loss->x[i], static_cast<double>(i + 1));
                QCOMPARE(loss->y[i], fakeLoss(1, static_cast<std::int64_t>(i + 1)));
            }
        }
    }
};

MANTISSA_TEST(TestCli)
#include "tst_cli.moc"
