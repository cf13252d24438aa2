// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"
#include "core/numerics/loss_scale_policy.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

using namespace mantissa;

namespace {

using Changes = std::vector<SettingChange>;

ScalerConfig config()
{
    ScalerConfig config;
    config.initScale = 64;
    config.growthInterval = 10;
    config.maxScale = 1024;
    return config;
}

} // namespace

class TestScalerSetting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void editingTheIntervalResetsTheTracker()
    {
        LossScalePolicy policy(config());
        for (int i = 0; i < 5; ++i)
            policy.update(false);
        const auto applied = policy.set(Changes{{"growth_interval", 3}});
        QVERIFY(applied.has_value());
        QVERIFY(applied->front().oldValue == 10 && applied->front().newValue == 3);
        QCOMPARE(policy.state().growthTracker, 0);
        policy.update(false);
        policy.update(false);
        QVERIFY(policy.state().scale == 64.0F);
        QVERIFY(policy.update(false).scale == 128.0F);
    }

    void settingTheScaleKeepsTheTracker()
    {
        LossScalePolicy policy(config());
        policy.update(false);
        const auto applied = policy.set(Changes{{"scale", 3.5}});
        QVERIFY(applied && applied->front().oldValue == 64.0);
        QVERIFY(policy.state().scale == 3.5F);
        QCOMPARE(policy.state().growthTracker, 1);
    }

    void severalAtOnceAreSeenTogether()
    {
        LossScalePolicy policy(config());
        // One after the other, the floor would be above the old ceiling.
        const auto applied =
            policy.set(Changes{{"min_scale", 4096}, {"max_scale", 8192}, {"scale", 5000}});
        QVERIFY(applied.has_value());
        QCOMPARE(applied->size(), std::size_t{3});
        QVERIFY((*applied)[0].oldValue.is_null());
        QVERIFY((*applied)[1].oldValue == 1024.0);
        QVERIFY(policy.state().scale == 5000.0F);
        const auto refused = policy.set(Changes{{"growth_factor", 3}, {"backoff_factor", 1}});
        QVERIFY(!refused && refused.error().key == "backoff_factor");
        QCOMPARE(policy.config().growthFactor, 2.0);
    }

    void aSetBackToTheOldValueUndoes()
    {
        LossScalePolicy policy(config());
        const auto before = policy.config();
        const auto applied = policy.set(Changes{{"policy", "hysteresis"}, {"hysteresis", 3},
            {"max_scale", nullptr}, {"growth_factor", 4}});
        QVERIFY(applied.has_value() && !(policy.config() == before));
        Changes back;
        for (const auto& change : *applied)
            back.push_back({change.key, change.oldValue});
        QVERIFY(policy.set(back).has_value());
        QVERIFY(policy.config() == before);
    }

    void aNewPolicyKeepsTheScaleAndCountsAnew()
    {
        LossScalePolicy policy(config());
        for (int i = 0; i < 7; ++i)
            policy.update(false);
        QVERIFY(policy.set(Changes{{"policy", "smooth"}, {"growth_interval", 4}}).has_value());
        QVERIFY(policy.state().scale == 64.0F);
        for (int i = 0; i < 4; ++i)
            policy.update(false);
        QVERIFY(policy.state().scale == 128.0F); // twice in growth_interval steps
        QVERIFY(policy.set(Changes{{"policy", "deepspeed"}}).has_value());
        QVERIFY(policy.update(true).scale == 128.0F); // a full hysteresis of 2
        QVERIFY(policy.update(true).scale == 64.0F);
    }

    void loweringTheFloorLetsAnEndedPolicyGoOn()
    {
        auto settings = config();
        settings.policy = ScalerPolicy::Deepspeed;
        settings.hysteresis = 1;
        settings.initScale = 1;
        LossScalePolicy policy(settings);
        policy.update(true);
        QVERIFY(!policy.exhaustion().empty());
        QVERIFY(policy.set(Changes{{"min_scale", 0.25}}).has_value());
        QVERIFY(policy.exhaustion().empty());
        QVERIFY(policy.update(true).scale == 0.5F);
    }

    void refusesBadSettings_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("growth 1") << "growth_factor" << QByteArray("1");
        QTest::newRow("growth nan") << "growth_factor" << QByteArray("\"NaN\"");
        QTest::newRow("growth none") << "growth_factor" << QByteArray("null");
        QTest::newRow("backoff 0") << "backoff_factor" << QByteArray("0");
        QTest::newRow("backoff 1") << "backoff_factor" << QByteArray("1");
        QTest::newRow("backoff text") << "backoff_factor" << QByteArray("\"half\"");
        QTest::newRow("interval 0") << "growth_interval" << QByteArray("0");
        QTest::newRow("interval 2.5") << "growth_interval" << QByteArray("2.5");
        QTest::newRow("interval 2^31") << "growth_interval" << QByteArray("2147483648");
        QTest::newRow("floor 0") << "min_scale" << QByteArray("0");
        QTest::newRow("floor above ceiling") << "min_scale" << QByteArray("2048");
        QTest::newRow("ceiling inf") << "max_scale" << QByteArray("\"Infinity\"");
        QTest::newRow("scale 0") << "scale" << QByteArray("0");
        QTest::newRow("scale none") << "scale" << QByteArray("null");
        QTest::newRow("scale 1e39") << "scale" << QByteArray("1e39");
        QTest::newRow("scale above ceiling") << "scale" << QByteArray("1025");
        QTest::newRow("policy unknown") << "policy" << QByteArray("\"apex\"");
        QTest::newRow("policy number") << "policy" << QByteArray("2");
        QTest::newRow("hysteresis 0") << "hysteresis" << QByteArray("0");
        QTest::newRow("tolerance 1") << "tolerance" << QByteArray("1");
        QTest::newRow("list") << "scale" << QByteArray("[8]");
        QTest::newRow("unknown") << "grwth_factor" << QByteArray("2");
        QTest::newRow("not live") << "init_scale" << QByteArray("2");
    }

    void refusesBadSettings()
    {
        QFETCH(QString, key);
        QFETCH(QByteArray, value);
        LossScalePolicy policy(config());
        const auto state = policy.state();
        const auto result = policy.set(
            Changes{{"tolerance", 0.5}, {key.toStdString(), nlohmann::json::parse(value.data())}});
        QVERIFY(!result.has_value());
        const auto reason = QString::fromStdString(result.error().reason);
        QVERIFY2(reason.contains(key) && reason.contains("allowed: "), qPrintable(reason));
        QVERIFY(policy.config() == config());
        QVERIFY(policy.state() == state);
    }

    void noneRemovesABound()
    {
        auto settings = config();
        settings.maxScale = 64;
        settings.growthInterval = 1;
        LossScalePolicy policy(settings);
        QVERIFY(policy.update(false).scale == 64.0F);
        QVERIFY(policy.set(Changes{{"max_scale", settingValueFromText("none")}}).has_value());
        QVERIFY(policy.update(false).scale == 128.0F);
    }

    // bf16 has the range of fp32: nothing overflows, and the scale doubles for ever.
    void case14_aScalerOnBf16IsWarnedAbout()
    {
        const auto load = [](const char* precision, const char* enabled) {
            return parseExperiment(std::string("name = \"x\"\n[scaler]\nenabled = ") + enabled
                    + "\nmin_scale = 0.01\n[[variant]]\nname = \"a\"\nprecision = \"" + precision
                    + "\"\n",
                "x.toml");
        };
        for (const char* precision : {"bf16", "fp32"}) {
            const auto loaded = load(precision, "true");
            QVERIFY(loaded.ok());
            QCOMPARE(loaded.problems.size(), std::size_t{1});
            QVERIFY(loaded.problems[0].severity == Severity::Warning);
            QVERIFY(
                loaded.problems[0].message.find("does not need a GradScaler") != std::string::npos);
            QCOMPARE(loaded.problems[0].suggestion, std::string("auto"));
        }
        QVERIFY(load("fp16", "true").problems.empty());
        QVERIFY(!load("bf16", "\"auto\"").config->variants[0].usesScaler());
    }

    void valuesAsText()
    {
        QVERIFY(settingValueFromText("200") == 200);
        QVERIFY(settingValueFromText("1e-4") == 1e-4);
        QVERIFY(settingValueFromText("none").is_null());
        QVERIFY(settingValueFromText("smooth") == "smooth");
        QCOMPARE(settingValueText(65536.0), "65536");
        QCOMPARE(settingValueText(nullptr), "none");
        QCOMPARE(settingValueText("smooth"), "smooth");
    }
};

MANTISSA_TEST(TestScalerSetting)
#include "tst_scaler_setting.moc"
