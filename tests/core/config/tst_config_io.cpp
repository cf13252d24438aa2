// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"

#include "tests/core/config/random_config.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <clocale>
#include <nlohmann/json.hpp>

using namespace mantissa;

namespace {

constexpr const char* kSmall = R"(name = "small"

[train]
steps = 100

[[variant]]
name = "fp32"
precision = "fp32"

[[variant]]
name = "fp16"
precision = "fp16"
train.lr = 3e-4
)";

LoadedConfig withSet(std::vector<ConfigOverride> overrides)
{
    return parseExperiment(kSmall, "small.toml", overrides);
}

std::string allText(const LoadedConfig& loaded)
{
    std::string text;
    for (const auto& problem : loaded.problems)
        text += problem.text() + "\n";
    return text;
}

/// What a variant's settings are by definition: the shared ones with its overrides on top.
Settings expectedSettings(const ExperimentConfig& config, const Variant& variant)
{
    auto settings = config.settings;
    for (const auto& [path, text] : variant.overrides) {
        const auto file = "name = \"x\"\n" + path + " = " + text
            + "\n[[variant]]\nname = \"x\"\nprecision = \"fp32\"\n";
        const auto loaded = parseExperiment(file, "one.toml");
        const auto* key = findKey(path);
        if (loaded.ok())
            key->set(settings, key->get(loaded.config->settings));
    }
    return settings;
}

} // namespace

