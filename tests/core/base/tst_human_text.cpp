// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/human_text.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <limits>

using namespace mantissa;

class TestHumanText : public QObject {
    Q_OBJECT

    static void compare(const std::string& text, const char* expected)
    {
        QCOMPARE(QString::fromStdString(text), QString::fromUtf8(expected));
    }

private Q_SLOTS:
    void groupsThousands()
    {
        compare(groupedText(0), "0");
        compare(groupedText(999), "999");
        compare(groupedText(1000), "1,000");
        compare(groupedText(-1234567), "−1,234,567");
        compare(
            groupedText(std::numeric_limits<std::int64_t>::min()), "−9,223,372,036,854,775,808");
    }

    void roundsNumbers()
    {
        compare(fixedText(1234.56, 1), "1,234.6");
        compare(fixedText(-0.04, 1), "0.0");
        compare(fixedText(-0.06, 1), "−0.1");
        compare(significantText(0.0123456, 3), "0.0123");
        compare(significantText(6.14159, 3), "6.14");
        compare(significantText(10423.7, 3), "10,424");
        compare(significantText(1e-9, 2), "1.0e-09");
        compare(lossText(0.24921), "0.2492");
        compare(lossText(0.00012345), "1.23e-04");
    }

    void namesNonFiniteNumbers()
    {
        const double inf = std::numeric_limits<double>::infinity();
        compare(lossText(std::nan("")), "NaN");
        compare(significantText(-inf, 3), "−∞");
        compare(scaleText(inf), "∞");
        compare(bytesText(std::nan("")), "NaN");
        compare(durationText(inf), "∞");
    }

    void givesUnits()
    {
        compare(bytesText(512), "512 B");
        compare(bytesText(118.0 * 1024 * 1024), "118.0 MiB");
        compare(bytesText(13.9 * 1024 * 1024 * 1024), "13.9 GiB");
        compare(durationText(0.519), "0.52 ms");
        compare(durationText(399), "399 ms");
        compare(durationText(3000), "3.0 s");
        compare(durationText(845'000), "14 min 5 s");
        compare(durationText(7'380'000), "2 h 3 min");
        compare(percentText(0.8941), "89.4 %");
    }

    void writesRatiosAndScales()
    {
        compare(ratioText(0.738), "0.74x");
        compare(ratioText(0.0153), "0.015x");
        compare(ratioText(1.36), "1.36x");
        compare(ratioText(65.1), "65x");
        compare(scaleText(131072), "131,072 (2¹⁷)");
        compare(scaleText(0.125), "2⁻³");
        compare(scaleText(std::ldexp(1.0, 127)), "2¹²⁷");
        compare(scaleText(3000), "3,000");
        compare(stepsText(1980, 7), "1,987 = 1,980 applied + 7 skipped");
    }
};

MANTISSA_TEST(TestHumanText)
#include "tst_human_text.moc"
