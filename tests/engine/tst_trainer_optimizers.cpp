// SPDX-License-Identifier: GPL-3.0-or-later
// Each optimizer within a trainer, against the numbers of Python's PyTorch.
#include "tests/engine/optimizer_golden.h"
#include "tests/engine/tiny_run.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

using namespace mantissa;
using namespace mantissa::test;

namespace {

/// What optimizer_golden.py trains: two columns, two classes, a layer of three.
Variant goldenVariant(const QTemporaryDir& folder)
{
    auto variant = tinyVariant(Precision::Fp32);
    QFile file(folder.filePath(QStringLiteral("golden.csv")));
    if (!file.open(QIODevice::WriteOnly))
        qFatal("no file for the table");
    file.write("a,b,class\n");
    for (int i = 0; i < 24; ++i)
        file.write(QByteArray::number(i * 7 % 11) + ',' + QByteArray::number(i * i % 13) + ','
            + QByteArray::number(i * 5 % 3 % 2) + '\n');
    auto& settings = variant.settings;
    settings.data.source = DataSource::Csv;
    settings.data.path = file.fileName().toStdString();
    settings.data.validationShare = 0.2;
    settings.data.trainLimit = 0;
    settings.model.hidden = {3};
    settings.train.lr = 0.02;
    settings.train.weightDecay = 0.1;
    settings.train.schedule = LrSchedule::Step;
    settings.train.stepSize = 2;
    settings.train.gamma = 0.5;
    return variant;
}

} // namespace

class TestTrainerOptimizers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOptimizerLearns_data()
    {
        QTest::addColumn<int>("optimizer");
        QTest::addColumn<bool>("nesterov");
        QTest::newRow("sgd") << int(OptimizerKind::Sgd) << false;
        QTest::newRow("sgd, Nesterov") << int(OptimizerKind::Sgd) << true;
        QTest::newRow("adam") << int(OptimizerKind::Adam) << false;
        QTest::newRow("adamw") << int(OptimizerKind::AdamW) << false;
        QTest::newRow("rmsprop") << int(OptimizerKind::RmsProp) << false;
    }

    /// As Python does from the same table, seed and order: tests/parity/optimizer_golden.py.
    void everyOptimizerLearns()
    {
        QFETCH(int, optimizer);
        QFETCH(bool, nesterov);
        const QTemporaryDir folder;
        auto variant = goldenVariant(folder);
        variant.settings.train.optimizer = static_cast<OptimizerKind>(optimizer);
        variant.settings.train.nesterov = nesterov;
        const auto trainer = create(variant);
        QVERIFY(trainer);
        const auto records = train(*trainer, 6);
        for (std::size_t i = 0; i < records.size(); ++i)
            QCOMPARE(records[i].lr, 0.02 * std::pow(0.5, double(i / 2)));
        const auto golden = std::ranges::find_if(kOptimizerGolden,
            [](const auto& one) { return QLatin1String(one.name) == QTest::currentDataTag(); });
        QVERIFY(golden != kOptimizerGolden.end());
        auto expected = golden->parameters.begin();
        for (const auto& weight : trainer->weights()) {
            for (const auto value : weight.values) {
                QVERIFY(expected != golden->parameters.end());
                QVERIFY2(std::abs(value - *expected) < 2e-6F,
                    qPrintable(QStringLiteral("%1: %2, Python has %3")
                                   .arg(weight.name.c_str())
                                   .arg(value)
                                   .arg(*expected)));
                ++expected;
            }
        }
        QVERIFY(expected == golden->parameters.end());
    }

    void aSkippedStepDoesNotAdvanceAnyOptimizersRate_data()
    {
        QTest::addColumn<int>("optimizer");
        for (const auto kind :
            {OptimizerKind::Sgd, OptimizerKind::Adam, OptimizerKind::AdamW, OptimizerKind::RmsProp})
            QTest::addRow("%d", int(kind)) << int(kind);
    }

    void aSkippedStepDoesNotAdvanceAnyOptimizersRate()
    {
        QFETCH(int, optimizer);
        auto variant = tinyVariant(Precision::Fp16);
        variant.settings.train.optimizer = static_cast<OptimizerKind>(optimizer);
        variant.settings.train.schedule = LrSchedule::Step;
        variant.settings.train.stepSize = 3;
        variant.settings.train.gamma = 0.5;
        variant.settings.train.lr = 0.002;
        variant.settings.scaler.initScale = std::ldexp(1.0, 40);
        variant.settings.scaler.backoffFactor = std::ldexp(1.0, -16);
        const auto trainer = create(variant);
        QVERIFY(trainer);
        const auto records = train(*trainer, 8);
        double applied = 0;
        for (const auto& record : records) {
            QCOMPARE(record.lr, 0.002 * std::pow(0.5, std::floor(applied / 3)));
            applied += record.foundInf == 0 ? 1 : 0;
        }
        QVERIFY(records.front().foundInf == 1 && applied > 4);
        QVERIFY(trainer->takeFirstStepFacts().has_value());
    }
};

MANTISSA_TEST(TestTrainerOptimizers)
#include "tst_trainer_optimizers.moc"
