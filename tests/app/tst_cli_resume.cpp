// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that are killed at a random step and resumed, against one that was not: equal to the bit.
#include "core/run/checkpoint_files.h"
#include "core/storage/run_store.h"
#include "tests/app/cli_process.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <fstream>
#include <random>

using namespace mantissa;
using namespace mantissa::test;
namespace fs = std::filesystem;

namespace {

/// Long enough that a signal sent when the store shows 600 steps still finds it running. fp16 at a
/// scale that overflows at first and then grows, epochs of 16 steps, micro-batches,
/// augmentation, and batches filled ahead.
const QByteArray kExperiment =
    "name = \"kill\"\n"
    "[model]\nkind = \"mlp\"\nhidden = [8]\n"
    "[data]\nsource = \"shapes\"\nbatch_size = 4\ntrain_limit = 130\nvalidation_limit = 8\n"
    "pad_crop = 2\nflip = true\n"
    "[train]\nsteps = 1000\naccumulate = 2\nclip_norm = 1.0\nwarmup_steps = 20\n"
    "[eval]\nevery = 50\n"
    "[device]\nkind = \"cpu\"\nthreads = 1\n"
    "[scaler]\ninit_scale = 16777216.0\ngrowth_interval = 11\n"
    "[run]\ncheckpoint_every = 7\nsave_weights = true\n"
    "[[variant]]\nname = \"fp16\"\nprecision = \"fp16\"\n";

QByteArray bytesOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return QByteArray::fromStdString(text);
}

/// 50 with MANTISSA_KILL_TRIALS=50.
int trials()
{
    const auto wanted = qEnvironmentVariableIntValue("MANTISSA_KILL_TRIALS");
    return wanted > 0 ? wanted : 3;
}

} // namespace

class TestCliResume : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        CliProcess cli(m_whole);
        const auto file = cli.write("kill.toml", kExperiment);
        QVERIFY2(cli.run({json(), run(), file}) == 0, cli.err().constData());
        QCOMPARE(cli.lines().back().at("runs")[0].at("status").get<std::string>(), "finished");
        QVERIFY(cli.lines().back().at("runs")[0].at("steps_skipped").get<int>() > 3);
    }

    void aKilledRunGoesOnToTheBit()
    {
        const auto seed = std::random_device()();
        std::mt19937 random(seed);
        int killed = 0;
        for (int trial = 0; killed < trials() && trial < 3 * trials(); ++trial) {
            QTemporaryDir folder;
            CliProcess cli(folder);
            const auto file = cli.write("kill.toml", kExperiment);
            const auto steps = 8 + static_cast<std::int64_t>(random() % 600);
            const bool wholeProgram = random() % 2 == 0;
            const auto where =
                QString("seed %1, trial %2, at about step %3").arg(seed).arg(trial).arg(steps);
            kill(cli, folder, file, steps, wholeProgram);
            if (QTest::currentTestFailed())
                return;
            const auto store = RunStore::open(storeOf(folder)).value();
            const auto before = store->run(1).value();
            if (before.state == RunState::Finished)
                continue; // it was quicker than the signal
            ++killed;
            QVERIFY2(cli.run({json(), QStringLiteral("resume"), QStringLiteral("1")}) == 0,
                cli.err().constData());
            compare(folder, where);
            if (QTest::currentTestFailed())
                return;
        }
        QCOMPARE(killed, trials());
    }

    void aStoppedRunGoesOnAtItsVeryStep()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("kill.toml", kExperiment);
        const QStringList limited{
            json(), run(), file, QStringLiteral("--max-steps"), QStringLiteral("123")};
        QVERIFY2(cli.run(limited) == 0, cli.err().constData());
        QCOMPARE(cli.lines().back().at("runs")[0].at("status").get<std::string>(), "stopped");
        QVERIFY(cli.run({json(), QStringLiteral("resume"), QStringLiteral("1")}) == 0);
        const auto resumed = cli.awaitLine("event", "fp16", "resumed_from");
        QCOMPARE(resumed.at("data").at("step").get<int>(), 123);
        compare(folder, QStringLiteral("stopped at 123"), {123.0});
    }

    void sayWhyARunCannotGoOn()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        auto text = kExperiment;
        text.replace("checkpoint_every = 7", "checkpoint_every = 0");
        const auto file = cli.write("kill.toml", text);
        QVERIFY(cli.run({json(), run(), file, QStringLiteral("--max-steps"), QStringLiteral("9")})
            == 0);
        QCOMPARE(cli.run({QStringLiteral("resume"), QStringLiteral("1")}), 2);
        QVERIFY2(cli.err().contains("run.checkpoint_every"), cli.err().constData());
        QCOMPARE(cli.run({QStringLiteral("resume"), QStringLiteral("77")}), 2);
        QVERIFY2(cli.err().contains("there is no run 77"), cli.err().constData());
    }

