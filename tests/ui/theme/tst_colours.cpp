// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "ui/theme/colours.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QTest>
#include <set>

using namespace mantissa;
using namespace mantissa::ui;

class TestColours : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void contrastOfKnownPairs();
    void textIsReadable_data();
    void textIsReadable();
    void linesAndMarksAreVisible_data();
    void linesAndMarksAreVisible();
    void paletteIsRecognised();
    void aPrecisionKeepsItsColour();
    void secondOfAPrecisionTakesAFurtherColour();
    void manyVariantsDifferAsLongAsColoursLast();
    void themeFollowsTheApplicationPalette();
};

void TestColours::contrastOfKnownPairs()
{
    QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrastRatio(Qt::white, Qt::white), 1.0);
    // The grey that WCAG's own material names as the lightest with 4.5:1 on white.
    QVERIFY(std::abs(contrastRatio(QColor(0x767676), Qt::white) - 4.54) < 0.01);
}

static void addThemes()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestColours::textIsReadable_data()
{
    addThemes();
}

void TestColours::textIsReadable()
{
    QFETCH(bool, dark);
    const Colours& c = dark ? darkColours() : lightColours();
    for (const QColor& ground : {c.window, c.panel, c.dockTitle, c.alternateRow, c.selection}) {
        QVERIFY(contrastRatio(c.text, ground) >= 4.5);
        QVERIFY2(contrastRatio(c.mutedText, ground) >= 4.5, qPrintable(ground.name()));
    }
    QVERIFY(contrastRatio(c.good, c.goodGround) >= 4.5);
    QVERIFY(contrastRatio(c.warn, c.warnGround) >= 4.5);
    QVERIFY(contrastRatio(c.error, c.errorGround) >= 4.5);
    QVERIFY(contrastRatio(c.info, c.infoGround) >= 4.5);
    for (const QColor& colour : {c.good, c.warn, c.error})
        QVERIFY(contrastRatio(colour, c.panel) >= 4.5);
}

void TestColours::linesAndMarksAreVisible_data()
{
    addThemes();
}

void TestColours::linesAndMarksAreVisible()
{
    QFETCH(bool, dark);
    const Colours& c = dark ? darkColours() : lightColours();
    for (const QColor& line :
        {c.fp32, c.bf16, c.fp16, c.tf32, c.reference, c.fifth, c.sixth, c.axisTicks, c.accent})
        QVERIFY2(contrastRatio(line, c.panel) >= 3.0, qPrintable(line.name()));
}

void TestColours::paletteIsRecognised()
{
    QVERIFY(isDark(paletteFor(darkColours())));
    QVERIFY(!isDark(paletteFor(lightColours())));
    QCOMPARE(colours(paletteFor(darkColours())).fp32, darkColours().fp32);
}

void TestColours::aPrecisionKeepsItsColour()
{
    const auto colours = variantColours({Precision::Fp16, Precision::Fp32, Precision::Bf16});
    QCOMPARE(colours[0], SeriesColour::Fp16);
    QCOMPARE(colours[1], SeriesColour::Fp32);
    QCOMPARE(colours[2], SeriesColour::Bf16);
}

void TestColours::secondOfAPrecisionTakesAFurtherColour()
{
    const auto colours =
        variantColours({Precision::Fp16, Precision::Fp16, Precision::Fp32, Precision::Fp16});
    QCOMPARE(colours[0], SeriesColour::Fp16);
    QCOMPARE(colours[1], SeriesColour::Fifth);
    QCOMPARE(colours[2], SeriesColour::Fp32);
    QCOMPARE(colours[3], SeriesColour::Sixth);
}

void TestColours::manyVariantsDifferAsLongAsColoursLast()
{
    const auto colours = variantColours(std::vector<Precision>(7, Precision::Fp32));
    QCOMPARE(std::set<SeriesColour>(colours.begin(), colours.end()).size(), std::size_t{7});
    QCOMPARE(variantColours(std::vector<Precision>(20, Precision::Fp32)).size(), std::size_t{20});
}

void TestColours::themeFollowsTheApplicationPalette()
{
    auto& application = *qobject_cast<QApplication*>(QCoreApplication::instance());
    Theme theme(application);
    QCOMPARE(QApplication::palette().color(QPalette::Window), lightColours().window);
    QPalette system(Qt::white, Qt::black);
    system.setColor(QPalette::Window, Qt::black);
    system.setColor(QPalette::WindowText, Qt::white);
    QApplication::setPalette(system);
    QTRY_COMPARE(QApplication::palette().color(QPalette::Window), darkColours().window);
    theme.setAppearance(Appearance::Light);
    QCOMPARE(QApplication::palette().color(QPalette::Window), lightColours().window);
    QApplication::setPalette(system);
    QApplication::processEvents();
    theme.setAppearance(Appearance::Dark);
    QCOMPARE(QApplication::palette().color(QPalette::Window), darkColours().window);
}

MANTISSA_WIDGET_TEST(TestColours)
#include "tst_colours.moc"
