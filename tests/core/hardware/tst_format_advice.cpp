// SPDX-License-Identifier: GPL-3.0-or-later
// Classes and advice for devices that are not here, by the published table of tensor-core formats.
#include "core/hardware/format_advice.h"
#include "core/hardware/gpu_table.h"
#include "tests/core/hardware/sample_card.h"
#include "tests/support/test_program.h"

#include <QTest>

using namespace mantissa;
using namespace mantissa::test;

namespace {

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

const Advice* find(const std::vector<Advice>& list, const char* headline)
{
    for (const auto& advice : list) {
        if (advice.headline == headline)
            return &advice;
    }
    return nullptr;
}

} // namespace

class TestFormatAdvice : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knowsWhatEachGpuComputesIn_data()
    {
        QTest::addColumn<int>("major");
        QTest::addColumn<int>("minor");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("fp16");
        QTest::addColumn<bool>("bf16AndTf32");
        QTest::newRow("6.1") << 6 << 1 << "NVIDIA GeForce GTX 1080 Ti" << false << false;
        QTest::newRow("7.0") << 7 << 0 << "Tesla V100-SXM2-16GB" << true << false;
        QTest::newRow("7.5 T4") << 7 << 5 << "Tesla T4" << true << false;
        QTest::newRow("7.5 RTX") << 7 << 5 << "NVIDIA GeForce RTX 2080 Ti" << true << false;
        QTest::newRow("7.5 Quadro RTX") << 7 << 5 << "Quadro RTX 8000" << true << false;
        QTest::newRow("8.0") << 8 << 0 << "NVIDIA A100-SXM4-80GB" << true << true;
        QTest::newRow("8.6") << 8 << 6 << "NVIDIA GeForce RTX 3090" << true << true;
        QTest::newRow("8.9") << 8 << 9 << "NVIDIA L4" << true << true;
        QTest::newRow("9.0") << 9 << 0 << "NVIDIA H200" << true << true;
        QTest::newRow("10.0") << 10 << 0 << "NVIDIA B200" << true << true;
        QTest::newRow("12.0") << 12 << 0 << "NVIDIA GeForce RTX 5090" << true << true;
    }

    void knowsWhatEachGpuComputesIn()
    {
        QFETCH(int, major);
        QFETCH(int, minor);
        QFETCH(QString, name);
        QFETCH(bool, fp16);
        QFETCH(bool, bf16AndTf32);
        const auto gpu = gpuModel(major, minor, name.toStdString());
        QCOMPARE(gpuComputesIn(CheckFormat::Fp16, gpu), fp16);
        QCOMPARE(gpuComputesIn(CheckFormat::Bf16, gpu), bf16AndTf32);
        QCOMPARE(gpuComputesIn(CheckFormat::Tf32, gpu), bf16AndTf32);
        QVERIFY(gpuComputesIn(CheckFormat::Fp32, gpu));
    }

    void case63_computeCapability75WithoutTensorCores_data()
    {
        QTest::addColumn<QString>("name");
        for (const auto* name : {"NVIDIA GeForce GTX 1650", "NVIDIA GeForce GTX 1660 SUPER",
                 "NVIDIA GeForce MX450", "NVIDIA T600", "NVIDIA T1000 8GB", "NVIDIA T400 4GB"})
            QTest::newRow(name) << name;
    }

    void case63_computeCapability75WithoutTensorCores()
    {
        QFETCH(QString, name);
        QVERIFY(!gpuModel(7, 5, name.toStdString()).tensorCores);
        // fp16 runs at twice fp32's rate there but without tensor cores: what is measured decides.
        const auto slow = adviceFor(gpuCard(qPrintable(name), 7, 5, 0, 4, 1.05));
        QCOMPARE(slow.front().headline, std::string("Use fp32."));
        QVERIFY(!slow.front().againstRule);
        const auto fast = adviceFor(gpuCard(qPrintable(name), 7, 5, 0, 4, 0.6));
        QCOMPARE(fast.front().headline, std::string("Use fp16."));
        QVERIFY(fast.front().againstRule);
        QVERIFY(contains(fast.front().reason, "Measured against the rule"));
    }

    void advises_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("major");
        QTest::addColumn<int>("minor");
        QTest::addColumn<double>("bf16");
        QTest::addColumn<double>("fp16");
        QTest::addColumn<QString>("headline");
        QTest::addColumn<bool>("against");
        QTest::newRow("6.1") << "GTX 1080" << 6 << 1 << 8.0 << 60.0 << "Use fp32." << false;
        QTest::newRow("6.0, fast fp16")
            << "Tesla P100" << 6 << 0 << 8.0 << 0.6 << "Use fp16." << true;
        QTest::newRow("7.0") << "Tesla V100" << 7 << 0 << 3.0 << 0.2 << "Use fp16." << false;
        QTest::newRow("7.5") << "Tesla T4" << 7 << 5 << 3.0 << 0.3 << "Use fp16." << false;
        QTest::newRow("8.0") << "NVIDIA A100" << 8 << 0 << 0.1 << 0.1 << "Use bf16." << false;
        QTest::newRow("9.0") << "NVIDIA H200" << 9 << 0 << 0.1 << 0.09 << "Use bf16." << false;
        QTest::newRow("12.0") << "RTX 5090" << 12 << 0 << 0.4 << 0.4 << "Use bf16." << false;
        QTest::newRow("8.6, no gain") << "RTX 3050" << 8 << 6 << 1.0 << 1.0 << "Use fp32." << true;
        QTest::newRow("8.6, only fp16 gains")
            << "RTX 3050" << 8 << 6 << 1.3 << 0.5 << "Use fp16." << true;
    }

    void advises()
    {
        QFETCH(QString, name);
        QFETCH(int, major);
        QFETCH(int, minor);
        QFETCH(double, bf16);
        QFETCH(double, fp16);
        QFETCH(QString, headline);
        QFETCH(bool, against);
        const auto list = adviceFor(gpuCard(qPrintable(name), major, minor, 0.5, bf16, fp16));
        QCOMPARE(QString::fromStdString(list.front().headline), headline);
        QCOMPARE(list.front().againstRule, against);
        QVERIFY(contains(list.front().reason, "compute capability"));
    }

    void case62_bf16OnTuringIsEmulation()
    {
        const auto list = adviceFor(gpuCard("Tesla T4", 7, 5, 0, 3.4, 0.3));
        QCOMPARE(list.front().headline, std::string("Use fp16."));
        QVERIFY(contains(list.front().reason, "GradScaler"));
        const auto* avoid = find(list, "Avoid bf16.");
        QVERIFY(avoid);
        QVERIFY2(contains(avoid->reason, "3.40x slower"), avoid->reason.c_str());
        // No convolution for bf16 at all is said, too.
        const auto none = adviceFor(gpuCard("Tesla T4", 7, 5, 0, 0, 0.3));
        const auto* cannot = find(none, "bf16 cannot run here.");
        QVERIFY(cannot);
        QVERIFY(contains(cannot->reason, "not implemented"));
    }

    void case69_aGpuBeforeVoltaGainsNothing()
    {
        const auto list = adviceFor(gpuCard("Tesla K40", 3, 5, 0, 0, 1.4));
        QCOMPARE(list.front().headline, std::string("Use fp32."));
        QVERIFY2(contains(list.front().reason, "no tensor cores"), list.front().reason.c_str());
    }

    void aCpuIsJudgedByFlagsAndMeasurement()
    {
        auto amx = card(0, 0.4, 200);
        amx.facts["machine"]["cpu_flags"] = {"avx512f", "avx512_bf16", "amx_bf16"};
        const auto list = adviceFor(amx);
        QCOMPARE(list.front().headline, std::string("Use bf16."));
        QVERIFY(!list.front().againstRule);
        QVERIFY(contains(list.front().reason, "amx_bf16"));
        QVERIFY(find(list, "Avoid fp16."));
        auto plain = card(0, 50, 60);
        QCOMPARE(adviceFor(plain).front().headline, std::string("Use fp32."));
        plain.facts["machine"]["cpu_flags"] = {"avx512_bf16"};
        QVERIFY(adviceFor(plain).front().againstRule);
    }

    /// As on a CPU with AVX2 only, whose attention kernel computes bf16 through fp32.
    void oneFastKindOfWorkDoesNotMakeAFormatFast()
    {
        auto avx2 = card(0, 77, 76);
        avx2.facts["machine"]["cpu_flags"] = {"avx512_bf16"};
        avx2.cells.push_back(cell(CheckWork::Convolution, CheckFormat::Bf16, 25));
        avx2.cells.push_back(cell(CheckWork::Attention, CheckFormat::Bf16, 0.6));
        const auto list = adviceFor(avx2);
        QCOMPARE(list.front().headline, std::string("Use fp32."));
        QVERIFY(list.front().againstRule);
        const auto* avoid = find(list, "Avoid bf16.");
        QVERIFY(avoid);
        QVERIFY2(contains(avoid->reason, "up to 77x slower"), avoid->reason.c_str());
    }

    void saysWhereTheCheckItselfIsDoubtful()
    {
        auto odd = gpuCard("NVIDIA H200", 9, 0, 0.5, 0.1, 0.1);
        odd.clock = {5.0, 5.6};
        odd.theory.push_back({CheckFormat::Bf16, false, 1100e12, 989e12, "a table"});
        const auto list = adviceFor(odd);
        const auto* table = find(list, "The table is wrong for this device.");
        QVERIFY(table);
        QVERIFY2(contains(table->reason, "111.2 %"), table->reason.c_str());
        QVERIFY(find(list, "The times are doubtful."));
        odd.clock = {5.0, 5.2};
        QVERIFY(!find(adviceFor(odd), "The times are doubtful."));
        QVERIFY(!find(list, "The machine was not free."));
        odd.facts["foreign_load"] = 0.53;
        const auto loaded = adviceFor(odd);
        const auto* load = find(loaded, "The machine was not free.");
        QVERIFY(load);
        QVERIFY2(contains(load->reason, "53.0 %"), load->reason.c_str());
    }

    void publishedPeaks_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("bf16"); // TFLOP/s, 0 = not in the table
        QTest::addColumn<double>("bandwidth"); // GB/s
        QTest::newRow("H200") << "NVIDIA H200" << 989.0 << 4800.0;
        QTest::newRow("H100 SXM") << "NVIDIA H100 80GB HBM3" << 989.0 << 3350.0;
        QTest::newRow("H100 PCIe") << "NVIDIA H100 PCIe" << 756.0 << 2000.0;
        QTest::newRow("A100 40") << "NVIDIA A100-SXM4-40GB" << 312.0 << 1555.0;
        QTest::newRow("A100 80 PCIe") << "NVIDIA A100 80GB PCIe" << 312.0 << 1940.0;
        QTest::newRow("3090") << "NVIDIA GeForce RTX 3090" << 71.0 << 936.0;
        QTest::newRow("L4") << "NVIDIA L4" << 121.0 << 300.0;
        QTest::newRow("L40S") << "NVIDIA L40S" << 362.0 << 864.0;
        QTest::newRow("B200") << "NVIDIA B200" << 2250.0 << 8000.0;
        QTest::newRow("3090 Ti") << "NVIDIA GeForce RTX 3090 Ti" << 0.0 << 0.0;
        QTest::newRow("L40") << "NVIDIA L40" << 0.0 << 0.0;
        QTest::newRow("4090 D") << "NVIDIA GeForce RTX 4090 D" << 0.0 << 0.0;
        QTest::newRow("laptop") << "NVIDIA GeForce RTX 4090 Laptop GPU" << 0.0 << 0.0;
        QTest::newRow("a slice") << "NVIDIA H200 MIG 1g.18gb" << 0.0 << 0.0;
        QTest::newRow("another maker") << "AMD Instinct MI300X" << 0.0 << 0.0;
    }

    void publishedPeaks()
    {
        QFETCH(QString, name);
        QFETCH(double, bf16);
        QFETCH(double, bandwidth);
        const auto peaks = mantissa::publishedPeaks(name.toStdString());
        QCOMPARE(peaks.has_value(), bf16 > 0);
        if (!peaks)
            return;
        QCOMPARE(peaks->of(CheckFormat::Bf16).value(), bf16 * 1e12);
        QCOMPARE(peaks->bandwidth, bandwidth * 1e9);
        QVERIFY(!peaks->source.empty());
    }

    void whatATableLacksIsAbsent()
    {
        const auto v100 = mantissa::publishedPeaks("Tesla V100-SXM2-32GB").value();
        QCOMPARE(v100.of(CheckFormat::Fp16).value(), 125e12);
        QVERIFY(!v100.of(CheckFormat::Bf16));
        QVERIFY(!v100.of(CheckFormat::Fp64));
    }
};

MANTISSA_TEST(TestFormatAdvice)
#include "tst_format_advice.moc"
