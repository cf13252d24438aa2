// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that ask the real worker one question.
#include "core/storage/capability_store.h"
#include "tests/app/cli_process.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTest>

using namespace mantissa;
using namespace mantissa::test;

namespace {

/// What Python torch 2.11.0 prints for the same network, seed and step.
const QByteArray kSmokeLines = "torch_version=2.11.0\n"
                               "device_type=cpu\n"
                               "autocast_available=True\n"
                               "amp_dtype=bfloat16\n"
                               "scaler_enabled=False\n"
                               "prediction_dtype=bfloat16\n"
                               "loss_dtype=float32\n"
                               "grad_dtype=float32\n"
                               "weight_changed=True\n"
                               "loss_value=0.648133\n"
                               "step_complete=True\n";

/// Of 4,000 generated images.
const QByteArray kTiny = "name = \"tiny\"\n"
                         "[model]\nkind = \"mlp\"\nhidden = [8]\n"
                         "[data]\nsource = \"shapes\"\nbatch_size = 16\n"
                         "train_limit = 4000\nvalidation_limit = 8\n"
                         "[train]\nsteps = 12\n"
                         "[device]\nkind = \"cpu\"\nthreads = 1\n"
                         "[[variant]]\nname = \"fp32\"\nprecision = \"fp32\"\n"
                         "[[variant]]\nname = \"bf16\"\nprecision = \"bf16\"\n";

} // namespace

