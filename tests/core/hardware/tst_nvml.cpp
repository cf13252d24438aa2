// SPDX-License-Identifier: GPL-3.0-or-later
// Against a fake library: what it holds must come out as it is, and what it refuses in words.
#include "core/hardware/nvml.h"
#include "core/hardware/system_monitor.h"
#include "tests/support/fake_nvml/fake_nvml.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <memory>

using namespace mantissa;
using namespace mantissa::test;

namespace {

/// "" if `json` holds `expected` under its keys, else what differs.
std::string difference(const nlohmann::json& json, const nlohmann::json& expected)
{
    for (const auto& [key, value] : expected.items()) {
        if (!json.contains(key) || json[key] != value)
            return key + " of " + json.dump();
    }
    return {};
}

} // namespace

class TestNvml : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_fake = std::make_unique<FakeNvml>(); }
    void cleanup() { m_fake.reset(); }

    void theLibraryIsTheDriversUnlessTold()
    {
        qunsetenv("MANTISSA_NVML");
        QCOMPARE(nvmlLibrary().string(), std::string("libnvidia-ml.so.1"));
        qputenv("MANTISSA_NVML", "other.so");
        QCOMPARE(nvmlLibrary().string(), std::string("other.so"));
        qunsetenv("MANTISSA_NVML");
    }

    void anAbsentLibraryIsSaid()
    {
        const auto nvml = Nvml::open("no-such-libnvidia-ml.so.1");
        QVERIFY(!nvml);
        QVERIFY2(nvml.error().message.starts_with("absent (no-such-libnvidia-ml.so.1: "),
            nvml.error().message.c_str());
    }

    void aLibraryThatIsTooOldIsSaid()
    {
        const auto nvml = Nvml::open(MANTISSA_FAKE_NVML_ANCIENT);
        QVERIFY(!nvml);
        QCOMPARE(nvml.error().message, std::string("too old (it has no nvmlInit_v2)"));
    }

    void aDriverThatRefusesIsSaid_data()
    {
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("words");
        QTest::newRow("no driver") << 9 << "not usable (the NVIDIA driver is not loaded)";
        QTest::newRow("permission") << 4 << "not usable (no permission)";
        QTest::newRow("update") << 18
                                << "not usable (driver and library are of different versions, as "
                                   "after an update: restart)";
        QTest::newRow("unknown") << 999 << "not usable (NVML error 999)";
    }

    void aDriverThatRefusesIsSaid()
    {
        QFETCH(int, code);
        QFETCH(QString, words);
        m_fake->state["init"] = code;
        m_fake->write();
        const auto nvml = Nvml::open(MANTISSA_FAKE_NVML);
        QVERIFY(!nvml);
        QCOMPARE(QString::fromStdString(nvml.error().message), words);
        QCOMPARE(m_fake->log(), std::string("init\n")); // nothing to shut down
    }

    void whatIsOpenedIsShutDownOnce()
    {
        {
            auto nvml = Nvml::open(MANTISSA_FAKE_NVML);
            const auto moved = std::move(*nvml);
            QCOMPARE(m_fake->log(), std::string("init\n"));
        }
        QCOMPARE(m_fake->log(), std::string("init\nshutdown\n"));
    }

    void factsAreWhatTheLibraryHolds()
    {
        const auto nvml = Nvml::open(MANTISSA_FAKE_NVML);
        const nlohmann::json expected{{"name", "Fake H200"}, {"uuid", "GPU-two"},
            {"driver", "580.65.06"}, {"cuda_driver", "13.0"}, {"compute_major", 9},
            {"compute_minor", 0}, {"board_memory_bytes", 150754820096}, {"max_sm_mhz", 1980},
            {"max_memory_mhz", 3201}, {"power_limit_w", 700.5}, {"ecc", true}, {"mig", false},
            {"persistence", true}, {"pcie_generation", 1}, {"pcie_width", 8},
            {"pcie_max_generation", 5}, {"pcie_max_width", 16}};
        const auto facts = nvml->facts(nvml->find("00000000:C1:00.0").value());
        QCOMPARE(facts.dump(), expected.dump());
    }

    void eachFactThatIsRefusedSaysWhy()
    {
        auto& gpu = m_fake->gpu(0);
        gpu.erase("ecc");
        gpu["uuid"] = {{"error", 4}};
        gpu["power_limit_mw"] = {{"error", 15}};
        gpu["memory"] = {{"error", 17}};
        m_fake->state["driver"] = {{"error", 999}};
        m_fake->write();
        const auto nvml = Nvml::open(MANTISSA_FAKE_NVML);
        const auto facts = nvml->facts(nvml->find("0000:17:00.0").value());
        const nlohmann::json absent{{"ecc", "not supported by this GPU"}, {"uuid", "no permission"},
            {"power_limit_w", "the GPU is lost: it no longer answers"},
            {"board_memory_bytes", "blocked by the operating system"},
            {"driver", "NVML error 999"}};
        QCOMPARE(facts["absent"].dump(), absent.dump());
        for (const auto& [key, reason] : absent.items())
            QVERIFY2(!facts.contains(key), key.c_str());
        QCOMPARE(difference(facts, {{"max_sm_mhz", 1980}, {"mig", false}}), std::string());
    }

    void anOlderDriversFunctionsAreUsed()
    {
        m_fake->gpu(0)["reasons"] = 0x24;
        m_fake->write();
        const auto nvml = Nvml::open(MANTISSA_FAKE_NVML_OLD);
        QVERIFY(nvml);
        const auto gpu = nvml->find("0000:17:00.0").value();
        const auto facts = nvml->facts(gpu);
        QCOMPARE(difference(facts, {{"cuda_driver", "13.0"}, {"uuid", "GPU-one"}}), std::string());
        QCOMPARE(facts["absent"].dump(),
            nlohmann::json({{"mig", "the driver is too old: its NVML has no nvmlDeviceGetMigMode"}})
                .dump());
        const auto reading = nvml->read(gpu);
        QCOMPARE(reading.throttleReasons, std::optional(std::uint64_t{0x24}));
        QVERIFY(!reading.energyJ);
    }

    void busIds_data()
    {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("expected");
        QTest::newRow("CUDA") << "0000:c1:00.0"
                              << "00000000:C1:00.0";
        QTest::newRow("CUDA, upper case") << "0000:C1:00.0"
                                          << "00000000:C1:00.0";
        QTest::newRow("NVML") << "00000000:C1:00.0"
                              << "00000000:C1:00.0";
        QTest::newRow("a wide domain") << "10000:01:0a.1"
                                       << "00010000:01:0A.1";
        for (const auto* wrong :
            {"", "c1:00.0", "0000:c1:00", "0000:c1:00.0x", "0000:c1.00:0", "GPU-1"})
            QTest::newRow(wrong) << wrong << "";
    }

    void busIds()
    {
        QFETCH(QString, given);
        QFETCH(QString, expected);
        const auto id = pciBusIdForNvml(given.toStdString());
        QCOMPARE(QString::fromStdString(id.value_or("")), expected);
    }

    /// CUDA_VISIBLE_DEVICES=1 makes the second card CUDA's cuda:0: only the bus tells.
    void aGpuIsFoundByItsBusNotByItsPlace()
    {
        auto nvml = Nvml::open(MANTISSA_FAKE_NVML);
        const auto second = nvml->facts(nvml->find("0000:c1:00.0").value());
        QVERIFY(second["uuid"] == "GPU-two");
        std::swap(m_fake->gpu(0), m_fake->gpu(1));
        m_fake->write();
        QVERIFY(nvml->facts(nvml->find("0000:c1:00.0").value())["uuid"] == "GPU-two");
        const auto none = nvml->find("0000:05:00.0");
        QVERIFY(!none);
        QCOMPARE(none.error().message, std::string("no such GPU, or not visible here"));
        m_fake->gpu(0)["handle"] = 4;
        m_fake->write();
        QCOMPARE(nvml->find("0000:c1:00.0").error().message, std::string("no permission"));
        QVERIFY(!nvml->find("cuda:0"));
    }

    void readingsAreThoseOfTheMoment()
    {
        const auto nvml = Nvml::open(MANTISSA_FAKE_NVML);
        const auto gpu = nvml->find("0000:17:00.0").value();
        const auto reading = nvml->read(gpu);
        QCOMPARE(reading.utilisationPercent, std::optional(97.0));
        QCOMPARE(reading.memoryUsedBytes, std::optional(1234567168.0));
        QCOMPARE(reading.powerW, std::optional(345.678));
        QCOMPARE(reading.temperatureC, std::optional(61.0));
        QCOMPARE(reading.smMhz, std::optional(1755.0));
        QCOMPARE(reading.memoryMhz, std::optional(3200.0));
        QCOMPARE(reading.throttleReasons, std::optional(std::uint64_t{0}));
        QCOMPARE(reading.energyJ, std::optional(5000000000.5));
        m_fake->gpu(0)["power_mw"] = 50000;
        m_fake->gpu(0)["temperature"] = {{"error", 15}};
        // In MIG mode a card tells no utilisation.
        m_fake->gpu(0)["mig"] = {1, 1};
        m_fake->gpu(0).erase("utilisation");
        m_fake->write();
        const auto later = nvml->read(gpu);
        QCOMPARE(later.powerW, std::optional(50.0));
        QVERIFY(!later.temperatureC && !later.utilisationPercent);
        QVERIFY(nvml->facts(gpu)["mig"] == true);
    }

    void reasonsSayWhatSlowsTraining()
    {
        std::uint64_t slow = 0;
        std::uint64_t all = 0;
        for (const auto& reason : throttleReasons()) {
            QVERIFY(!reason.words.empty());
            QVERIFY((all & reason.bit) == 0);
            all |= reason.bit;
            slow |= reason.slowsTraining ? reason.bit : 0;
        }
        // Power cap, hardware slowdown, thermal by software and hardware, power brake.
        QCOMPARE(slow, std::uint64_t{0x04 | 0x08 | 0x20 | 0x40 | 0x80});
        QCOMPARE(all, std::uint64_t{0x1ff});
    }

    void aCardHasCudasValuesBeforeNvmls()
    {
        nlohmann::json facts{{"gpu", {{"name", "By CUDA"}, {"total_bytes", 5}}}};
        addNvmlFacts(facts, "0000:c1:00.0", MANTISSA_FAKE_NVML);
        QCOMPARE(difference(facts["gpu"],
                     {{"name", "By CUDA"}, {"total_bytes", 5}, {"uuid", "GPU-two"},
                         {"driver", "580.65.06"}}),
            std::string());
        QVERIFY(!facts.contains("nvml"));
    }

    void aCardWithoutNvmlSaysWhy()
    {
        nlohmann::json facts{{"gpu", {{"name", "By CUDA"}}}};
        addNvmlFacts(facts, "0000:c1:00.0", "no-such-libnvidia-ml.so.1");
        QCOMPARE(facts["gpu"].dump(), std::string("{\"name\":\"By CUDA\"}"));
        QVERIFY(facts["nvml"].get<std::string>().starts_with("absent ("));
        addNvmlFacts(facts, "0000:05:00.0", MANTISSA_FAKE_NVML);
        QVERIFY(facts["nvml"] == "no such GPU, or not visible here");
    }

    void theMonitorReadsTheGpusThatAreWatched()
    {
        SystemMonitor monitor("/", {}, 0, MANTISSA_FAKE_NVML);
        QVERIFY(monitor.sample(0).gpus.empty());
        monitor.watchGpus({});
        QVERIFY(monitor.sample(1).gpus.empty());
        QCOMPARE(m_fake->log(), std::string()); // nobody asked: not opened
        monitor.watchGpus({"0000:c1:00.0", "0000:05:00.0"});
        const auto first = monitor.sample(2).gpus;
        QCOMPARE(first.size(), std::size_t{1});
        QCOMPARE(first.at("0000:c1:00.0").energyJ, std::optional(0.0));
        QCOMPARE(first.at("0000:c1:00.0").powerW, std::optional(345.678));
        m_fake->gpu(1)["energy_mj"] = 5000000002750;
        m_fake->write();
        monitor.watchGpus({"0000:17:00.0"});
        QCOMPARE(monitor.sample(3).gpus.count("0000:c1:00.0"), std::size_t{0});
        monitor.watchGpus({"0000:c1:00.0"});
        QCOMPARE(monitor.sample(4).gpus.at("0000:c1:00.0").energyJ, std::optional(2.25));
        QCOMPARE(m_fake->log(), std::string("init\n"));
    }

    void withoutNvmlTheMonitorGoesOn()
    {
        SystemMonitor monitor("/", {}, 0, "no-such-libnvidia-ml.so.1");
        monitor.watchGpus({"0000:c1:00.0"});
        const auto reading = monitor.sample(0);
        QVERIFY(reading.gpus.empty());
        QVERIFY(reading.availableMemoryBytes);
    }

    void aGpuThatIsLostTellsNothing()
    {
        SystemMonitor monitor("/", {}, 0, MANTISSA_FAKE_NVML);
        monitor.watchGpus({"0000:17:00.0"});
        QVERIFY(monitor.sample(0).gpus.at("0000:17:00.0").powerW);
        for (const auto* key : {"utilisation", "memory", "power_mw", "temperature", "sm", "mem",
                 "reasons", "energy_mj"})
            m_fake->gpu(0)[key] = {{"error", 15}};
        m_fake->write();
        const auto lost = monitor.sample(1).gpus.at("0000:17:00.0");
        QVERIFY(!lost.utilisationPercent && !lost.memoryUsedBytes && !lost.powerW);
        QVERIFY(!lost.temperatureC && !lost.smMhz && !lost.memoryMhz && !lost.energyJ);
        QVERIFY(!lost.throttleReasons);
    }

private:
    std::unique_ptr<FakeNvml> m_fake;
};

MANTISSA_TEST(TestNvml)
#include "tst_nvml.moc"
