// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/energy_use.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <limits>
#include <vector>

using namespace mantissa;

namespace {

/// A reading every 0.25 s of a counter that rises by `watts` while the run trains in turns, steps
/// of 0.1 s with 8 samples each.
struct Recorded {
    std::vector<double> timeS, joules, blockStartS, stepEndS, samplesPerSecond, stepMs;

    void turn(double beginS, double seconds, double watts)
    {
        blockStartS.push_back(beginS);
        for (int i = 1; i * 0.25 <= seconds; ++i) {
            timeS.push_back(beginS + i * 0.25);
            joules.push_back(counter + watts * i * 0.25);
        }
        counter = joules.back();
        for (int i = 1; i <= qRound(seconds * 10); ++i) {
            stepEndS.push_back(beginS + i * 0.1);
            samplesPerSecond.push_back(80);
            stepMs.push_back(100);
        }
    }
    void othersTake(double joulesMore) { counter += joulesMore; }
    std::optional<EnergyUse> use() const
    {
        return energyUse({timeS, joules, blockStartS, stepEndS, samplesPerSecond, stepMs});
    }
    double counter = 1000;
};

} // namespace

class TestEnergyUse : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void steadyPowerOverSteadySteps()
    {
        Recorded run;
        run.turn(0, 10, 40); // 40 W, 80 samples a second
        const auto use = run.use();
        QVERIFY(use.has_value());
        QCOMPARE(use->watts(), 40.0);
        QCOMPARE(use->seconds, 9.75);
        QVERIFY2(qAbs(use->joulesPerSample() - 0.5) < 0.01,
            qPrintable(QString::number(use->joulesPerSample())));
    }

    // Turns directly one after the other: what the other run took in between is not this one's.
    void whatOthersTakeBetweenTurnsIsNotCounted()
    {
        Recorded run;
        for (int i = 0; i < 4; ++i) {
            run.turn(i * 2.1, 2, 40);
            run.othersTake(5000);
        }
        const auto use = run.use();
        QVERIFY(use.has_value());
        QCOMPARE(use->watts(), 40.0);
        QCOMPARE(use->seconds, 4 * 1.75);
    }

    void aPauseIsNotCounted()
    {
        Recorded run;
        run.turn(0, 5, 40);
        run.blockStartS.pop_back();
        run.othersTake(300);
        run.turn(60, 5, 40); // no block starts after a pause
        run.blockStartS.pop_back();
        QCOMPARE(run.use()->watts(), 40.0);
    }

    void aCounterThatBeganAnewIsNotNegativeEnergy()
    {
        Recorded run;
        run.turn(0, 5, 40);
        run.counter = 0;
        run.blockStartS.clear();
        run.turn(5, 5, 40);
        run.blockStartS.clear();
        QCOMPARE(run.use()->watts(), 40.0);
        QCOMPARE(run.use()->seconds, 2 * 4.75);
    }

    void tooLittleIsNothing()
    {
        Recorded run;
        run.turn(0, 2, 40); // 1.75 s between its readings
        QVERIFY(!run.use());
        QVERIFY(!energyUse({}));
        Recorded without;
        without.turn(0, 10, 40);
        without.stepEndS.clear();
        QVERIFY(!without.use());
    }

    void aStepWithoutAFigureIsLeftOut()
    {
        Recorded run;
        run.turn(0, 10, 40);
        const double samples = run.use()->samples;
        run.stepMs[50] = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(run.use()->samples, samples - 8);
    }
};

MANTISSA_TEST(TestEnergyUse)
#include "tst_energy_use.moc"
