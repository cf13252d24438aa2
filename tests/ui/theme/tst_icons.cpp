// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"
#include "ui/theme/icons.h"

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QTest>

using namespace mantissa::ui;

class TestIcons : public QObject {
    Q_OBJECT

private:
    static QColor strongestColour(const QPixmap& pixmap);
    static QImage painted(const QIcon& icon, QIcon::Mode mode, qreal ratio = 1.0);

private Q_SLOTS:
    void everyIconIsDrawnAndNoTwoAreEqual();
    void takesTheColourAskedFor();
    void followsThePalette();
    void disabledIconsUseTheDisabledText();
    void meaningfulColourIsAskedAtEachPainting();
    void isSharpOnHighDensityScreens();
    void programIconHasAllSizes();
};

QColor TestIcons::strongestColour(const QPixmap& pixmap)
{
    const QImage image = pixmap.toImage().convertToFormat(QImage::Format_ARGB32);
    QColor best(Qt::transparent);
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor colour = image.pixelColor(x, y);
            if (colour.alpha() > best.alpha())
                best = colour;
        }
    }
    return best;
}

QImage TestIcons::painted(const QIcon& icon, QIcon::Mode mode, qreal ratio)
{
    QImage image((QSizeF(24, 24) * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    icon.paint(&painter, QRect(0, 0, 24, 24), Qt::AlignCenter, mode);
    return image;
}

void TestIcons::everyIconIsDrawnAndNoTwoAreEqual()
{
    QList<QImage> seen;
    for (int id = 0; id < static_cast<int>(Icon::Count); ++id) {
        const QPixmap pixmap = iconPixmap(static_cast<Icon>(id), 24, Qt::black);
        QVERIFY2(strongestColour(pixmap).alpha() > 200, qPrintable(QString::number(id)));
        QVERIFY2(!seen.contains(pixmap.toImage()), qPrintable(QString::number(id)));
        seen.append(pixmap.toImage());
    }
}

void TestIcons::takesTheColourAskedFor()
{
    QCOMPARE(strongestColour(iconPixmap(Icon::Stop, 24, QColor(0xB3, 0x26, 0x1E))).rgb(),
        QColor(0xB3, 0x26, 0x1E).rgb());
}

void TestIcons::followsThePalette()
{
    const QIcon stop = icon(Icon::Stop);
    for (const QColor& colour : {QColor(0x1E, 0x22, 0x26), QColor(0xE3, 0xE6, 0xE9)}) {
        QPalette palette = QApplication::palette();
        palette.setColor(QPalette::Active, QPalette::ButtonText, colour);
        QApplication::setPalette(palette);
        QCOMPARE(strongestColour(stop.pixmap(QSize(24, 24))).rgb(), colour.rgb());
    }
}

void TestIcons::disabledIconsUseTheDisabledText()
{
    QPalette palette = QApplication::palette();
    palette.setColor(QPalette::Disabled, QPalette::ButtonText, QColor(0x9A, 0xA1, 0xA8));
    QApplication::setPalette(palette);
    const QImage image = painted(icon(Icon::Stop), QIcon::Disabled);
    QCOMPARE(strongestColour(QPixmap::fromImage(image)).rgb(), QColor(0x9A, 0xA1, 0xA8).rgb());
}

void TestIcons::meaningfulColourIsAskedAtEachPainting()
{
    QColor error(0xB3, 0x26, 0x1E);
    const QIcon warning = icon(Icon::Stop, [&error] { return error; });
    QCOMPARE(strongestColour(warning.pixmap(QSize(24, 24))).rgb(), error.rgb());
    error = QColor(0xFF, 0x8A, 0x80);
    QCOMPARE(strongestColour(warning.pixmap(QSize(24, 24))).rgb(), error.rgb());
}

void TestIcons::isSharpOnHighDensityScreens()
{
    // Twice the density is drawn from the vector, not enlarged: it differs from the enlarged one.
    const QImage sharp = painted(icon(Icon::Note), QIcon::Normal, 2.0);
    const QImage enlarged = painted(icon(Icon::Note), QIcon::Normal)
                                .scaled(48, 48, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    QCOMPARE(sharp.size(), QSize(48, 48));
    QVERIFY(sharp.convertToFormat(QImage::Format_ARGB32)
        != enlarged.convertToFormat(QImage::Format_ARGB32));
}

void TestIcons::programIconHasAllSizes()
{
    for (const int size : {48, 128, 256}) {
        const QPixmap pixmap = programIcon().pixmap(QSize(size, size), 1.0);
        QCOMPARE(pixmap.size(), QSize(size, size));
    }
}

MANTISSA_WIDGET_TEST(TestIcons)
#include "tst_icons.moc"
