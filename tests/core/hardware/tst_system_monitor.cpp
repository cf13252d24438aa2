// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/system_files.h"
#include "core/hardware/system_monitor.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace mantissa;

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

/// Fields 14 and 15 are the CPU time; the name is as nasty as a name may be.
std::string statLine(int user, int system)
{
    return "77 (a) b (c) S 1 77 77 0 -1 4194304 99 0 0 0 " + std::to_string(user) + " "
        + std::to_string(system) + " 0 0 20 0 1 0 4006459 3133440 414\n";
}

std::string cpuLine(int core, int busy, int idle)
{
    return "cpu" + std::to_string(core) + " " + std::to_string(busy) + " 0 0 "
        + std::to_string(idle) + " 0 0 0 0 0 0\n";
}

double microseconds(const rusage& usage)
{
    return 1e6 * static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

} // namespace

class TestSystemMonitor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_temp = std::make_unique<QTemporaryDir>();
        m_root = m_temp->path().toStdString();
        load(1000, 5000, 100, 40);
    }

    void figuresAreOfTheUsableCores()
    {
        SystemMonitor monitor(m_root, {0, 1}, 5);
        monitor.watch({77});
        const auto first = monitor.sample(10);
        QVERIFY(!first.hostCpuPercent && !first.foreignCpuPercent);
        QVERIFY(first.processCpuPercent.empty());

        // 2 s on 2 cores: 400 ticks, of which 300 busy: 160 the worker's, 20 this program's.
        load(1300, 5100, 260, 60);
        const auto second = monitor.sample(12);
        QCOMPARE(*second.hostCpuPercent, 75.0);
        QCOMPARE(second.processCpuPercent.at(77), 40.0);
        QCOMPARE(*second.foreignCpuPercent, 30.0);
    }

    void othersCoresDoNotCount()
    {
        SystemMonitor monitor(m_root, {1}, 5);
        monitor.sample(0);
        load(1100, 5300, 100, 40); // core 1 has half of the busy ticks and all the idle ones
        QCOMPARE(*monitor.sample(2).hostCpuPercent, 100.0 * 50 / 350);
    }

    void foreignLoadIsNeverNegative()
    {
        SystemMonitor monitor(m_root, {0, 1}, 5);
        monitor.watch({77});
        monitor.sample(0);
        load(1010, 5390, 200, 40);
        QCOMPARE(*monitor.sample(2).foreignCpuPercent, 0.0);
    }

    void whatIsNotThereIsAbsent()
    {
        SystemMonitor monitor(m_root / "nowhere", {0, 1}, 5);
        monitor.watch({77});
        monitor.sample(0);
        const auto reading = monitor.sample(1);
        QVERIFY(!reading.hostCpuPercent && !reading.foreignCpuPercent && !reading.cpuMhz);
        QVERIFY(!reading.availableMemoryBytes && !reading.cpuTemperatureC);
        QVERIFY(!reading.packageEnergyJ && !reading.thermalThrottles);
        QVERIFY(reading.processCpuPercent.empty());
    }

    void processThatIsForgottenIsForeign()
    {
        SystemMonitor monitor(m_root, {0, 1}, 5);
        monitor.watch({77});
        monitor.sample(0);
        monitor.watch({});
        load(1200, 5200, 300, 40);
        QVERIFY(!monitor.sample(2).foreignCpuPercent); // a part of it was the worker's
        load(1400, 5400, 500, 40);
        const auto reading = monitor.sample(4);
        QVERIFY(reading.processCpuPercent.empty());
        QCOMPARE(*reading.foreignCpuPercent, 50.0);
    }

    // A worker that ends looked like a burst of other programs' load.
    void aWorkersLastWorkIsNoForeignLoad()
    {
        SystemMonitor monitor(m_root, {0, 1}, 5);
        monitor.watch({77});
        monitor.sample(0);
        load(1200, 5200, 300, 40);
        QCOMPARE(*monitor.sample(2).foreignCpuPercent, 0.0);
        load(1400, 5400, 500, 40);
        write(m_root / "proc/77/stat", ""); // ended
        const auto reading = monitor.sample(4);
        QCOMPARE(*reading.hostCpuPercent, 50.0);
        QVERIFY(!reading.foreignCpuPercent);
        load(1500, 5700, 500, 40);
        write(m_root / "proc/77/stat", "");
        QCOMPARE(*monitor.sample(6).foreignCpuPercent, 25.0); // still named, but known to be gone
    }

    void aWorkersFirstWorkIsNoForeignLoad()
    {
        SystemMonitor monitor(m_root, {0, 1}, 5);
        monitor.sample(0);
        load(1200, 5200, 300, 40);
        monitor.watch({77});
        QVERIFY(!monitor.sample(2).foreignCpuPercent);
        load(1400, 5400, 500, 40);
        QCOMPARE(*monitor.sample(4).foreignCpuPercent, 0.0);
    }

    void memoryFrequencyAndTemperature()
    {
        write(m_root / "proc/meminfo", "MemTotal: 8 kB\nMemFree: 1 kB\nMemAvailable:   2048 kB\n");
        const auto cpu = m_root / "sys/devices/system/cpu";
        write(cpu / "cpu0/cpufreq/scaling_cur_freq", "2000000\n");
        write(cpu / "cpu1/cpufreq/scaling_cur_freq", "3000000\n");
        write(m_root / "sys/class/hwmon/hwmon0/name", "nvme\n");
        write(m_root / "sys/class/hwmon/hwmon0/temp1_input", "30000\n");
        write(m_root / "sys/class/hwmon/hwmon1/name", "k10temp\n");
        write(m_root / "sys/class/hwmon/hwmon1/temp1_input", "61500\n");
        const auto reading = SystemMonitor(m_root, {0, 1}, 5).sample(0);
        QCOMPARE(*reading.availableMemoryBytes, 2048.0 * 1024);
        QCOMPARE(*reading.cpuMhz, 2500.0);
        QCOMPARE(*reading.cpuTemperatureC, 61.5);
    }

    void frequencyOfCpuinfoWhereSysHasNone()
    {
        write(m_root / "proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2600.500\n");
        QCOMPARE(*SystemMonitor(m_root, {0, 1}, 5).sample(0).cpuMhz, 2600.5);
    }

    void energyCountsOnWhereTheCounterBeginsAgain()
    {
        const auto zone = m_root / "sys/class/powercap/intel-rapl:0";
        write(zone / "name", "package-0\n");
        write(zone / "max_energy_range_uj", "10000000\n");
        write(zone / "energy_uj", "9000000\n");
        // A part of the package, which must not be counted twice.
        write(m_root / "sys/class/powercap/intel-rapl:0:0/name", "core\n");
        write(m_root / "sys/class/powercap/intel-rapl:0:0/energy_uj", "5\n");
        SystemMonitor monitor(m_root, {0, 1}, 5);
        QCOMPARE(*monitor.sample(0).packageEnergyJ, 0.0);
        write(zone / "energy_uj", "9500000\n");
        QCOMPARE(*monitor.sample(1).packageEnergyJ, 0.5);
        write(zone / "energy_uj", "250000\n");
        QCOMPARE(*monitor.sample(2).packageEnergyJ, 1.25);
    }

    void throttlingIsCountedSinceTheSampleBefore()
    {
        const auto file =
            m_root / "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count";
        write(file, "4\n");
        SystemMonitor monitor(m_root, {0, 1}, 5);
        QVERIFY(!monitor.sample(0).thermalThrottles);
        write(file, "7\n");
        QCOMPARE(*monitor.sample(1).thermalThrottles, 3.0);
        QCOMPARE(*monitor.sample(2).thermalThrottles, 0.0);
    }

    /// Every 200 ms at most 0.5 % of a core: 1 ms a sample. The median of samples of the real
    /// system, because other programs disturb single ones.
    void costsLittle()
    {
        SystemMonitor monitor;
        monitor.watch({::getpid()});
        std::vector<double> costs;
        for (int i = 0; i < 21; ++i) {
            rusage before{};
            rusage after{};
            ::getrusage(RUSAGE_THREAD, &before);
            for (int k = 0; k < 10; ++k)
                monitor.sample(i + k / 10.0);
            ::getrusage(RUSAGE_THREAD, &after);
            costs.push_back((microseconds(after) - microseconds(before)) / 10);
        }
        std::ranges::nth_element(costs, costs.begin() + 10);
        qInfo("%.1f us a sample", costs[10]);
        QVERIFY2(costs[10] < 1000, qPrintable(QString::number(costs[10])));
    }

private:
    /// Busy and idle ticks of both cores together (core 1 has all the idle ones), and the CPU ticks
    /// of the worker 77 and of this program 5.
    void load(int busy, int idle, int worker, int self)
    {
        write(m_root / "proc/stat",
            "cpu 9 9 9 9 9 9 9 9 9 9\n" + cpuLine(0, busy / 2, 0)
                + cpuLine(1, busy - busy / 2, idle) + "intr 5\n");
        write(m_root / "proc/77/stat", statLine(worker - 10, 10));
        write(m_root / "proc/5/stat", statLine(self, 0));
    }

    std::unique_ptr<QTemporaryDir> m_temp;
    fs::path m_root;
};

MANTISSA_TEST(TestSystemMonitor)
#include "tst_system_monitor.moc"
