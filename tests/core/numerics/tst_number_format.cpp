// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/number_format.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cfloat>
#include <cmath>

using namespace mantissa;

class TestNumberFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fp32IsTheCompilersFloat()
    {
        const auto& info = formatInfo(Precision::Fp32);
        QVERIFY(info.maxFinite == double(FLT_MAX));
        QVERIFY(info.minNormal == double(FLT_MIN));
        QVERIFY(info.minSubnormal == double(FLT_TRUE_MIN));
        QVERIFY(info.epsilon == double(FLT_EPSILON));
    }

    void knownLimits_data()
    {
        QTest::addColumn<int>("precision");
        QTest::addColumn<double>("maxFinite");
        QTest::addColumn<double>("overflowFrom");
        QTest::addColumn<int>("minNormalExponent");
        QTest::addColumn<int>("minSubnormalExponent");
        QTest::newRow("fp16") << int(Precision::Fp16) << 65504.0 << 65520.0 << -14 << -24;
        QTest::newRow("bf16") << int(Precision::Bf16) << std::ldexp(255.0, 120)
                              << std::ldexp(511.0, 119) << -126 << -133;
        QTest::newRow("tf32") << int(Precision::Tf32) << std::ldexp(2047.0, 117)
                              << std::ldexp(4095.0, 116) << -126 << -136;
    }

    void knownLimits()
    {
        QFETCH(int, precision);
        QFETCH(double, maxFinite);
        QFETCH(double, overflowFrom);
        QFETCH(int, minNormalExponent);
        QFETCH(int, minSubnormalExponent);
        const auto& info = formatInfo(static_cast<Precision>(precision));
        QVERIFY(info.maxFinite == maxFinite);
        QVERIFY(info.overflowFrom == overflowFrom);
        QVERIFY(info.minNormal == std::ldexp(1.0, minNormalExponent));
        QVERIFY(info.minSubnormal == std::ldexp(1.0, minSubnormalExponent));
        QCOMPARE(info.name, QTest::currentDataTag());
    }
};

MANTISSA_TEST(TestNumberFormat)
#include "tst_number_format.moc"
