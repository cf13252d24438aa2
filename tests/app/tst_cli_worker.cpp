// SPDX-License-Identifier: GPL-3.0-or-later
// The command line with the real worker, on tiny generated data.
#include "core/storage/run_store.h"
#include "tests/app/cli_process.h"
#include "tests/support/test_program.h"

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

    /// The settings of a run that trains in another process, in force at its next update.
    void setChangesARunOnItsWay()
    {
        QTemporaryDir folder;
        CliProcess host(folder);
        const auto file = host.write("tiny.toml",
            kHead
                + "[train]\nsteps = 1000000\n[scaler]\nenabled = true\npolicy = \"static\"\n"
                  "[[variant]]\nname = \"fp32\"\nprecision = \"fp32\"\n");
        host.start({json(), QStringLiteral("run"), file});
        const auto samples = host.awaitLine("samples");
        QVERIFY2(!samples.is_null(), host.err().constData());
        const auto id = QString::number(samples.at("run").get<int>());
        CliProcess other(folder);
        QCOMPARE(other.run({QStringLiteral("set"), id, QStringLiteral("scale=1024"),
                     QStringLiteral("policy=pytorch"), QStringLiteral("growth_interval=5")}),
            0);
        QVERIFY(other.out().contains("policy: static -> pytorch"));
        QVERIFY(other.out().contains("scale: 65536 -> 1024"));
        QCOMPARE(other.run({QStringLiteral("set"), id, QStringLiteral("growth_factor=1")}), 2);
        QVERIFY(other.err().contains("growth_factor = 1 is not allowed; allowed: above 1"));
        host.signal(SIGINT);
        QCOMPARE(host.awaitEnd(), 130);
        QCOMPARE(other.run({json(), QStringLiteral("show"), id}), 0);
        const auto run = nlohmann::json::parse(other.out().toStdString());
        const auto scale = values(run, "scale");
        const auto first = std::find(scale.begin(), scale.end(), 1024.0);
        QVERIFY(first != scale.begin() && first != scale.end());
        QVERIFY(std::all_of(scale.begin(), first, [](double x) { return x == 65536; }));
        for (int step = 0; step < 12 && first + step != scale.end(); ++step)
            QCOMPARE(*(first + step), 1024.0 * (1 << step / 5));
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

    /// What the run says of itself while it overflows, what is stored of it, and the checklist.
    void anOverflowIsLocatedToldAndChecked()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml",
            kHead
                + "[train]\nsteps = 30\n[scaler]\ninit_scale = 1099511627776.0\n"
                  "[[variant]]\nname = \"fp16\"\nprecision = \"fp16\"\n");
        QVERIFY2(cli.run({QStringLiteral("run"), file}) == 0, cli.err().constData());
        QVERIFY2(cli.err().contains("fp16, step 1: First non-finite tensor: the gradient at the "
                                    "output of fc2 (Half)"),
            cli.err().constData());
        QVERIFY(cli.err().contains("5 steps in a row were skipped"));
        QVERIFY(cli.err().contains("Hypothesis: "));
        QVERIFY(cli.err().contains("Before the first step: scaler, scaler.init_scale"));
        const auto store = RunStore::open(cli.storePath().toStdString(), RunStore::Mode::ReadOnly);
        QVERIFY(store.has_value());
        const auto events = (*store)->events(1);
        QVERIFY(events.has_value());
        const auto count = [&](std::string_view kind) {
            return std::ranges::count(*events, kind, &LifecycleEvent::kind);
        };
        QCOMPARE(count(event_kind::kNonFiniteLocated), 1);
        QVERIFY(count(event_kind::kAlert) >= 3);
        QCOMPARE(cli.run({json(), QStringLiteral("checklist"), QStringLiteral("1")}), 0);
        const auto checks = nlohmann::json::parse(cli.out().toStdString()).at("checks");
        const auto answer = [&](const char* id) {
            for (const auto& check : checks) {
                if (check.at("id") == id)
                    return check.at("answer").get<std::string>();
            }
            return std::string();
        };
        QCOMPARE(answer("scale_too_high"), std::string("found"));
        QCOMPARE(answer("intrinsic"), std::string("not_found"));
        QCOMPARE(answer("fp32_twin"), std::string("cannot_tell"));
        QCOMPARE(answer("skips"), std::string("not_found"));
        QCOMPARE(cli.run({QStringLiteral("checklist"), QStringLiteral("1")}), 0);
        QVERIFY(cli.out().contains("FOUND        Was the scale too high for a step?"));
        QCOMPARE(cli.run({QStringLiteral("checklist"), QStringLiteral("7")}), 2);
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

MANTISSA_TEST(TestCliWorker)
#include "tst_cli_worker.moc"
