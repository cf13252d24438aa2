// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/series_info.h"
#include "core/run/system_events.h"
#include "tests/core/run/run_fixture.h"

#include <QTest>

using namespace mantissa;
using namespace mantissa::test;

namespace {

SystemReading loaded(double foreign)
{
    SystemReading reading;
    reading.hostCpuPercent = foreign + 40;
    reading.foreignCpuPercent = foreign;
    return reading;
}

} // namespace

class TestSystemFeed : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFigureIsASeriesThatIsKnown()
    {
        SystemReading reading;
        reading.processCpuPercent = {{7, 12.5}, {8, 50.0}};
        reading.hostCpuPercent = 70.0;
        reading.foreignCpuPercent = 7.5;
        reading.cpuMhz = 2600.0;
        reading.availableMemoryBytes = 1e9;
        reading.cpuTemperatureC = 61.0;
        reading.packageEnergyJ = 3.0;
        const auto points = systemPoints(reading, 8, 1.5);
        QVERIFY(points.axis == Axis::Time);
        QVERIFY(points.x == std::vector<double>{1.5});
        QCOMPARE(points.series.size(), std::size_t{7});
        QVERIFY((points.series[0] == SeriesValues{"process_cpu_percent", {50.0}}));
        QVERIFY((points.series[1] == SeriesValues{"host_cpu_percent", {70.0}}));
        QVERIFY((points.series[6] == SeriesValues{"package_energy_j", {3.0}}));
        for (const auto& series : points.series) {
            QVERIFY(seriesInfo(series.name).axis == Axis::Time);
            QVERIFY(!seriesInfo(series.name).unit.empty());
        }
    }

    void whatIsAbsentIsNoSeries() { QVERIFY(systemPoints({}, 8, 1.5).series.empty()); }

    void foreignLoadIsToldOnceAtItsBegin()
    {
        SystemAlerts alerts;
        std::vector<double> begins;
        // Every 0.2 s: idle to 2 s, loaded to 4 s, idle to 6 s, loaded to the end.
        for (int i = 0; i < 40; ++i) {
            const double time = 0.2 * i;
            const bool busy = (i >= 10 && i < 20) || i >= 30;
            for (const auto& event : alerts.look(loaded(busy ? 50 : 2), time)) {
                QCOMPARE(event.kind, "foreign_load");
                QVERIFY(event.number("foreign_cpu_percent").value() > 20);
                begins.push_back(event.timeS);
            }
        }
        // Two of five or six samples are enough to be over 20 % in the mean.
        QCOMPARE(begins.size(), std::size_t{2});
        QVERIFY(begins[0] >= 2.2 && begins[0] <= 2.8);
        QVERIFY(begins[1] >= 6.2 && begins[1] <= 6.8);
    }

    void aMomentOfLoadIsNoForeignLoad()
    {
        SystemAlerts alerts;
        for (int i = 0; i < 40; ++i)
            QVERIFY(alerts.look(loaded(i == 20 ? 80 : 2), 0.2 * i).empty());
        // Nor are two moments between which another run trained.
        QVERIFY(alerts.look(loaded(80), 60).empty());
    }

    void throttlingIsToldWithItsEvidence()
    {
        SystemAlerts alerts;
        SystemReading hot;
        hot.thermalThrottles = 3;
        hot.cpuTemperatureC = 99;
        SystemReading cool;
        cool.thermalThrottles = 0;
        QVERIFY(alerts.look(cool, 0).empty());
        const auto events = alerts.look(hot, 1);
        QCOMPARE(events.size(), std::size_t{1});
        QCOMPARE(events[0].kind, "throttled");
        QCOMPARE(events[0].text("device"), "cpu");
        QCOMPARE(events[0].data["evidence"]["temperature_c"].get<double>(), 99.0);
        QVERIFY(alerts.look(hot, 3).empty());
        QVERIFY(alerts.look(cool, 7).empty());
        QVERIFY(alerts.look(hot, 7.5).empty()); // less than 5 s without
        QVERIFY(alerts.look(cool, 13).empty());
        QCOMPARE(alerts.look(hot, 14).size(), std::size_t{1});
    }

    void theRunThatTrainsHasTheFigures()
    {
        RunFixture fixture;
        fixture.options.monitorInterval = std::chrono::milliseconds(2);
        fixture.setSteps(400);
        fixture.argue({"--step-us", "500"}); // some 200 ms a run
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        std::array<double, 2> last{};
        std::array<bool, 2> trains{};
        std::array<double, 2> begins{}; // of the block, in the run's time
        std::array<int, 2> points{};
        for (const auto& entry : fixture.observer.entries()) {
            const auto run = static_cast<std::size_t>(entry.run);
            if (entry.isState)
                continue;
            const auto* happened = std::get_if<LifecycleEvent>(&entry.event);
            if (happened && happened->kind == event_kind::kBlockStarted)
                trains[run] = true;
            if (happened && happened->kind == event_kind::kBlockStarted)
                begins[run] = happened->timeS;
            if (std::holds_alternative<BlockDone>(entry.event))
                trains[run] = false;
            const auto* figures = std::get_if<Points>(&entry.event);
            if (!figures || figures->series.empty()
                || figures->series.back().name != series::kAvailableMemoryBytes)
                continue;
            QVERIFY(trains[run]);
            // The first sample of a block tells in part of the run that had the turn before.
            QVERIFY(figures->x[0] >= begins[run] + 0.0019);
            QVERIFY(figures->x[0] >= last[run]);
            QVERIFY(figures->series.back().values[0] > 0);
            last[run] = figures->x[0];
            ++points[run];
        }
        QVERIFY(points[0] > 0 && points[1] > 0);
    }

    void withoutAnIntervalNothingIsSampled()
    {
        RunFixture fixture;
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        for (const auto& entry : fixture.observer.entries()) {
            const auto* figures = entry.isState ? nullptr : std::get_if<Points>(&entry.event);
            if (figures)
                QVERIFY(figures->axis != Axis::Time || figures->series[0].name == "rss_bytes");
        }
    }
};

QTEST_GUILESS_MAIN(TestSystemFeed)
#include "tst_system_feed.moc"
