// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps are replayed.
#include "core/engine/trouble_watch.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <map>

using namespace mantissa;

namespace {

using Looked = std::map<std::int64_t, Trouble>;

/// Every step that is worth a replay out of `count` steps; `signs` says how each went.
template <typename Signs> Looked looked(std::int64_t every, std::int64_t count, Signs signs)
{
    TroubleWatch watch(every);
    Looked found;
    for (std::int64_t step = 1; step <= count; ++step) {
        StepSigns now;
        now.step = step;
        signs(now);
        const auto expected = watch.wouldSay(now);
        const auto said = watch.look(now);
        if (said != (now.fine() ? std::nullopt : expected))
            return {};
        if (said)
            found[step] = *said;
    }
    return found;
}

} // namespace

class TestTroubleWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingWhereAllIsWell()
    {
        QVERIFY(looked(100, 500, [](StepSigns&) {}).empty());
    }

    /// The search for a scale is one trouble; a skip that comes after it is another.
    void theFirstSkipAfterARestIsNew()
    {
        const auto found = looked(
            100, 60, [](StepSigns& s) { s.skipped = s.step <= 5 || s.step == 9 || s.step == 40; });
        QCOMPARE(found, (Looked{{1, Trouble::Skip}, {40, Trouble::SkipAfterRest}}));
    }

    /// A scale that probes its ceiling every 20 steps costs a replay in a hundred steps, not five.
    void skipsThatGoOnAreSeenFromTimeToTime()
    {
        const auto probing = looked(100, 300, [](StepSigns& s) { s.skipped = s.step % 20 == 0; });
        QCOMPARE(probing,
            (Looked{{20, Trouble::Skip}, {40, Trouble::SkipAfterRest},
                {140, Trouble::SkipAfterRest}, {240, Trouble::SkipAfterRest}}));
        const auto endless = looked(100, 250, [](StepSigns& s) { s.skipped = true; });
        QCOMPARE(endless, (Looked{{1, Trouble::Skip}, {101, Trouble::Skip}, {201, Trouble::Skip}}));
    }

    /// A NaN loss in between the skips of a search is a trouble of its own.
    void theFirstLossThatIsNotFiniteIsNew()
    {
        const auto found = looked(100, 30, [](StepSigns& s) {
            s.skipped = s.step <= 8;
            s.lossFinite = s.step != 6 && s.step < 20;
        });
        QCOMPARE(found, (Looked{{1, Trouble::Skip}, {6, Trouble::Loss}}));
    }

    void aGradientCountsWhereTheStepWasApplied()
    {
        const auto found = looked(100, 30, [](StepSigns& s) {
            s.gradientFinite = s.step < 12;
            s.lossFinite = s.step < 13;
        });
        QCOMPARE(found, (Looked{{12, Trouble::Gradient}, {13, Trouble::Loss}}));
        const auto skipped = looked(100, 3, [](StepSigns& s) {
            s.gradientFinite = false;
            s.skipped = true;
        });
        QCOMPARE(skipped, (Looked{{1, Trouble::Skip}}));
    }

    void theyAreNewAgainAfterLongWithout()
    {
        const auto found = looked(
            50, 200, [](StepSigns& s) { s.lossFinite = s.step % 100 != 10 && s.step != 40; });
        QCOMPARE(found, (Looked{{10, Trouble::Loss}, {110, Trouble::Loss}}));
    }

    void everyStepWhereThatIsAskedFor()
    {
        QCOMPARE(looked(1, 20, [](StepSigns& s) { s.skipped = true; }).size(), std::size_t{20});
    }
};

MANTISSA_TEST(TestTroubleWatch)
#include "tst_trouble_watch.moc"
