// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_event.h"
#include "core/run/series_info.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <set>

using namespace mantissa;

class TestRunEvent : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void statesHaveTheirStoredNames_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("end");
        const auto row = [](RunState state, const char* name, bool end) {
            QTest::newRow(name) << static_cast<int>(state) << QString::fromLatin1(name) << end;
        };
        row(RunState::Queued, "queued", false);
        row(RunState::Running, "running", false);
        row(RunState::Paused, "paused", false);
        row(RunState::Finished, "finished", true);
        row(RunState::Stopped, "stopped", true);
        row(RunState::Failed, "failed", true);
        row(RunState::Killed, "killed", true);
        row(RunState::Refused, "refused", true);
        row(RunState::Interrupted, "interrupted", true);
    }

    void statesHaveTheirStoredNames()
    {
        QFETCH(int, state);
        QFETCH(QString, name);
        QFETCH(bool, end);
        const auto value = static_cast<RunState>(state);
        QCOMPARE(QString::fromStdString(std::string(toString(value))), name);
        QVERIFY(runStateFromString(name.toStdString()) == value);
        QCOMPARE(isEnd(value), end);
    }

    void unknownStatesAreNothing()
    {
        QVERIFY(!runStateFromString("").has_value());
        QVERIFY(!runStateFromString("Finished").has_value());
    }

    /// A worker of somebody else's may send anything as data.
    void dataOfAnyShapeIsRead()
    {
        for (const auto* text : {"null", "[1]", "\"x\"", "{}", "{\"key\": 5, \"scale\": [2]}",
                 "{\"key\": null, \"scale\": \"many\"}"}) {
            LifecycleEvent event;
            event.data = nlohmann::json::parse(text);
            QCOMPARE(event.text("key", "otherwise"), std::string("otherwise"));
            QVERIFY(!event.number("scale").has_value());
            QVERIFY(event.value("none").is_null());
        }
        LifecycleEvent event;
        event.data = {{"key", "policy"}, {"scale", 2}, {"loss", "NaN"}};
        QCOMPARE(event.text("key"), std::string("policy"));
        QCOMPARE(event.number("scale"), std::optional(2.0));
        QVERIFY(std::isnan(event.number("loss").value()));
    }

    void seriesHaveTheUnitsOfTheContract()
    {
        QCOMPARE(seriesInfo("step_ms").unit, "ms");
        QCOMPARE(seriesInfo("samples_per_second").unit, "samples/s");
        QCOMPARE(seriesInfo("peak_memory_bytes").unit, "bytes");
        QCOMPARE(seriesInfo("time_s").unit, "s");
        QCOMPARE(seriesInfo("loss").unit, "");
        QVERIFY(seriesInfo("rss_bytes").axis == Axis::Time);
        QVERIFY(seriesInfo("metric").axis == Axis::Step);
    }

    void seriesNamesAreUniqueAndDescribed()
    {
        std::set<std::string_view> names;
        for (const auto& info : allSeries()) {
            QVERIFY(names.insert(info.name).second);
            QVERIFY(!info.label.empty());
            QVERIFY(!info.description.empty());
        }
    }

    void aForeignSeriesKeepsItsName()
    {
        const auto info = seriesInfo("perplexity");
        QCOMPARE(info.name, "perplexity");
        QCOMPARE(info.label, "perplexity");
        QCOMPARE(info.unit, "");
    }
};

MANTISSA_TEST(TestRunEvent)
#include "tst_run_event.moc"
