// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/series_info.h"
#include "core/run/system_events.h"
#include "tests/core/run/run_fixture.h"
#include "tests/support/fake_nvml/fake_nvml.h"
#include "tests/support/test_program.h"

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

SystemReading withGpu(const std::string& id, std::uint64_t throttleReasons)
{
    SystemReading reading;
    auto& gpu = reading.gpus[id];
    gpu.throttleReasons = throttleReasons;
    gpu.temperatureC = 92;
    gpu.smMhz = 1200;
    return reading;
}

/// The values of a series on the time axis in the order they came.
std::vector<double> timeSeries(const RecordingObserver& observer, int run, std::string_view name)
{
    std::vector<double> values;
    for (const auto& entry : observer.entries()) {
        const auto* points = entry.isState ? nullptr : std::get_if<Points>(&entry.event);
        if (!points || entry.run != run || points->axis != Axis::Time)
            continue;
        for (const auto& series : points->series) {
            if (series.name == name)
                values.insert(values.end(), series.values.begin(), series.values.end());
        }
    }
    return values;
}

bool areAll(const std::vector<double>& values, double expected)
{
    return !values.empty()
        && std::ranges::all_of(values, [&](double value) { return value == expected; });
}

/// How many heartbeats of `run` came since its last state.
std::size_t heartbeatsSinceState(const RecordingObserver& observer, int run)
{
    std::size_t count = 0;
    for (const auto& entry : observer.entries()) {
        if (entry.run != run)
            continue;
        if (entry.isState)
            count = 0;
        else if (std::holds_alternative<Heartbeat>(entry.event))
            ++count;
    }
    return count;
}

