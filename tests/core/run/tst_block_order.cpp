// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/block_order.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <string>

using namespace mantissa;

class TestBlockOrder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoVariantsGoAbba() { QCOMPARE(turns(2, 8), "ABBAABBA"); }
    void threeVariantsGoAbccba() { QCOMPARE(turns(3, 12), "ABCCBAABCCBA"); }
    void oneVariantIsAlwaysNext() { QCOMPARE(turns(1, 3), "AAA"); }

    void oneThatHasEndedDropsOut()
    {
        BlockOrder order(3);
        QCOMPARE(take(order, 4), "ABCC");
        order.drop(1);
        QCOMPARE(take(order, 5), "AACCA");
        order.drop(0);
        QCOMPARE(take(order, 2), "CC");
        order.drop(2);
        QVERIFY(!order.next().has_value());
    }

    void nobodyHasNoTurn() { QVERIFY(!BlockOrder(0).next().has_value()); }

private:
    static std::string take(BlockOrder& order, int count)
    {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += static_cast<char>('A' + order.next().value_or(25));
        return text;
    }

    static std::string turns(int members, int count)
    {
        BlockOrder order(members);
        return take(order, count);
    }
};

MANTISSA_TEST(TestBlockOrder)
#include "tst_block_order.moc"
