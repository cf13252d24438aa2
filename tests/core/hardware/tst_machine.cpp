// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/machine.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <unistd.h>

using namespace mantissa;

namespace {

QByteArray contents(const char* file)
{
    QFile open(QString::fromLatin1(file));
    return open.open(QIODevice::ReadOnly) ? open.readAll() : QByteArray();
}

/// The value on the first line of a /proc file that begins with `key`.
QByteArray procValue(const char* file, const char* key)
{
    for (const auto& line : contents(file).split('\n')) {
        if (line.startsWith(key))
            return line.mid(line.indexOf(':') + 1).trimmed();
    }
    return {};
}

/// A folder that looks like / to the cgroup reader.
class FakeRoot {
public:
    void write(const char* path, const char* text)
    {
        const auto file = m_folder.filePath(QString::fromLatin1(path));
        QDir().mkpath(QFileInfo(file).path());
        QFile open(file);
        QVERIFY(open.open(QIODevice::WriteOnly));
        open.write(text);
    }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TestMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheKernel()
    {
        const auto machine = readMachine();
        QCOMPARE(
            QByteArray::fromStdString(machine.cpuModel), procValue("/proc/cpuinfo", "model name"));
        QCOMPARE(
            machine.onlineCores, static_cast<int>(contents("/proc/cpuinfo").count("processor\t")));
        const auto kib = procValue("/proc/meminfo", "MemTotal").split(' ').first().toLongLong();
        QVERIFY(std::abs(machine.memoryBytes - kib * 1024) < 1024 * 1024);
        QVERIFY(machine.kernel.find(contents("/proc/sys/kernel/osrelease").trimmed().toStdString())
            != std::string::npos);
        QVERIFY(machine.usableCores >= 1 && machine.usableCores <= machine.onlineCores);
    }

    void cpuFlagsAgreeWithTheKernel()
    {
        const auto flags = procValue("/proc/cpuinfo", "flags").split(' ');
        if (flags.size() < 2)
            QSKIP("this kernel lists no CPU flags");
        const auto found = detectCpuFlags();
        for (const auto& name : cpuFlagNames()) {
            const bool isFound = std::ranges::count(found, name) > 0;
            // Kernels before 6.2 do not know amx_fp16, and none lists avx_ne_convert.
            if (name != "amx_fp16" && name != "avx_ne_convert")
                QVERIFY2(isFound == flags.contains(name.c_str()), name.c_str());
        }
    }

    void coresFollowTheAffinity()
    {
        cpu_set_t before;
        QCOMPARE(sched_getaffinity(0, sizeof before, &before), 0);
        int first = 0;
        while (!CPU_ISSET(static_cast<std::size_t>(first), &before))
            ++first;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(first), &one);
        QCOMPARE(sched_setaffinity(0, sizeof one, &one), 0);
        QCOMPARE(readMachine().usableCores, 1);
        QCOMPARE(sched_setaffinity(0, sizeof before, &before), 0);
        const auto limit = readMachine().cgroupCpuLimit;
        if (!limit)
            QCOMPARE(readMachine().usableCores, CPU_COUNT(&before));
    }

    void readsLimitsOfCgroup2()
    {
        FakeRoot root;
        root.write("proc/self/cgroup", "0::/user/job\n");
        root.write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
        root.write("sys/fs/cgroup/user/cpu.max", "150000 100000\n");
        root.write("sys/fs/cgroup/user/job/memory.max", "2147483648\n");
        root.write("sys/fs/cgroup/user/memory.max", "max\n");
        QCOMPARE(cgroupCpuLimit(root.path()), std::optional(1.5));
        QCOMPARE(cgroupMemoryLimit(root.path()), std::optional(std::int64_t{1} << 31));
    }