private:
    static QString json() { return QStringLiteral("--json"); }
    static QString run() { return QStringLiteral("run"); }
    static fs::path storeOf(const QTemporaryDir& folder)
    {
        return folder.filePath(QStringLiteral("runs.db")).toStdString();
    }

    /// Starts the run and kills its worker, or the whole program, once about `steps` are stored.
    static void kill(CliProcess& cli, const QTemporaryDir& folder, const QString& file,
        std::int64_t steps, bool wholeProgram)
    {
        cli.start({json(), run(), file});
        const auto hello = cli.awaitLine("hello");
        QVERIFY2(hello.is_object(), cli.err().constData());
        const auto worker = static_cast<pid_t>(hello.at("pid").get<int>());
        QTRY_VERIFY_WITH_TIMEOUT(fs::exists(storeOf(folder)), 60'000);
        const auto store = RunStore::open(storeOf(folder), RunStore::Mode::ReadOnly).value();
        QTRY_VERIFY_WITH_TIMEOUT(
            store->run(1).value().stepsAttempted >= steps || isEnd(store->run(1).value().state),
            60'000);
        if (wholeProgram)
            cli.signal(SIGKILL);
        ::kill(worker, SIGKILL);
        cli.awaitEnd();
    }

    /// Validation at the end of an earlier part (`extra` steps) is in the resumed run only.
    void compare(const QTemporaryDir& folder, const QString& where,
        const std::vector<double>& extra = {}) const
    {
        const auto store = RunStore::open(storeOf(folder)).value();
        const auto whole = RunStore::open(storeOf(m_whole)).value();
        const auto record = store->run(1).value();
        QCOMPARE(toString(record.state), "finished");
        QCOMPARE(record.stepsAttempted, std::int64_t{1000});
        QCOMPARE(record.stepsSkipped, whole->run(1).value().stepsSkipped);
        for (const auto* name :
            {"loss", "scale", "growth_tracker", "found_inf", "grad_norm", "lr", "metric"}) {
            auto got = store->readSeries(1, name).value();
            const auto expected = whole->readSeries(1, name).value();
            for (const auto step : extra) {
                const auto at = std::find(got.x.begin(), got.x.end(), step);
                if (std::string(name) != "metric" || at == got.x.end())
                    continue;
                got.y.erase(got.y.begin() + (at - got.x.begin()));
                got.x.erase(at);
            }
            QVERIFY2(got.x == expected.x, qPrintable(where + ": steps of " + name));
            QCOMPARE(got.y.size(), expected.y.size());
            QVERIFY2(std::memcmp(got.y.data(), expected.y.data(), 8 * got.y.size()) == 0,
                qPrintable(where + ": " + name));
        }
        const auto weights = [](const QTemporaryDir& of) {
            return bytesOf(checkpointFolder(storeOf(of), 1) / "weights.safetensors");
        };
        QVERIFY(weights(folder).size() > 1000);
        QVERIFY2(weights(folder) == weights(m_whole), qPrintable(where + ": weights"));
        QCOMPARE(checkpointsIn(checkpointFolder(storeOf(folder), 1)).size(), std::size_t{2});
    }

    QTemporaryDir m_whole;
};

MANTISSA_TEST(TestCliResume)
#include "tst_cli_resume.moc"