/// Figures of the monitor that came while the run was paused.
int pointsWhilePaused(const RecordingObserver& observer, int run)
{
    int count = 0;
    bool paused = false;
    for (const auto& entry : observer.entries()) {
        if (entry.run != run)
            continue;
        if (entry.isState)
            paused = entry.outcome.state == RunState::Paused;
        const auto* points = entry.isState ? nullptr : std::get_if<Points>(&entry.event);
        if (paused && points && points->axis == Axis::Time
            && points->series.back().name == series::kAvailableMemoryBytes)
            ++count;
    }
    return count;
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
        const auto points = systemPoints(reading, {8, ""}, 1.5);
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

    void whatIsAbsentIsNoSeries()
    {
        QVERIFY(systemPoints({}, {8, "0000:c1:00.0"}, 1.5).series.empty());
    }

    void foreignLoadIsToldOnceAtItsBegin()
    {
        SystemAlerts alerts;
        std::vector<double> begins;
        // Every 0.2 s: idle to 2 s, loaded to 4 s, idle to 8 s, loaded to the end.
        for (int i = 0; i < 60; ++i) {
            const double time = 0.2 * i;
            const bool busy = (i >= 10 && i < 20) || i >= 40;
            for (const auto& event : alerts.look(loaded(busy ? 50 : 2), "", time)) {
                QCOMPARE(event.kind, "foreign_load");
                QVERIFY(event.number("foreign_cpu_percent").value() > 10);
                QCOMPARE(event.number("threshold_percent").value(), 10.0);
                begins.push_back(event.timeS);
            }
        }
        // Two of ten or eleven samples are enough to be over 10 % in the mean.
        QCOMPARE(begins.size(), std::size_t{2});
        QVERIFY(begins[0] >= 2.2 && begins[0] <= 2.8);
        QVERIFY(begins[1] >= 8.2 && begins[1] <= 8.8);
    }

    void aMomentOfLoadIsNoForeignLoad()
    {
        SystemAlerts alerts;
        for (int i = 0; i < 40; ++i)
            QVERIFY(alerts.look(loaded(i == 20 ? 80 : 2), "", 0.2 * i).empty());
        // Nor are two moments between which another run trained.
        QVERIFY(alerts.look(loaded(80), "", 60).empty());
    }

    void throttlingIsToldWithItsEvidence()
    {
        SystemAlerts alerts;
        SystemReading hot;
        hot.thermalThrottles = 3;
        hot.cpuTemperatureC = 99;
        SystemReading cool;
        cool.thermalThrottles = 0;
        QVERIFY(alerts.look(cool, "", 0).empty());
        const auto events = alerts.look(hot, "", 1);
        QCOMPARE(events.size(), std::size_t{1});
        QCOMPARE(events[0].kind, "throttled");
        QCOMPARE(events[0].text("device"), "cpu");
        QCOMPARE(events[0].data["evidence"]["temperature_c"].get<double>(), 99.0);
        QVERIFY(alerts.look(hot, "", 3).empty());
        QVERIFY(alerts.look(cool, "", 7).empty());
        QVERIFY(alerts.look(hot, "", 7.5).empty()); // less than 5 s without
        QVERIFY(alerts.look(cool, "", 13).empty());
        QCOMPARE(alerts.look(hot, "", 14).size(), std::size_t{1});
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
            QVERIFY(figures->x[0] >= begins[run] - 0.0001);
            // The first sample of a block tells in part of when the worker waited.
            if (figures->series.front().name == series::kProcessCpuPercent)
                QVERIFY(figures->x[0] >= begins[run] + 0.0019);
            QVERIFY(figures->x[0] >= last[run]);
            QVERIFY(figures->series.back().values[0] > 0);
            last[run] = figures->x[0];
            ++points[run];
        }
        QVERIFY(points[0] > 0 && points[1] > 0);
    }

    // Turns shorter than the interval: what a moment tells is told all the same.
    void shortTurnsHaveFiguresToo()
    {
        RunFixture fixture;
        fixture.options.monitorInterval = std::chrono::milliseconds(40);
        fixture.setSteps(600);
        fixture.forAllSettings([](Settings& settings) { settings.run.block = 20; });
        fixture.argue({"--step-us", "500"}); // some 10 ms a turn
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QVERIFY(fixture.blocks().starts_with("a1 b1 b21 a21"));
        for (const int run : {0, 1}) {
            QVERIFY(!timeSeries(fixture.observer, run, series::kAvailableMemoryBytes).empty());
            QVERIFY(!timeSeries(fixture.observer, run, series::kForeignCpuPercent).empty());
            QVERIFY(timeSeries(fixture.observer, run, series::kProcessCpuPercent).empty());
        }
    }

    void aGpusFiguresAreSeriesThatAreKnown()
    {
        SystemReading reading;
        auto& gpu = reading.gpus["0000:c1:00.0"];
        gpu = {97.0, 1e9, 345.5, 61.0, 1755.0, 3200.0, 0, 12.5};
        reading.gpus["0000:17:00.0"] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0, 7.0}; // another run's
        const auto points = systemPoints(reading, {8, "0000:c1:00.0"}, 1.5);
        const std::vector<SeriesValues> expected{{"gpu_utilisation_percent", {97.0}},
            {"gpu_memory_bytes", {1e9}}, {"gpu_power_w", {345.5}}, {"gpu_temperature_c", {61.0}},
            {"gpu_sm_mhz", {1755.0}}, {"gpu_memory_mhz", {3200.0}}, {"gpu_energy_j", {12.5}}};
        QVERIFY(points.series == expected);
        for (const auto& series : points.series) {
            QVERIFY(seriesInfo(series.name).axis == Axis::Time);
            QVERIFY(!seriesInfo(series.name).unit.empty());
        }
        QVERIFY(systemPoints(reading, {8, ""}, 1.5).series.empty());
    }

    void aGpusThrottlingIsToldByItsReason()
    {
        SystemAlerts alerts;
        const std::string id = "0000:c1:00.0";
        QVERIFY(alerts.look(withGpu(id, 0x1 | 0x2), id, 0).empty()); // idle, chosen clocks
        QVERIFY(alerts.look(withGpu(id, 0x20), "", 0.5).empty()); // a run on the CPU
        const auto heat = alerts.look(withGpu(id, 0x20 | 0x8), id, 1);
        QCOMPARE(heat.size(), std::size_t{1});
        QCOMPARE(heat[0].kind, "throttled");
        QCOMPARE(heat[0].text("device"), "gpu");
        QCOMPARE(heat[0].text("reason"), "hardware slowdown, heat (the driver's limit)");
        QCOMPARE(heat[0].data["evidence"]["temperature_c"].get<double>(), 92.0);
        QCOMPARE(heat[0].data["evidence"]["mhz"].get<double>(), 1200.0);
        QVERIFY(!heat[0].data["evidence"].contains("power_w"));
        QVERIFY(alerts.look(withGpu(id, 0x20), id, 3).empty());
        // Another reason is news, the one that is known is not.
        const auto power = alerts.look(withGpu(id, 0x20 | 0x4), id, 4);
        QCOMPARE(power.size(), std::size_t{1});
        QCOMPARE(power[0].text("reason"), "power limit");
        QVERIFY(alerts.look(withGpu(id, 0), id, 6).empty());
        QVERIFY(alerts.look(withGpu(id, 0x20), id, 8).empty()); // less than 5 s without
        QVERIFY(alerts.look(withGpu(id, 0), id, 14).empty());
        QCOMPARE(alerts.look(withGpu(id, 0x20), id, 15).size(), std::size_t{1});
    }

    void aRunOnAGpuHasItsFigures()
    {
        FakeNvml nvml;
        qputenv("MANTISSA_NVML", MANTISSA_FAKE_NVML);
        nvml.gpu(0)["power_mw"] = 1000;
        nvml.gpu(1)["reasons"] = 0x40;
        nvml.write();
        RunFixture fixture;
        fixture.options.monitorInterval = std::chrono::milliseconds(2);
        fixture.setSteps(200);
        fixture.argue({"--step-us", "500", "--gpu", "0000:c1:00.0"});
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        for (const int run : {0, 1}) {
            QVERIFY(areAll(timeSeries(fixture.observer, run, series::kGpuPowerW), 345.678));
            QVERIFY(areAll(timeSeries(fixture.observer, run, series::kGpuMemoryBytes), 1234567168));
            QVERIFY(areAll(timeSeries(fixture.observer, run, series::kGpuEnergyJ), 0));
            QCOMPARE(fixture.observer.count(run, event_kind::kThrottled), std::size_t{1});
        }
        fixture.controller.reset(); // ends the monitor
        QCOMPARE(nvml.log(), std::string("init\nshutdown\n"));
        qunsetenv("MANTISSA_NVML");
    }

    void aRunOnTheCpuDoesNotOpenNvml()
    {
        const FakeNvml nvml;
        qputenv("MANTISSA_NVML", MANTISSA_FAKE_NVML);
        RunFixture fixture;
        fixture.options.monitorInterval = std::chrono::milliseconds(2);
        fixture.argue({"--step-us", "500"});
        fixture.start();
        QVERIFY(fixture.waitUntilEnded());
        QVERIFY(timeSeries(fixture.observer, 0, series::kGpuPowerW).empty());
        fixture.controller.reset();
        QCOMPARE(nvml.log(), std::string());
        qunsetenv("MANTISSA_NVML");
    }

    void aPausedRunHasNoFigures()
    {
        RunFixture fixture({"a"});
        fixture.options.monitorInterval = std::chrono::milliseconds(2);
        fixture.setSteps(100000);
        fixture.argue({"--step-us", "500"});
        auto& controller = fixture.start();
        QVERIFY(fixture.awaitStep(0, 20));
        controller.pause();
        QVERIFY(fixture.awaitState(0, RunState::Paused));
        // Some 100 ms each: time for a hundred samples.
        QVERIFY(await([&] { return heartbeatsSinceState(fixture.observer, 0) >= 3; }));
        const auto before = timeSeries(fixture.observer, 0, series::kAvailableMemoryBytes).size();
        controller.resume();
        QVERIFY(await([&] {
            return timeSeries(fixture.observer, 0, series::kAvailableMemoryBytes).size()
                >= before + 5;
        }));
        controller.stop("test");
        QVERIFY(fixture.waitUntilEnded());
        QVERIFY(before > 0);
        QCOMPARE(pointsWhilePaused(fixture.observer, 0), 0);
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

MANTISSA_TEST(TestSystemFeed)
#include "tst_system_feed.moc"
