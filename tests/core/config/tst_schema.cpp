// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/schema.h"

#include "core/config/config_io.h"
#include "tests/core/config/random_config.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <set>

using namespace mantissa;

class TestSchema : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKeyIsDescribedOnce()
    {
        std::set<std::string_view> groups;
        for (const auto& group : schemaGroups())
            groups.insert(group.name);
        std::set<std::string_view> paths;
        for (const auto& spec : schemaKeys()) {
            const QByteArray path(spec.path.data(), static_cast<qsizetype>(spec.path.size()));
            QVERIFY2(paths.insert(spec.path).second, path);
            QVERIFY2(groups.count(spec.group()) == 1, path);
            QVERIFY2(!spec.help.empty() && !spec.allowed().empty(), path);
            QVERIFY2(spec.help.find('\n') == std::string_view::npos, path);
            const bool isNumber = spec.type == ValueType::Integer || spec.type == ValueType::Number
                || spec.type == ValueType::IntegerList;
            QVERIFY2(!isNumber || (spec.range.low && spec.range.high), path);
            QVERIFY2((spec.type == ValueType::Choice) <= !spec.choices.empty(), path);
        }
    }

    void everyFieldHasItsOwnKey()
    {
        // A value set through a key changes that key and no other.
        test::RandomConfig random(7);
        for (const auto& spec : schemaKeys()) {
            Settings settings;
            SettingValue value;
            do
                value = random.value(spec);
            while (value == spec.get(settings));
            spec.set(settings, value);
            for (const auto& other : schemaKeys()) {
                const auto expected = &other == &spec ? value : other.get(Settings{});
                QVERIFY2(other.get(settings) == expected, std::string(spec.path).c_str());
            }
        }
    }

    void defaultsAreAllowed()
    {
        ExperimentConfig config;
        config.name = "defaults";
        config.variants.push_back({"fp16", Precision::Fp16, {}, {}});
        const auto checked = checkExperiment(config);
        QVERIFY(checked.problems.empty());
        QVERIFY(checked.ok());
        for (const auto& spec : schemaKeys()) {
            const auto value = spec.get(Settings{});
            const auto* integer = std::get_if<std::int64_t>(&value);
            const auto* number = std::get_if<double>(&value);
            const std::string path(spec.path);
            QVERIFY2(!integer || spec.range.contains(double(*integer)), path.c_str());
            QVERIFY2(!number || spec.range.contains(*number), path.c_str());
        }
    }

    void rangesReadAsWords_data()
    {
        QTest::addColumn<std::string>("path");
        QTest::addColumn<std::string>("allowed");
        QTest::newRow("both ends") << std::string("data.batch_size") << std::string("1 to 65,536");
        QTest::newRow("one open") << std::string("train.lr") << std::string("above 0, up to 10");
        QTest::newRow("both open")
            << std::string("scaler.backoff_factor") << std::string("above 0, below 1");
        QTest::newRow("choice") << std::string("train.optimizer")
                                << std::string("sgd, adam, adamw, rmsprop");
        QTest::newRow("device") << std::string("device.kind") << std::string("auto, cpu, cuda:N");
        QTest::newRow("truth") << std::string("data.shuffle") << std::string("true, false");
    }

    void rangesReadAsWords()
    {
        QFETCH(std::string, path);
        QFETCH(std::string, allowed);
        QCOMPARE(findKey(path)->allowed(), allowed);
    }

    void saysWhyASettingHasNoEffect()
    {
        Settings settings;
        const auto why = [&](const char* path, Precision precision) {
            return whyUnused(*findKey(path), settings, precision);
        };
        QCOMPARE(why("train.momentum", Precision::Fp32), "sgd and rmsprop only");
        QCOMPARE(why("train.nesterov", Precision::Fp32), "sgd only");
        QCOMPARE(why("train.gamma", Precision::Fp32), "schedule step only");
        QCOMPARE(why("model.heads", Precision::Fp32), "vit and gpt only");
        QCOMPARE(why("scaler.per_optimizer", Precision::Fp16), "dcgan only");
        QCOMPARE(why("train.beta1", Precision::Fp32), "");
        QCOMPARE(why("model.width", Precision::Fp32), "cnn only");
        QCOMPARE(why("scaler.init_scale", Precision::Bf16), "fp16 only");
        QCOMPARE(why("scaler.init_scale", Precision::Fp16), "");
        QCOMPARE(why("autocast.cache", Precision::Tf32), "fp16 and bf16 only");
        QCOMPARE(why("data.images", Precision::Fp32), "idx only");
        settings.scaler.policy = ScalerPolicy::Static;
        QCOMPARE(why("scaler.growth_factor", Precision::Fp16), "a static scale never changes");
        QCOMPARE(why("scaler.init_scale", Precision::Fp16), "");
        settings.scaler.enabled = ScalerEnabled::Off;
        QCOMPARE(why("scaler.init_scale", Precision::Fp16), "scaler is off");
        settings.train.optimizer = OptimizerKind::Sgd;
        QCOMPARE(why("train.momentum", Precision::Fp32), "");
        QCOMPARE(why("train.eps", Precision::Fp32), "not for sgd");
        QCOMPARE(why("train.beta1", Precision::Fp32), "adam and adamw only");
    }

    void sharedSettingCountsIfOneVariantUsesIt()
    {
        ExperimentConfig config;
        config.variants.push_back({"a", Precision::Bf16, {}, {}});
        QCOMPARE(whyUnused(*findKey("scaler.init_scale"), config), "fp16 only");
        config.variants.push_back({"b", Precision::Fp16, {}, {}});
        QCOMPARE(whyUnused(*findKey("scaler.init_scale"), config), "");
    }

    void choicesAreBuiltOrNot()
    {
        for (const auto& spec : schemaKeys()) {
            for (const auto word : spec.notBuilt)
                QVERIFY(std::ranges::count(spec.choices, word) == 0);
        }
    }
};

MANTISSA_TEST(TestSchema)
#include "tst_schema.moc"
