// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/note_limiter.h"
#include "tests/support/test_program.h"

#include <QTest>

using namespace mantissa;
using namespace std::chrono_literals;

class TestNoteLimiter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aBurstPassesThenOneAtATime()
    {
        NoteLimiter limiter(3, 1000ms);
        QCOMPARE(passing(limiter, m_start, 10), 3);
        QCOMPARE(passing(limiter, m_start + 999ms, 10), 0);
        QCOMPARE(passing(limiter, m_start + 1000ms, 10), 1);
        QCOMPARE(passing(limiter, m_start + 3500ms, 10), 2);
    }

    void aLongSilenceSavesUpNoMoreThanTheBurst()
    {
        NoteLimiter limiter(3, 1000ms);
        QCOMPARE(passing(limiter, m_start, 10), 3);
        QCOMPARE(passing(limiter, m_start + 1h, 10), 3);
    }

    void whatIsHeldBackIsCountedOnce()
    {
        NoteLimiter limiter(3, 1000ms);
        passing(limiter, m_start, 10);
        QCOMPARE(limiter.takeSuppressed(), std::size_t{7});
        QCOMPARE(limiter.takeSuppressed(), std::size_t{0});
    }

private:
    static int passing(NoteLimiter& limiter, NoteLimiter::Clock::time_point now, int tries)
    {
        int passed = 0;
        for (int i = 0; i < tries; ++i)
            passed += limiter.allow(now) ? 1 : 0;
        return passed;
    }

    const NoteLimiter::Clock::time_point m_start = NoteLimiter::Clock::now();
};

MANTISSA_TEST(TestNoteLimiter)
#include "tst_note_limiter.moc"