class TestCliEngine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void smokePrintsPythonsValues()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        QVERIFY2(cli.run({"smoke", "--device", "cpu"}) == 0, cli.err().constData());
        QCOMPARE(cli.out(), kSmokeLines);
    }

    void smokeAsJson()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        QVERIFY2(cli.run({"--json", "smoke", "--device", "cpu"}) == 0, cli.err().constData());
        const auto lines = cli.lines();
        QCOMPARE(lines.size(), std::size_t{1});
        QCOMPARE(lines[0].size(), std::size_t{11});
        QCOMPARE(lines[0].at("prediction_dtype").get<std::string>(), "bfloat16");
        QVERIFY(std::abs(lines[0].at("loss_value").get<double>() - 0.648133) < 5e-7);
    }

    void aDeviceThatIsNotThereIsNamed()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        QCOMPARE(cli.run({"smoke", "--device", "cuda:99"}), 1);
        QVERIFY2(cli.err().contains("cuda:99"), cli.err().constData());
        QVERIFY(cli.out().isEmpty());
    }

    void checkMeasuresStoresAndWrites()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = folder.filePath(QStringLiteral("card.md"));
        QVERIFY2(cli.run({"--json", "check", "--device", "cpu", "--quick", "-o", file}) == 0,
            cli.err().constData());
        const auto lines = cli.lines();
        QCOMPARE(lines.size(), std::size_t{1});
        const auto& card = lines[0].at("cards").at(0);
        QCOMPARE(card.at("cells").size(), std::size_t{35});
        QVERIFY(card.at("quick").get<bool>());
        QVERIFY(card.at("advice").size() >= 1);
        QVERIFY(QFile::exists(file));
        const auto store = CapabilityStore::open(
            folder.filePath(QStringLiteral("runs.db")).toStdString(), RunStore::Mode::ReadOnly);
        QCOMPARE(store.value()->checks().value().size(), std::size_t{1});
    }

    void checkRefusesAFileItCannotWriteBeforeItMeasures()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        QCOMPARE(cli.run({"check", "-o", "card.pdf"}), 2);
        QVERIFY2(cli.err().contains(".json, .html or .md"), cli.err().constData());
        QCOMPARE(cli.run({"check", "--device", "cuda:99"}), 1);
        QVERIFY2(cli.err().contains("cuda:99"), cli.err().constData());
    }

    void fitFindsAPlantedLimit()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml", kTiny);
        // Peaks rise by one and the same amount a sample: two runs tell the true maximum.
        const auto peakOf = [&](int batch) {
            const auto set = QStringLiteral("data.batch_size=%1").arg(batch);
            cli.run({"--json", "run", file, "--set", set, "--variant", "fp32"});
            return cli.lines().back().at("runs")[0].at("peak_memory_bytes").get<double>();
        };
        const double few = peakOf(1000);
        const double many = peakOf(2000);
        const double limit = few + (many - few) * 0.7; // 1,700 samples
        QVERIFY(many > few);
        QCOMPARE(cli.run({"--json", "fit", file, "--memory", QString::number(limit, 'f', 0),
                     "--variant", "fp32"}),
            0);
        const auto variant = cli.lines().back().at("variants").at(0);
        const int batch = variant.at("batch").get<int>();
        QVERIFY2(batch <= 1705 && batch >= 1615, qPrintable(QString::number(batch)));
        QVERIFY(variant.at("peak_memory_bytes").get<double>() <= limit);
        QVERIFY(variant.at("trials").size() <= 12);
    }

    void matchMemoryTrainsAtEqualMemory()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml", kTiny);
        QVERIFY2(cli.run({"--json", "run", file, "--set", "data.batch_size=1000", "--match-memory"})
                == 0,
            cli.err().constData());
        const auto lines = cli.lines();
        QCOMPARE(lines.front().at("type").get<std::string>(), "memory_match");
        const auto matched = lines.front().at("variants");
        QCOMPARE(matched.at(0).at("batch").get<int>(), 1000); // the baseline keeps its own
        const int batch = matched.at(1).at("batch").get<int>();
        const auto peakOf = [](const nlohmann::json& run) {
            return run.at("peak_memory_bytes").get<double>();
        };
        const auto runs = lines.back().at("runs");
        const double limit = peakOf(runs.at(0));
        QVERIFY(peakOf(runs.at(1)) <= limit);
        // 6 % more samples would take more than the baseline: the match is within 5 %.
        QVERIFY2(cli.run({"--json", "run", file, "--variant", "bf16", "--set",
                     QStringLiteral("data.batch_size=%1").arg(batch * 106 / 100 + 1)})
                == 0,
            cli.err().constData());
        QVERIFY(peakOf(cli.lines().back().at("runs").at(0)) > limit);
        // The store says with which batch each trained.
        QCOMPARE(cli.run({"--json", "show", "2"}), 0);
        const auto shown = cli.lines().back().at("config").at("settings").at("data");
        QCOMPARE(shown.at("batch_size").get<int>(), batch);
    }

    void matchMemoryNamesAVariantThatCannotBeMatched()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        // All of fp32's memory is one sample; 64 MiB of bf16 copies of the weights do not fit.
        auto text = kTiny;
        text.replace("batch_size = 16", "batch_size = 1")
            .replace("hidden = [8]", "hidden = [2048, 2048, 2048]");
        QCOMPARE(
            cli.run({"run", cli.write("wide.toml", text), "--match-memory", "--max-steps", "1"}),
            1);
        QVERIFY2(cli.err().contains("bf16: not even one sample fits into"), cli.err().constData());
        QVERIFY(!QFile::exists(cli.storePath()));
    }

    void fitRefusesWhatIsNoMemory()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        const auto file = cli.write("tiny.toml", kTiny);
        QCOMPARE(cli.run({"fit", file, "--memory", "3 parsecs"}), 2);
        QVERIFY2(cli.err().contains("3 parsecs"), cli.err().constData());
        QCOMPARE(cli.run({"fit", file, "--variant", "fp8"}), 2);
    }

    void aModelsCheckIsStoredAndPredicts()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        auto text = kTiny;
        const auto file = cli.write("tiny.toml", text.replace("kind = \"cpu\"", "kind = \"auto\""));
        QVERIFY2(cli.run({"--json", "check", file}) == 0, cli.err().constData());
        const auto check = cli.lines().back().at("check");
        // The device that "auto" chose, as the capability card names it.
        const auto device = check.at("device").get<std::string>();
        QVERIFY2(device == "cpu" || device == "cuda:0", device.c_str());
        const auto probes = check.at("probes");
        QCOMPARE(probes.size(), std::size_t{4});
        for (const auto& probe : probes) {
            const bool is32 = probe.at("precision") == "tf32";
            QCOMPARE(probe.at("reason").get<std::string>().empty(), !is32);
        }
        QVERIFY2(cli.run({"--json", "run", file}) == 0, cli.err().constData());
        const auto store = CapabilityStore::open(cli.storePath().toStdString()).value();
        QCOMPARE(store->predictions().value().size(), std::size_t{2});
    }

    void operatorsAreListedForTheDevicesAskedFor()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        QVERIFY2(cli.run({"ops"}) == 0, cli.err().constData());
        const auto heading = cli.out().left(cli.out().indexOf('\n')).simplified();
        QCOMPARE(heading, QByteArray("operator CPU known by CUDA known by"));
        QVERIFY(
            cli.out().simplified().contains("linear low precision executed low precision table"));

        QVERIFY2(cli.run({"--json", "ops", "--device", "cpu"}) == 0, cli.err().constData());
        const auto answer = cli.lines().at(0);
        QCOMPARE(answer.at("torch_version").get<std::string>(), "2.11.0");
        QVERIFY(answer.at("operators").size() > 200);
        for (const auto& one : answer.at("operators"))
            QVERIFY(one.contains("cpu") && !one.contains("cuda"));

        QCOMPARE(cli.run({"ops", "--device", "tpu"}), 2);
        QVERIFY2(cli.err().contains("tpu"), cli.err().constData());
    }

    /// The fake worker takes the question for an option it does not know.
    void aWorkerThatDoesNotAnswerIsAnError()
    {
        QTemporaryDir folder;
        CliProcess cli(folder);
        cli.useFakeWorker({});
        QCOMPARE(cli.run({"smoke"}), 1);
        QVERIFY2(cli.err().contains("mantissa-cli: "), cli.err().constData());
        QVERIFY(cli.out().isEmpty());
    }
};

MANTISSA_TEST(TestCliEngine)
#include "tst_cli_engine.moc"
