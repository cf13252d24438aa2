// SPDX-License-Identifier: GPL-3.0-or-later
// Constants, sums and settings against the formats. Rounding is compared with the compiler's own
// _Float16 where it has one, and with arithmetic on float bits for bf16.
#include "core/numerics/preflight.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

using namespace mantissa;

namespace {

/// Round to nearest even to bf16 on the bits of a float.
float toBf16(float value)
{
    auto bits = std::bit_cast<std::uint32_t>(value);
    bits += 0x7FFFU + ((bits >> 16) & 1U);
    return std::bit_cast<float>(bits & 0xFFFF0000U);
}

Variant variantOf(Precision precision)
{
    Variant variant;
    variant.name = "v";
    variant.precision = precision;
    return variant;
}

bool has(const std::vector<PreflightFinding>& findings, const std::string& parameter)
{
    for (const auto& finding : findings) {
        if (finding.parameter == parameter)
            return !finding.problem.empty() && !finding.remedy.empty();
    }
    return false;
}

} // namespace

class TestPreflight : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundsAsTheHardwareDoes()
    {
        std::mt19937 random(1);
        std::uniform_int_distribution<std::uint32_t> anyBits;
        for (int i = 0; i < 20000; ++i) {
            const auto value = std::bit_cast<float>(anyBits(random));
            if (!std::isfinite(value))
                continue;
            QCOMPARE(roundedTo(value, Precision::Bf16), double(toBf16(value)));
            QCOMPARE(roundedTo(value, Precision::Fp32), double(value));
            // Magnitudes around fp16's range, subnormals included.
            const double small = std::ldexp(
                double(value) / std::ldexp(1.0, std::ilogb(value)), int(anyBits(random) % 48) - 30);
            QCOMPARE(roundedTo(small, Precision::Fp16),
                double(static_cast<_Float16>(static_cast<float>(small))));
        }
        QCOMPARE(roundedTo(65519.99, Precision::Fp16), 65504.0);
        QVERIFY(std::isinf(roundedTo(-65520, Precision::Fp16)));
    }

    void constantsThatDoNotFit_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<int>("precision");
        QTest::addColumn<QString>("word");
        const auto fp16 = int(Precision::Fp16);
        const auto bf16 = int(Precision::Bf16);
        QTest::newRow("case86 eps of a norm") << 1e-12 << fp16 << "rounds to 0";
        QTest::newRow("case89 mask") << -1e9 << fp16 << "minus infinity";
        QTest::newRow("case89 mask in bf16") << -1e9 << bf16 << "";
        QTest::newRow("case91 Adam's eps") << 1e-8 << fp16 << "rounds to 0";
        QTest::newRow("case91 Adam's eps in fp32") << 1e-8 << int(Precision::Fp32) << "";
        QTest::newRow("case92 one minus eps") << 1 - 1e-6 << fp16 << "rounds to 1";
        QTest::newRow("case93 eps in bf16") << 1e-8 << bf16 << "";
        QTest::newRow("layer norm's eps") << 1e-5 << fp16 << "";
        QTest::newRow("one") << 1.0 << fp16 << "";
        QTest::newRow("zero") << 0.0 << fp16 << "";
    }

    void constantsThatDoNotFit()
    {
        QFETCH(double, value);
        QFETCH(int, precision);
        QFETCH(QString, word);
        const auto finding =
            checkConstant("module", "eps", value, static_cast<Precision>(precision));
        QCOMPARE(finding.has_value(), !word.isEmpty());
        if (!finding)
            return;
        const auto text = QString::fromStdString(finding->text());
        QVERIFY2(text.contains(word), qPrintable(text));
        QVERIFY(text.startsWith(QStringLiteral("module, eps = ")));
        QVERIFY(!finding->remedy.empty());
    }

    void case89_aMaskOfMinusABillionIsMinusInfinityInFp16()
    {
        for (const double mask : {-1e8, -1e9, -1e10, -1e20}) {
            const auto finding = checkConstant("attention", "mask", mask, Precision::Fp16);
            QVERIFY(finding.has_value());
            QVERIFY(finding->remedy.find("-65504") != std::string::npos);
            QVERIFY(!checkConstant("attention", "mask", mask, Precision::Bf16));
        }
    }

    void case94_sumsInFp16()
    {
        QVERIFY(checkSum("pool", 100000, 1, Precision::Fp16));
        QVERIFY(checkSum("pool", 65520, 1, Precision::Fp16));
        QVERIFY(!checkSum("pool", 65519, 1, Precision::Fp16));
        QVERIFY(!checkSum("pool", 100000, 1, Precision::Bf16));
    }

    void settingsThatAreSoundHaveNoFindings()
    {
        for (const auto precision :
            {Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16})
            QVERIFY(preflight(variantOf(precision)).empty());
    }

    void case14_aScalerOnBf16()
    {
        auto variant = variantOf(Precision::Bf16);
        variant.settings.scaler.enabled = ScalerEnabled::On;
        const auto findings = preflight(variant);
        QCOMPARE(findings.size(), std::size_t{1});
        QVERIFY(has(findings, "scaler.enabled"));
        QVERIFY(findings[0].remedy.find("auto") != std::string::npos);
    }

    void case35_aThresholdMeantForScaledGradients()
    {
        auto variant = variantOf(Precision::Fp16);
        variant.settings.train.clipNorm = 65536;
        QVERIFY(has(preflight(variant), "train.clip_norm"));
        variant.settings.train.clipNorm = 1;
        QVERIFY(preflight(variant).empty());
        variant.precision = Precision::Fp32;
        variant.settings.train.clipNorm = 65536;
        QVERIFY(preflight(variant).empty());
    }

    void anEpsThatIsNone()
    {
        auto variant = variantOf(Precision::Fp32);
        for (const double eps : {0.0, 1e-50}) {
            variant.settings.train.eps = eps;
            QVERIFY(has(preflight(variant), "train.eps"));
        }
        variant.settings.train.optimizer = OptimizerKind::Sgd;
        QVERIFY(preflight(variant).empty());
    }

    void aStartScaleThatCostsManySteps()
    {
        auto variant = variantOf(Precision::Fp16);
        variant.settings.scaler.initScale = std::ldexp(1.0, 32);
        const auto findings = preflight(variant);
        QVERIFY(has(findings, "scaler.init_scale"));
        QVERIFY(findings[0].problem.find("about 16 steps") != std::string::npos);
    }
};

MANTISSA_TEST(TestPreflight)
#include "tst_preflight.moc"
