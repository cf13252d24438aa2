// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "ui/theme/value_text.h"

#include <QTest>
#include <limits>

using namespace mantissa::ui;

class TestValueText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void texts_data();
    void texts();
    void nonFiniteIsAWord();
};

void TestValueText::texts_data()
{
    QTest::addColumn<QString>("made");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const char* name, const QString& made, const char16_t* wanted) {
        QTest::newRow(name) << made << QString::fromUtf16(wanted);
    };
    row("count", formatCount(10423), u"10,423");
    row("negative", formatFixed(-26.2, 1), u"−26.2");
    row("signed", formatSigned(0.0163, 4), u"+0.0163");
    row("signed negative", formatSigned(-0.0163, 4), u"−0.0163");
    row("signed zero", formatSigned(0.00001, 2), u"0.00");
    row("ms", formatMs(6.1432), u"6.14 ms");
    row("ms over 100", formatMs(399.2), u"399 ms");
    row("ms below 1", formatMs(0.02571), u"0.0257 ms");
    row("rate", formatRate(14128.4), u"14,128");
    row("slow rate", formatRate(0.5171), u"0.517");
    row("memory", formatMiB(118.0 * 1048576), u"118.0 MiB");
    row("signed percent", formatSignedPercent(-0.384), u"−38.4 %");
    row("points", formatPoints(0.002), u"+0.2 pt");
    row("scale", formatScale(131072), u"131,072 (2¹⁷)");
    row("scale short", formatScaleShort(131072), u"2¹⁷");
    row("scale below 1", formatScaleShort(0.25), u"2⁻²");
    row("scale odd", formatScaleShort(1000), u"1,000");
    row("duration", formatDuration(845), u"14 min 5 s");
    row("clock", formatClock(510), u"8:30");
    row("clock h", formatClock(3723), u"1:02:03");
    row("clock short", formatClock(5), u"0:05");
    row("axis", formatAxisNumber(1250), u"1,250");
    row("axis decimal", formatAxisNumber(0.5), u"0.5");
    row("axis negative", formatAxisNumber(-2), u"−2");
    row("axis huge", formatAxisNumber(2.5e12), u"2.5e12");
    row("axis tiny", formatAxisNumber(-2e-5), u"−2e−5");
}

void TestValueText::texts()
{
    QFETCH(QString, made);
    QFETCH(QString, wanted);
    QCOMPARE(made, wanted);
}

void TestValueText::nonFiniteIsAWord()
{
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QCOMPARE(formatLoss(nan), QStringLiteral("NaN"));
    QCOMPARE(formatAxisNumber(infinity), QStringLiteral("\u221e"));
    QCOMPARE(formatScaleShort(-infinity), QStringLiteral("\u2212\u221e"));
    QCOMPARE(formatClock(nan), QStringLiteral("NaN"));
}

MANTISSA_TEST(TestValueText)
#include "tst_value_text.moc"