    void readsLimitsOfCgroup1()
    {
        FakeRoot root;
        root.write("proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/a/b\n0::/\n");
        root.write("sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "50000\n");
        root.write("sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
        root.write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
        root.write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
        root.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
        QCOMPARE(cgroupCpuLimit(root.path()), std::optional(0.5));
        QCOMPARE(cgroupMemoryLimit(root.path()), std::nullopt);
    }

    void findsTheLimitWhereAContainerHidesTheHostsPath()
    {
        FakeRoot root;
        root.write("proc/self/cgroup", "0::/docker/0123\n");
        root.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
        QCOMPARE(cgroupCpuLimit(root.path()), std::optional(2.0));
    }

    void hasNoLimitWhereNothingSaysSo()
    {
        FakeRoot root;
        QCOMPARE(cgroupCpuLimit(root.path()), std::nullopt);
        root.write("proc/self/cgroup", "nonsense\n::\n0::/x\n");
        root.write("sys/fs/cgroup/x/cpu.max", "garbage");
        root.write("sys/fs/cgroup/x/memory.max", "");
        QCOMPARE(cgroupCpuLimit(root.path()), std::nullopt);
        QCOMPARE(cgroupMemoryLimit(root.path()), std::nullopt);
    }

    /// What the issue promises; the kernel names most of them (above).
    void theFlagsThatDecideAboutFormatsAreKnown()
    {
        const auto& names = cpuFlagNames();
        for (const auto* name :
            {"f16c", "avx2", "fma", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512_bf16",
                "avx512_fp16", "avx_ne_convert", "amx_tile", "amx_bf16", "amx_int8", "amx_fp16"})
            QVERIFY2(std::ranges::count(names, name) == 1, name);
    }

    void readsTheCaches()
    {
        FakeRoot root;
        const auto cache = [&](int index, const char* level, const char* type, const char* size,
                               const char* shared) {
            const auto folder =
                QByteArray("sys/devices/system/cpu/cpu0/cache/index") + QByteArray::number(index);
            root.write(folder + "/level", level);
            root.write(folder + "/type", type);
            root.write(folder + "/size", size);
            root.write(folder + "/shared_cpu_list", shared);
        };
        cache(0, "1\n", "Data\n", "48K\n", "0,64\n");
        cache(1, "1\n", "Instruction\n", "32K\n", "0,64\n");
        cache(2, "2\n", "Unified\n", "2048K\n", "0\n");
        cache(3, "3\n", "Unified\n", "105M\n", "0-31,64-95\n");
        cache(10, "4\n", "Unified\n", "much\n", "\n"); // not readable: left out
        const std::vector<CpuCache> expected{
            {"l1d", 48 << 10, 2}, {"l1i", 32 << 10, 2}, {"l2", 2 << 20, 1}, {"l3", 105 << 20, 64}};
        QVERIFY(cpuCaches(root.path()) == expected);
        const auto json = toJson(readMachine(root.path()));
        QCOMPARE(json["caches"]["l3"].dump(), std::string("{\"bytes\":110100480,\"cores\":64}"));
        QVERIFY(cpuCaches(root.path() / "nowhere").empty());
    }

    void cachesAgreeWithTheSystem()
    {
        const auto caches = cpuCaches("/");
        const auto folder = QStringLiteral("/sys/devices/system/cpu/cpu0/cache");
        const auto there = QDir(folder).entryList({QStringLiteral("index*")}, QDir::Dirs).size();
        QCOMPARE(static_cast<qsizetype>(caches.size()), there);
        // glibc asks the processor itself.
        for (const auto& [name, key] :
            {std::pair("l1d", _SC_LEVEL1_DCACHE_SIZE), std::pair("l2", _SC_LEVEL2_CACHE_SIZE)}) {
            const auto found = std::ranges::find(caches, std::string(name), &CpuCache::name);
            if (found != caches.end() && sysconf(key) > 0)
                QCOMPARE(found->bytes, static_cast<std::int64_t>(sysconf(key)));
        }
    }

    void readsNumaNodesAndGovernor()
    {
        FakeRoot root;
        const auto node = [&](const char* id, const char* cores, const char* kib) {
            const auto folder = QByteArray("sys/devices/system/node/node") + id;
            root.write(folder + "/cpulist", cores);
            root.write(folder + "/meminfo",
                QByteArray("Node ") + id + " MemTotal:       " + kib + " kB\nNode " + id
                    + " MemFree: 5 kB\n");
        };
        node("0", "0-1\n", "1024");
        auto json = toJson(readMachine(root.path()));
        QVERIFY(json["numa_nodes"] == 1);
        QVERIFY(!json.contains("numa"));
        QVERIFY(json["governor"].is_null());
        node("2", "2-3\n", "2048");
        node("10", "4\n", "1");
        root.write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
        root.write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n");
        const std::vector<NumaNode> expected{
            {0, "0-1", 1 << 20}, {2, "2-3", 2 << 20}, {10, "4", 1024}};
        QVERIFY(numaNodes(root.path()) == expected);
        json = toJson(readMachine(root.path()));
        QVERIFY(json["numa_nodes"] == 3);
        QCOMPARE(json["numa"]["node2"].dump(),
            std::string("{\"cores\":\"2-3\",\"memory_bytes\":2097152}"));
        QVERIFY(json["governor"] == "powersave");
        root.write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n");
        QCOMPARE(readMachine(root.path()).governor, std::string("performance, powersave"));
    }

    void theJsonDoesNotChangeFromMinuteToMinute()
    {
        QCOMPARE(toJson(readMachine()).dump(), toJson(readMachine()).dump());
        QVERIFY(!toJson(readMachine()).contains("available_memory_bytes"));
    }

    void jsonHasNullForNoLimit()
    {
        Machine machine;
        machine.cpuModel = "x";
        machine.usableCores = 2;
        const auto json = toJson(machine);
        QVERIFY(json["cgroup_cpu_limit"].is_null() && json["memory_limit_bytes"].is_null());
        QCOMPARE(json["usable_cores"].get<int>(), 2);
        machine.cgroupCpuLimit = 1.5;
        QCOMPARE(toJson(machine)["cgroup_cpu_limit"].get<double>(), 1.5);
    }
};

MANTISSA_TEST(TestMachine)
#include "tst_machine.moc"
