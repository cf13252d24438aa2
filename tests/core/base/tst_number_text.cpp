// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <clocale>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace mantissa;

class TestNumberText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsBackTheSameDouble_data()
    {
        QTest::addColumn<double>("value");
        for (double value : {0.0, -0.0, 0.1, 1e-320, 65504.0, 1.7976931348623157e308, 1.0 / 3})
            QTest::addRow("%.17g", value) << value;
    }

    void readsBackTheSameDouble()
    {
        QFETCH(double, value);
        const auto back = parseDouble(toText(value));
        QVERIFY(back.has_value());
        QCOMPARE(std::signbit(*back), std::signbit(value));
        QVERIFY(*back == value);
    }

    void spellsNonFiniteNumbersAsTheProtocolDoes()
    {
        const double inf = std::numeric_limits<double>::infinity();
        QCOMPARE(toText(std::nan("")), "NaN");
        QCOMPARE(toText(inf), "Infinity");
        QCOMPARE(toText(-inf), "-Infinity");
        QVERIFY(std::isnan(*numberFromJson(numberToJson(std::nan("")))));
        QCOMPARE(*numberFromJson(numberToJson(-inf)), -inf);
    }

    void refusesWhatIsNotWhollyANumber()
    {
        for (const char* text : {"", "1x", " 1", "1,5", "0x10", "--1"})
            QVERIFY2(!parseDouble(text).has_value(), text);
        QVERIFY(!parseInt("1.5").has_value());
        QVERIFY(!numberFromJson("12").has_value());
        QVERIFY(!numberFromJson(nullptr).has_value());
    }

    void ignoresTheLocale()
    {
        // Where de_DE is not installed setlocale() changes nothing and the check still holds.
        std::setlocale(LC_ALL, "de_DE.UTF-8");
        QCOMPARE(toText(1.5), "1.5");
        QCOMPARE(*parseDouble("1.5"), 1.5);
        std::setlocale(LC_ALL, "C");
    }
};

MANTISSA_TEST(TestNumberText)
#include "tst_number_text.moc"
