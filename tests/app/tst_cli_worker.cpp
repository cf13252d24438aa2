// SPDX-License-Identifier: GPL-3.0-or-later
// The command line with the real worker, on tiny generated data.
#include "core/storage/run_store.h"
#include "tests/app/cli_process.h"

#include <QTest>
#include <algorithm>

using namespace mantissa;
using namespace mantissa::test;

namespace {

const QByteArray kHead = "name = \"tiny\"\n"
                         "[model]\nkind = \"mlp\"\nhidden = [16]\n"
                         "[data]\nsource = \"shapes\"\nbatch_size = 16\ntrain_limit = 512\n"
                         "validation_limit = 128\n"
                         "[eval]\nevery = 0\n"
                         "[device]\nkind = \"cpu\"\nthreads = 1\n";
const QByteArray kPair = "[[variant]]\nname = \"fp32\"\nprecision = \"fp32\"\n"
                         "[[variant]]\nname = \"bf16\"\nprecision = \"bf16\"\n";

std::vector<double> values(const nlohmann::json& run, const char* series)
{
    std::vector<double> values;
    for (const auto& value : run.at("series").at(series).at("value"))
        values.push_back(value.is_number() ? value.get<double>() : qQNaN());
    return values;
}

} // namespace

class TestCliWorker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bothVariantsTrain()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file =
            cli.write("tiny.toml", kHead + "[train]\nsteps = 60\n[run]\nblock = 15\n" + kPair);
        QVERIFY2(cli.run({json(), QStringLiteral("run"), file}) == 0, cli.err().constData());
        const auto result = cli.lines().back();
        QCOMPARE(result.at("runs").size(), std::size_t{2});
        for (const auto& run : result.at("runs")) {
            QCOMPARE(run.at("status").get<std::string>(), "finished");
            QCOMPARE(run.at("steps_applied").get<int>(), 60);
            QVERIFY(run.at("final_loss").is_number());
            QVERIFY(run.at("final_metric").get<double>() > 0.1); // ten classes, trained
            QVERIFY(run.at("median_step_ms").get<double>() > 0);
            QVERIFY(run.at("peak_memory_bytes").get<double>() > 0);
        }
        QCOMPARE(blocks(cli), "fp32 bf16 bf16 fp32 fp32 bf16 bf16 fp32");
    }

    /// fp16 at an absurd scale: steps are skipped and the scale halves until the gradients fit, and
    /// what depends on applied steps waits meanwhile.
    void anAbsurdScaleIsSkippedAway()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml",
            kHead
                + "[train]\nsteps = 60\nwarmup_steps = 40\n"
                  "[[variant]]\nname = \"fp16\"\nprecision = \"fp16\"\n");
        QVERIFY2(cli.run({json(), QStringLiteral("run"), file, QStringLiteral("--set"),
                     QStringLiteral("scaler.init_scale=1099511627776")})
                == 0,
            cli.err().constData());
        const auto result = cli.lines().back().at("runs").at(0);
        const auto skipped = result.at("steps_skipped").get<int>();
        QVERIFY(skipped > 0);
        QCOMPARE(result.at("steps_applied").get<int>(), 60 - skipped);
        const auto id = QString::number(result.at("id").get<int>());
        QCOMPARE(cli.run({json(), QStringLiteral("show"), id}), 0);
        const auto run = nlohmann::json::parse(cli.out().toStdString());
        const auto scale = values(run, "scale");
        const auto foundInf = values(run, "found_inf");
        const auto lr = values(run, "lr");
        QCOMPARE(scale.size(), std::size_t{60});
        QCOMPARE(scale[0], 1099511627776.0);
        QCOMPARE(std::count(foundInf.begin(), foundInf.end(), 1.0), skipped);
        for (std::size_t i = 0; i + 1 < scale.size(); ++i)
            QCOMPARE(scale[i + 1], foundInf[i] != 0 ? scale[i] / 2 : scale[i]);
        // While warming up, each applied step moves the learning rate and a skipped one does not.
        const auto warmUpEnd = static_cast<std::size_t>(skipped) + 38;
        for (std::size_t i = 0; i < std::min(warmUpEnd, lr.size() - 1); ++i)
            QCOMPARE(lr[i + 1] == lr[i], foundInf[i] != 0);
    }

    void aKilledWorkerEndsItsRunOnly()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write(
            "tiny.toml", kHead + "[train]\nsteps = 100000\n[run]\nmax_seconds = 2\n" + kPair);
        cli.start({json(), QStringLiteral("run"), file});
        const auto hello = cli.awaitLine("hello", "bf16");
        QVERIFY2(!hello.is_null(), cli.err().constData());
        QVERIFY(!cli.awaitLine("samples", "bf16").is_null());
        ::kill(hello.at("pid").get<int>(), SIGKILL);
        QCOMPARE(cli.awaitEnd(), 1);
        const auto result = cli.lines().back();
        const auto& runs = result.at("runs");
        QCOMPARE(runs.at(1).at("status").get<std::string>(), "killed");
        QVERIFY(runs.at(1).at("reason").get<std::string>().find("SIGKILL") != std::string::npos);
        QCOMPARE(runs.at(0).at("status").get<std::string>(), "stopped");
        QCOMPARE(runs.at(0).at("reason").get<std::string>(), "time limit");
        checkStore(cli, result);
    }

    void ctrlCFinishesTheStepAndStores()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml", kHead + "[train]\nsteps = 100000\n" + kPair);
        cli.start({json(), QStringLiteral("run"), file});
        QVERIFY2(!cli.awaitLine("samples", "bf16").is_null(), cli.err().constData());
        cli.signal(SIGINT);
        QCOMPARE(cli.awaitEnd(), 130);
        const auto result = cli.lines().back();
        for (const auto& run : result.at("runs"))
            QCOMPARE(run.at("status").get<std::string>(), "stopped");
        checkStore(cli, result);
    }

private:
    static QString json() { return QStringLiteral("--json"); }

    static std::string blocks(CliProcess& cli)
    {
        std::string text;
        for (const auto& line : cli.lines()) {
            if (line.value("type", "") == "event" && line.value("kind", "") == "block_started")
                text += (text.empty() ? "" : " ") + line.value("variant", "");
        }
        return text;
    }

    static void checkStore(const CliProcess& cli, const nlohmann::json& result)
    {
        const auto store = RunStore::open(cli.storePath().toStdString(), RunStore::Mode::ReadOnly);
        QVERIFY(store.has_value());
        QCOMPARE((*store)->integrityCheck().value_or("failed"), "ok");
        for (const auto& run : result.at("runs")) {
            const auto loss = (*store)->readSeries(run.at("id").get<std::int64_t>(), "loss");
            QVERIFY(loss.has_value());
            QCOMPARE(loss->y.size(), run.at("steps_attempted").get<std::size_t>());
            for (std::size_t i = 0; i < loss->x.size(); ++i)
                QCOMPARE(loss->x[i], static_cast<double>(i + 1));
        }
    }
};

QTEST_GUILESS_MAIN(TestCliWorker)
#include "tst_cli_worker.moc"
