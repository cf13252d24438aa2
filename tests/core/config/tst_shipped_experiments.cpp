// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QTest>

using namespace mantissa;

class TestShippedExperiments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areTheSix()
    {
        const QStringList expected{QStringLiteral("clipping-and-accumulation.toml"),
            QStringLiteral("fashion-mnist-cnn.toml"), QStringLiteral("fashion-mnist-quick.toml"),
            QStringLiteral("fp16-overflow.toml"), QStringLiteral("fp16-without-scaler.toml"),
            QStringLiteral("shapes-offline.toml")};
        for (const auto& name : expected)
            QVERIFY2(files().contains(name), qPrintable(name));
    }

    void load_data()
    {
        QTest::addColumn<QString>("name");
        for (const auto& name : files())
            QTest::newRow(qPrintable(name)) << name;
    }

    void load()
    {
        QFETCH(QString, name);
        const auto loaded = loadExperiment((folder() + name).toStdString());
        for (const auto& problem : loaded.problems) {
            // Leaving the scaler out is what that experiment is about.
            const bool isMeant =
                name == u"fp16-without-scaler.toml" && problem.key == "variant[2].scaler.enabled";
            QVERIFY2(isMeant && problem.severity == Severity::Warning, problem.text().c_str());
        }
        QVERIFY(loaded.ok());
        QCOMPARE(loaded.config->name + ".toml", name.toStdString());
        QVERIFY(loaded.config->description.size() > 60);
    }

    void sampleIsWhatTheReadmePromises()
    {
        const auto loaded =
            loadExperiment((folder() + QStringLiteral("fashion-mnist-quick.toml")).toStdString());
        QVERIFY(loaded.ok());
        const auto& config = *loaded.config;
        QCOMPARE(config.settings.model.hidden, std::vector<std::int64_t>{128});
        QCOMPARE(config.settings.data.batchSize, 64);
        QCOMPARE(config.settings.train.steps, 5000);
        QCOMPARE(config.settings.run.maxSeconds, 30.0);
        QVERIFY(config.settings.run.schedule == RunSchedule::Interleaved);
        QCOMPARE(config.settings.scaler.growthInterval, 200);
        QCOMPARE(config.variants.size(), std::size_t{3});
        QVERIFY(config.variants[0].precision == Precision::Fp32);
        QVERIFY(config.variants[1].precision == Precision::Bf16);
        QVERIFY(config.variants[2].precision == Precision::Fp16);
    }

private:
    static QString folder() { return QStringLiteral(MANTISSA_SOURCE_DIR "/experiments/"); }
    static QStringList files()
    {
        return QDir(folder()).entryList({QStringLiteral("*.toml")}, QDir::Files, QDir::Name);
    }
};

MANTISSA_TEST(TestShippedExperiments)
#include "tst_shipped_experiments.moc"
