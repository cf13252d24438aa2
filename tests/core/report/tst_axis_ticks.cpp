// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/axis_ticks.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

using namespace mantissa;

namespace {

QString labels(const std::vector<Tick>& ticks)
{
    QStringList all;
    for (const auto& tick : ticks)
        all << QString::fromStdString(tick.label);
    return all.join(QLatin1Char(' '));
}

} // namespace

class TestAxisTicks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areRoundNumbers_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<int>("scale");
        QTest::addColumn<QString>("expected");
        const int linear = int(AxisScale::Linear);
        const int log2 = int(AxisScale::Log2);
        const int log10 = int(AxisScale::Log10);
        QTest::newRow("steps") << 0.0 << 2000.0 << linear << "0 500 1,000 1,500 2,000";
        QTest::newRow("loss") << 0.21 << 2.4 << linear << "0.5 1.0 1.5 2.0";
        QTest::newRow("through zero") << -1.0 << 1.0 << linear << "−1.0 −0.5 0.0 0.5 1.0";
        QTest::newRow("small") << 0.0011 << 0.0019 << linear << "0.0012 0.0014 0.0016 0.0018";
        QTest::newRow("scale") << std::exp2(14) << std::exp2(18) << log2 << "2¹⁴ 2¹⁵ 2¹⁶ 2¹⁷ 2¹⁸";
        QTest::newRow("tall scale") << 1.0 << std::exp2(40) << log2 << "2⁰ 2⁷ 2¹⁴ 2²¹ 2²⁸ 2³⁵";
        QTest::newRow("small scale") << 0.125 << 1.0 << log2 << "2⁻³ 2⁻² 2⁻¹ 2⁰";
        QTest::newRow("rates") << 90.0 << 20000.0 << log10 << "100 1,000 10,000";
        QTest::newRow("two decades") << 20.0 << 900.0 << log10 << "20 50 100 200 500";
        QTest::newRow("wide") << 1e-9 << 1e3 << log10 << "1e-09 1e-07 1e-05 0.001 0.1 10 1,000";
        QTest::newRow("narrow log") << 1.1 << 1.9 << log10 << "1.2 1.4 1.6 1.8";
    }

    void areRoundNumbers()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(int, scale);
        const auto ticks = axisTicks(low, high, 6, AxisScale(scale));
        QTEST(labels(ticks), "expected");
        for (const auto& tick : ticks)
            QVERIFY(tick.value >= low * (1 - 1e-9) - 1e-9 && tick.value <= high * (1 + 1e-9));
    }

    void areNoneWhereThereIsNoRange()
    {
        for (const double high : {1.0, 0.5, double(INFINITY), double(NAN)})
            QVERIFY(axisTicks(1, high, 6, AxisScale::Linear).empty());
    }

    void timeAxesUseAReadableUnit()
    {
        QCOMPARE(timeUnitFor(30).name, "s");
        QCOMPARE(timeUnitFor(600).name, "min");
        QCOMPARE(timeUnitFor(600).seconds, 60.0);
        QCOMPARE(timeUnitFor(50'000).name, "h");
    }
};

MANTISSA_TEST(TestAxisTicks)
#include "tst_axis_ticks.moc"
