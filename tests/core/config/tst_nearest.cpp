// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/nearest.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <deque>
#include <map>

using namespace mantissa;

namespace {

/// All words over {a, b, c} of at most `length` letters.
std::vector<std::string> allWords(std::size_t length)
{
    std::vector<std::string> words{""};
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].size() == length)
            continue;
        for (const char c : {'a', 'b', 'c'})
            words.push_back(words[i] + c);
    }
    return words;
}

/// The words one edit away from `word`, kept to at most `longest` letters.
std::vector<std::string> oneEditAway(const std::string& word, std::size_t longest)
{
    std::vector<std::string> out;
    for (std::size_t i = 0; i <= word.size(); ++i) {
        for (const char c : {'a', 'b', 'c'}) {
            if (word.size() < longest)
                out.push_back(word.substr(0, i) + c + word.substr(i));
            if (i < word.size())
                out.push_back(word.substr(0, i) + c + word.substr(i + 1));
        }
        if (i < word.size())
            out.push_back(word.substr(0, i) + word.substr(i + 1));
    }
    return out;
}

/// Levenshtein distances from `word` by breadth-first search over single edits.
std::map<std::string, std::size_t> distancesFrom(const std::string& word, std::size_t longest)
{
    std::map<std::string, std::size_t> distance{{word, 0}};
    std::deque<std::string> open{word};
    while (!open.empty()) {
        const auto at = open.front();
        open.pop_front();
        for (const auto& next : oneEditAway(at, longest)) {
            if (distance.emplace(next, distance[at] + 1).second)
                open.push_back(next);
        }
    }
    return distance;
}

} // namespace

class TestNearest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void distanceIsTheShortestPathOfEdits()
    {
        // A swap of neighbours counts one instead of two, so it may only be less; without a swap
        // in reach (b is a with one letter doubled, or all letters equal) it is the same.
        for (const auto& from : allWords(3)) {
            for (const auto& [to, expected] : distancesFrom(from, 4)) {
                const auto found = editDistance(from, to);
                QVERIFY2(found <= expected, (from + " " + to).c_str());
                const bool canSwap = from.size() > 1 && to.size() > 1;
                QVERIFY2(
                    canSwap ? found + 1 >= expected || found * 2 >= expected : found == expected,
                    (from + " " + to).c_str());
                QCOMPARE(editDistance(to, from), found);
            }
        }
    }

    void knowsPublishedDistances_data()
    {
        QTest::addColumn<std::string>("a");
        QTest::addColumn<std::string>("b");
        QTest::addColumn<int>("distance");
        // Textbook examples; the last two of the optimal string alignment distance.
        QTest::newRow("kitten") << std::string("kitten") << std::string("sitting") << 3;
        QTest::newRow("saturday") << std::string("saturday") << std::string("sunday") << 3;
        QTest::newRow("flaw") << std::string("flaw") << std::string("lawn") << 2;
        QTest::newRow("swap") << std::string("teh") << std::string("the") << 1;
        QTest::newRow("osa") << std::string("ca") << std::string("abc") << 3;
    }

    void knowsPublishedDistances()
    {
        QFETCH(std::string, a);
        QFETCH(std::string, b);
        QFETCH(int, distance);
        QCOMPARE(editDistance(a, b), static_cast<std::size_t>(distance));
    }

    void suggestsOnlyWhatIsNear()
    {
        const std::vector<std::string_view> words{
            "growth_factor", "growth_interval", "lr", "steps"};
        QCOMPARE(nearest("growth_facotr", words), "growth_factor");
        QCOMPARE(nearest("growth", words), "growth_factor");
        QCOMPARE(nearest("STEPS", words), "steps");
        QCOMPARE(nearest("LR", words), "lr");
        QCOMPARE(nearest("banana", words), "");
        QCOMPARE(nearest("l", words), "");
        QCOMPARE(nearest("", words), "");
        QCOMPARE(nearest(std::string(100000, 's'), words), "");
    }
};

MANTISSA_TEST(TestNearest)
#include "tst_nearest.moc"
