// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/machine.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sched.h>

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
            // Kernels before 6.2 do not know amx_fp16 and so do not list it.
            if (name != "amx_fp16")
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

QTEST_GUILESS_MAIN(TestMachine)
#include "tst_machine.moc"