class TestConfigIo : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fillsInDefaultsAndOverrides()
    {
        const auto loaded = withSet({});
        QVERIFY2(loaded.ok(), allText(loaded).c_str());
        QVERIFY(loaded.problems.empty());
        const auto& config = *loaded.config;
        QCOMPARE(config.name, "small");
        QCOMPARE(config.settings.train.steps, 100);
        QCOMPARE(config.settings.train.lr, 1e-3);
        QCOMPARE(config.variants[0].settings, config.settings);
        QCOMPARE(config.variants[1].settings.train.lr, 3e-4);
        using Pair = std::pair<std::string, std::string>;
        QCOMPARE(config.variants[1].overrides, std::vector{Pair("train.lr", "3e-4")});
        QVERIFY(config.variants[1].usesScaler() && !config.variants[0].usesScaler());
    }

    void takesWholeNumbersForNumbersAndBothSpellingsOfEnabled()
    {
        const auto loaded = parseExperiment("name = \"x\"\n[train]\nlr = 1\n[scaler]\n"
                                            "enabled = false\ninit_scale = 1024\n[[variant]]\n"
                                            "name = \"a\"\nprecision = \"fp16\"\n"
                                            "scaler.enabled = \"true\"\n",
            "x.toml");
        QVERIFY2(loaded.ok(), allText(loaded).c_str());
        QCOMPARE(loaded.config->settings.train.lr, 1.0);
        QVERIFY(loaded.config->settings.scaler.enabled == ScalerEnabled::Off);
        QCOMPARE(loaded.config->settings.scaler.initScale, 1024.0);
        QVERIFY(loaded.config->variants[0].settings.scaler.enabled == ScalerEnabled::On);
    }

    void keepsTheOrderOfOverrides()
    {
        const auto loaded = parseExperiment("name = \"x\"\n[[variant]]\nname = \"a\"\n"
                                            "precision = \"fp32\"\ntrain.lr = 0.1\n"
                                            "\"eval.every\" = 7\nmodel.hidden = [\n  3,\n  4,\n]\n"
                                            "[variant.data]\nbatch_size = 2\n",
            "x.toml");
        QVERIFY2(loaded.ok(), allText(loaded).c_str());
        const auto& overrides = loaded.config->variants[0].overrides;
        QCOMPARE(overrides.size(), std::size_t{4});
        QCOMPARE(overrides[0].first, "train.lr");
        QCOMPARE(overrides[1].first, "eval.every");
        QCOMPARE(overrides[2].second, "[3, 4]");
        QCOMPARE(overrides[3].first, "data.batch_size");
        QCOMPARE(loaded.config->variants[0].settings.eval.every, 7);
    }

    void setOverridesTheFile()
    {
        const auto loaded = withSet({{"train.steps", "7"}, {"train.optimizer", "sgd"},
            {"data.root", "/some where/x"}, {"name", "other"}, {"model.hidden", "[1, 2]"},
            {"variant[0].precision", "bf16"}, {"variant.fp16.scaler.init_scale", "2e3"}});
        QVERIFY2(loaded.ok(), allText(loaded).c_str());
        const auto& config = *loaded.config;
        QCOMPARE(config.settings.train.steps, 7);
        QVERIFY(config.settings.train.optimizer == OptimizerKind::Sgd);
        QCOMPARE(config.settings.data.root, "/some where/x");
        QCOMPARE(config.name, "other");
        QCOMPARE(config.settings.model.hidden, (std::vector<std::int64_t>{1, 2}));
        QVERIFY(config.variants[0].precision == Precision::Bf16);
        QCOMPARE(config.variants[1].settings.scaler.initScale, 2000.0);
    }

    void setHasTheMessagesOfTheFile_data()
    {
        QTest::addColumn<std::string>("path");
        QTest::addColumn<std::string>("value");
        QTest::addColumn<std::string>("text");
        const auto row = [](const char* path, const char* value, const char* text) {
            QTest::newRow(path) << std::string(path) << std::string(value) << std::string(text);
        };
        row("train.step", "1", "--set: train.step = 1: is not a known key");
        row("train.lr", "fast", "must be a number, not text; allowed: above 0, up to 10");
        row("train.steps", "1\nx=2", "must be a whole number");
        row("model.kind", "\"cn\"", "did you mean cnn?");
        row("variant[3].train.lr", "1",
            "names no variant; allowed: variant[0], variant[1], variant[2] to add one");
        row("variant.bf16.train.lr", "1", "names no variant");
        row("variant[0].run.seed", "1", "cannot differ between variants");
        row("scaler.backoff_factor", "1.5", "is out of range; allowed: above 0, below 1");
        row("data.root", "\xFF", "is not valid UTF-8");
        row("eval.every", "", "must be a whole number, not nothing");
    }

    void setHasTheMessagesOfTheFile()
    {
        QFETCH(std::string, path);
        QFETCH(std::string, value);
        QFETCH(std::string, text);
        const auto loaded = withSet({{path, value}});
        QVERIFY(!loaded.ok());
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        QCOMPARE(loaded.problems[0].file, "--set");
        QCOMPARE(loaded.problems[0].line, 0);
        QVERIFY2(allText(loaded).find(text) != std::string::npos, allText(loaded).c_str());
    }

    void setAddsAVariant()
    {
        const auto loaded = withSet({{"variant[2].precision", "bf16"}, {"variant[2].name", "new"}});
        QVERIFY2(loaded.ok(), allText(loaded).c_str());
        QCOMPARE(loaded.config->variants.size(), std::size_t{3});
        QCOMPARE(loaded.config->variants[2].name, "new");
        QVERIFY(!withSet({{"variant[2].precision", "bf16"}}).ok());
    }

    void setsOneSettingFromText()
    {
        Settings settings;
        QVERIFY(setSetting(settings, "train.lr", "0.25").has_value());
        QVERIFY(setSetting(settings, "model.kind", "cnn").has_value());
        QCOMPARE(settings.train.lr, 0.25);
        QVERIFY(settings.model.kind == ModelKind::Cnn);
        const auto before = settings;
        const auto failed = setSetting(settings, "scaler.backoff_factor", "1.5");
        QVERIFY(!failed.has_value());
        QCOMPARE(failed.error().allowed, "above 0, below 1");
        QVERIFY(settings == before);
        QVERIFY(!setSetting(settings, "train.nonsense", "1").has_value());
        QVERIFY(!overrideProblem("train.lr", "1"));
        QVERIFY(overrideProblem("train.lr", "fast").has_value());
        QVERIFY(overrideProblem("run.seed", "1").has_value());
    }

    void showsWhatCouldBeReadOfAFileWithErrors()
    {
        const auto loaded = withSet({{"train.lr", "fast"}, {"eval.every", "3"}});
        QVERIFY(!loaded.ok() && loaded.draft.has_value());
        QCOMPARE(loaded.draft->settings.train.lr, TrainConfig{}.lr);
        QCOMPARE(loaded.draft->settings.eval.every, 3);
        QVERIFY(!parseExperiment("x = ", "x.toml").draft.has_value());
    }

    void setMendsWhatTheFileHasWrong()
    {
        const auto bad = std::string(kSmall) + "scaler.backoff_factor = 2\n";
        QVERIFY(!parseExperiment(bad, "x.toml").ok());
        const std::vector<ConfigOverride> mend{{"variant[1].scaler.backoff_factor", "0.25"}};
        const auto loaded = parseExperiment(bad, "x.toml", mend);
        QVERIFY2(loaded.ok(), allText(loaded).c_str());
        QCOMPARE(loaded.config->variants[1].settings.scaler.backoffFactor, 0.25);
        QVERIFY(!parseExperiment(bad, "x.toml", {{"variant[1].scaler.backoff_factor", "3"}}).ok());
    }

    void setDecidesBetweenStepsAndEpochs()
    {
        auto loaded = withSet({{"train.epochs", "2"}});
        QVERIFY2(loaded.ok(), allText(loaded).c_str());
        QCOMPARE(loaded.config->settings.train.epochs, 2);
        loaded = withSet({{"train.epochs", "2"}, {"train.steps", "9"}});
        QCOMPARE(loaded.config->settings.train.epochs, 0);
        QCOMPARE(loaded.config->settings.train.steps, 9);
    }

    void setWarnsWhereAVariantKeepsItsOwnValue()
    {
        const auto loaded = withSet({{"train.lr", "0.5"}});
        QVERIFY(loaded.ok());
        QCOMPARE(loaded.problems.size(), std::size_t{1});
        QVERIFY(loaded.problems[0].severity == Severity::Warning);
        QCOMPARE(loaded.problems[0].suggestion, "variant[1].train.lr");
        QCOMPARE(loaded.config->variants[1].settings.train.lr, 3e-4);
    }

    void splitsWhatIsGivenToSet()
    {
        const auto found = parseOverride(" train.lr = a=b ");
        QVERIFY(found.has_value());
        QCOMPARE(found->path, "train.lr");
        QCOMPARE(found->value, "a=b");
        QVERIFY(!parseOverride("train.lr").has_value());
        QVERIFY(!parseOverride("=1").has_value());
        QVERIFY(!parseOverride(" =1").has_value());
        QVERIFY(!parseOverride("").has_value());
    }

    void refusesWhatIsNoExperimentFile()
    {
        QTemporaryDir folder;
        const auto at = [&](const char* name) {
            return std::filesystem::path(folder.filePath(QLatin1String(name)).toStdString());
        };
        QFile big(folder.filePath(QStringLiteral("big.toml")));
        QVERIFY(big.open(QIODevice::WriteOnly));
        big.write(kSmall);
        big.write(QByteArray(1024 * 1024 - big.pos(), '#'));
        big.close();
        QVERIFY2(loadExperiment(at("big.toml")).ok(), "1 MiB is allowed");
        QVERIFY(big.open(QIODevice::Append));
        big.write("#");
        big.close();
        QVERIFY(allText(loadExperiment(at("big.toml"))).find("at most 1 MiB") != std::string::npos);
        QVERIFY(allText(loadExperiment(at("none"))).find("No such file") != std::string::npos);
        QVERIFY(allText(loadExperiment(at(""))).find("is a folder") != std::string::npos);
        QVERIFY(!loadExperiment("/dev/zero").ok());
        QVERIFY(!parseExperiment("", "empty.toml").ok());
    }

    void tomlAndJsonReadBackEqual()
    {
        test::RandomConfig random(20240611);
        for (int i = 0; i < 300; ++i) {
            const auto made = random.next();
            const auto checked = checkExperiment(made);
            QVERIFY2(checked.ok(), (allText(checked) + toToml(made)).c_str());
            QVERIFY(checked.config->settings == made.settings);
            const auto toml = toToml(*checked.config);
            const auto loaded = parseExperiment(toml, "written.toml");
            QVERIFY2(loaded.ok(), (allText(loaded) + toml).c_str());
            QVERIFY2(*loaded.config == *checked.config, toml.c_str());
            const auto json = nlohmann::json::parse(toJson(*checked.config).dump());
            const auto back = experimentFromJson(json);
            QVERIFY2(back.has_value(), json.dump(1).c_str());
            QVERIFY2(*back == *checked.config, json.dump(1).c_str());
        }
    }

    void variantsAreTheSharedSettingsWithTheirOverrides()
    {
        test::RandomConfig random(5);
        for (int i = 0; i < 50; ++i) {
            const auto checked = checkExperiment(random.next());
            QVERIFY(checked.ok());
            for (const auto& variant : checked.config->variants) {
                QCOMPARE(variant.settings, expectedSettings(*checked.config, variant));
                const auto json = nlohmann::json::parse(variantToJson(variant).dump());
                const auto back = variantFromJson(json);
                QVERIFY2(back.has_value(), json.dump(1).c_str());
                QVERIFY(*back == variant);
            }
        }
    }

    void jsonHasTheNamesOfTheFile()
    {
        const auto json = toJson(*withSet({}).config);
        QCOMPARE(json["name"].get<std::string>(), "small");
        QCOMPARE(json["train"]["weight_decay"].get<double>(), 0.01);
        QCOMPARE(json["scaler"]["enabled"].get<std::string>(), "auto");
        QVERIFY(json["scaler"]["min_scale"].is_null());
        QCOMPARE(json["variant"][1]["settings"]["train"]["lr"].get<double>(), 3e-4);
        QCOMPARE(json["variant"][1]["precision"].get<std::string>(), "fp16");
    }

    void jsonIsCheckedToo()
    {
        auto json = variantToJson(withSet({}).config->variants[1]);
        json["settings"]["later"]["key"] = 1; // a later version's key is ignored
        json["settings"]["train"].erase("beta1"); // an absent key has its default
        QVERIFY(variantFromJson(json).has_value());
        json["settings"]["train"]["steps"] = "many";
        json["settings"]["scaler"]["backoff_factor"] = 2;
        json["precision"] = "fp12";
        const auto back = variantFromJson(json);
        QVERIFY(!back.has_value());
        QCOMPARE(back.error().size(), std::size_t{3});
        QCOMPARE(back.error()[0].key, "precision");
        QCOMPARE(back.error()[1].key, "settings.train.steps");
        for (const char* broken : {"[]", "null", "{}", R"({"name":1,"settings":[]})"}) {
            QVERIFY(!variantFromJson(nlohmann::json::parse(broken)).has_value());
            QVERIFY(!experimentFromJson(nlohmann::json::parse(broken)).has_value());
        }
    }

    void checksWhatAFormMade()
    {
        auto config = *withSet({}).config;
        config.settings.train.lr = -1;
        config.settings.run.seed = std::uint64_t{1} << 63;
        config.variants[1].overrides.emplace_back("train.nonsense", "1");
        config.variants[1].overrides.emplace_back("scaler.init_scale", "0");
        config.variants[1].name = "fp32";
        const auto checked = checkExperiment(config, "form");
        QVERIFY(!checked.ok());
        std::vector<std::string> keys;
        for (const auto& problem : checked.problems)
            keys.push_back(problem.key);
        std::ranges::sort(keys);
        QCOMPARE(keys,
            (std::vector<std::string>{"run.seed", "train.lr", "variant[1].name",
                "variant[1].scaler.init_scale", "variant[1].train.nonsense"}));
    }

    void ignoresTheLocale()
    {
        std::setlocale(LC_ALL, "de_DE.UTF-8");
        const auto config = *withSet({{"train.lr", "0.125"}}).config;
        QCOMPARE(config.settings.train.lr, 0.125);
        QVERIFY(toToml(config).find("lr = 0.125") != std::string::npos);
        std::setlocale(LC_ALL, "C");
    }
};

MANTISSA_TEST(TestConfigIo)
#include "tst_config_io.moc"
