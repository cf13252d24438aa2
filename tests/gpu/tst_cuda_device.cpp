// SPDX-License-Identifier: GPL-3.0-or-later
// The plug-in on a real card. Skipped as a whole where there is none (tests/allowed_skips).
#include "core/engine/bias_gelu.h"
#include "core/engine/cuda_plugin.h"
#include "core/hardware/system_monitor.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sys/resource.h>
#include <vector>

using namespace mantissa;

namespace {

at::Tensor onDevice(double value, at::ScalarType type)
{
    return at::full({}, value, at::TensorOptions().device(at::kCUDA).dtype(type));
}

double cpuMilliseconds(const rusage& usage)
{
    return 1e3 * static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

} // namespace

class TestCudaDevice : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void torchSeesTheSameDevices();
    void factsArePlausible();
    void theMonitorReadsTheCard();
    void peakMemoryIsThatOfTheLargestMoment();
    void stepsArriveInOrderWithTheirValues();
    void nonFiniteValuesArrive();
    void aFullRingSaysSo();
    void stepTimeGrowsWithTheWork();
    void theFusedOperatorGivesTheCpusNumbers();

private:
    CudaPlugin m_plugin;
};

void TestCudaDevice::initTestCase()
{
    m_plugin = openCudaPlugin(MANTISSA_BINARY_DIR "/bin/libmantissa_cuda.so");
    if (!m_plugin.usable()) {
        QSKIP(m_plugin.message.c_str());
    }
}

void TestCudaDevice::torchSeesTheSameDevices()
{
    QVERIFY(at::hasCUDA());
    QCOMPARE(static_cast<int>(at::zeros({3}, at::kCUDA).device().index()), 0);
}

void TestCudaDevice::factsArePlausible()
{
    cuda::DeviceFacts facts{};
    QCOMPARE(m_plugin.api->deviceFacts(0, &facts), cuda::kCudaOk);
    QVERIFY(facts.name[0] != '\0');
    QVERIFY(facts.computeMajor >= 7);
    QVERIFY(facts.multiprocessors > 0);
    QVERIFY(facts.l2Bytes >= std::uint64_t{512} << 10 && facts.l2Bytes < std::uint64_t{1} << 30);
    QVERIFY(facts.totalBytes > std::uint64_t{1} << 30);
    QVERIFY(facts.freeBytes <= facts.totalBytes);
    QVERIFY(facts.pciBusId[0] != '\0');
    QVERIFY(m_plugin.api->deviceFacts(m_plugin.deviceCount, &facts) == cuda::kCudaFailed);
    QVERIFY(*m_plugin.api->lastError() != '\0');
}

/// NVML finds the card by the bus id that CUDA gives, and costs little: every 200 ms at most 0.5 %
/// of a core, 1 ms a sample. The median, because other programs disturb single ones.
void TestCudaDevice::theMonitorReadsTheCard()
{
    cuda::DeviceFacts facts{};
    QCOMPARE(m_plugin.api->deviceFacts(0, &facts), cuda::kCudaOk);
    SystemMonitor monitor;
    monitor.watchGpus({facts.pciBusId});
    const auto gpus = monitor.sample(0).gpus;
    QCOMPARE(gpus.size(), std::size_t{1});
    const auto& gpu = gpus.at(facts.pciBusId);
    QVERIFY(gpu.memoryUsedBytes.value() > 0);
    QVERIFY(gpu.memoryUsedBytes.value() <= 1.1 * static_cast<double>(facts.totalBytes));
    QVERIFY(gpu.powerW.value() > 1 && gpu.powerW.value() < 3000);
    QVERIFY(gpu.temperatureC.value() > 5 && gpu.temperatureC.value() < 120);
    QVERIFY(gpu.smMhz.value() > 50 && gpu.memoryMhz.value() > 50);
    QVERIFY(gpu.throttleReasons);
    std::vector<double> costs;
    for (int i = 0; i < 21; ++i) {
        rusage before{};
        rusage after{};
        ::getrusage(RUSAGE_THREAD, &before);
        monitor.sample(i + 1);
        ::getrusage(RUSAGE_THREAD, &after);
        costs.push_back(cpuMilliseconds(after) - cpuMilliseconds(before));
    }
    std::ranges::nth_element(costs, costs.begin() + 10);
    qInfo("%.3f ms of CPU time a sample", costs[10]);
    QVERIFY(costs[10] < 1);
}

void TestCudaDevice::peakMemoryIsThatOfTheLargestMoment()
{
    cuda::MemoryFigures before{};
    QCOMPARE(m_plugin.api->resetPeak(0), cuda::kCudaOk);
    QCOMPARE(m_plugin.api->memory(0, &before), cuda::kCudaOk);
    constexpr std::uint64_t kBytes = 64 << 20;
    {
        const at::Tensor block = at::zeros({static_cast<std::int64_t>(kBytes / 4)}, at::kCUDA);
    }
    cuda::MemoryFigures after{};
    QCOMPARE(m_plugin.api->memory(0, &after), cuda::kCudaOk);
    QCOMPARE(after.allocated, before.allocated);
    QCOMPARE(after.peakAllocated - before.allocated, kBytes);
    QVERIFY(after.reserved >= kBytes);
}

void TestCudaDevice::stepsArriveInOrderWithTheirValues()
{
    cuda::Telemetry* telemetry = m_plugin.api->telemetryCreate(0, 4);
    QVERIFY2(telemetry != nullptr, m_plugin.api->lastError());
    std::int64_t next = 0;
    cuda::StepResult result{};
    const auto check = [&] {
        QCOMPARE(result.step, next);
        QCOMPARE(result.count, 4U);
        QCOMPARE(result.values[0], static_cast<double>(next) + 0.5);
        QCOMPARE(result.values[1], static_cast<double>(next) / 3);
        QCOMPARE(result.values[2], static_cast<double>(-next));
        QCOMPARE(result.values[3], static_cast<double>(next << 40));
        ++next;
    };
    for (std::int64_t step = 0; step < 100; ++step) {
        int code = m_plugin.api->stepBegin(telemetry, step);
        if (code == cuda::kCudaFull) {
            QCOMPARE(m_plugin.api->take(telemetry, &result, 1), cuda::kCudaOk);
            check();
            code = m_plugin.api->stepBegin(telemetry, step);
        }
        QCOMPARE(code, cuda::kCudaOk);
        const double value = static_cast<double>(step);
        const at::Tensor numbers[] = {onDevice(value + 0.5, at::kFloat),
            onDevice(value / 3, at::kDouble), onDevice(-value, at::kInt),
            onDevice(std::ldexp(value, 40), at::kLong)};
        const cuda::DeviceScalar scalars[] = {
            {numbers[0].const_data_ptr(), cuda::ScalarKind::Float32},
            {numbers[1].const_data_ptr(), cuda::ScalarKind::Float64},
            {numbers[2].const_data_ptr(), cuda::ScalarKind::Int32},
            {numbers[3].const_data_ptr(), cuda::ScalarKind::Int64}};
        QCOMPARE(m_plugin.api->stepEnd(telemetry, scalars, 4), cuda::kCudaOk);
    }
    while (m_plugin.api->take(telemetry, &result, 1) == cuda::kCudaOk) {
        check();
    }
    QCOMPARE(next, std::int64_t{100});
    m_plugin.api->telemetryDestroy(telemetry);
}

void TestCudaDevice::nonFiniteValuesArrive()
{
    cuda::Telemetry* telemetry = m_plugin.api->telemetryCreate(0, 1);
    const at::Tensor nan = onDevice(std::nan(""), at::kFloat);
    const at::Tensor inf = onDevice(-std::numeric_limits<double>::infinity(), at::kFloat);
    const cuda::DeviceScalar scalars[] = {{nan.const_data_ptr(), cuda::ScalarKind::Float32},
        {inf.const_data_ptr(), cuda::ScalarKind::Float32}};
    QCOMPARE(m_plugin.api->stepBegin(telemetry, 1), cuda::kCudaOk);
    QCOMPARE(m_plugin.api->stepEnd(telemetry, scalars, 2), cuda::kCudaOk);
    cuda::StepResult result{};
    QCOMPARE(m_plugin.api->take(telemetry, &result, 1), cuda::kCudaOk);
    QVERIFY(std::isnan(result.values[0]));
    QVERIFY(std::isinf(result.values[1]) && result.values[1] < 0);
    m_plugin.api->telemetryDestroy(telemetry);
}

void TestCudaDevice::aFullRingSaysSo()
{
    cuda::Telemetry* telemetry = m_plugin.api->telemetryCreate(0, 2);
    QCOMPARE(m_plugin.api->stepEnd(telemetry, nullptr, 0), cuda::kCudaFailed); // nothing was begun
    for (int step = 0; step < 2; ++step) {
        QCOMPARE(m_plugin.api->stepBegin(telemetry, step), cuda::kCudaOk);
        QCOMPARE(m_plugin.api->stepEnd(telemetry, nullptr, 0), cuda::kCudaOk);
    }
    QCOMPARE(m_plugin.api->stepBegin(telemetry, 2), cuda::kCudaFull);
    cuda::StepResult result{};
    QCOMPARE(m_plugin.api->take(telemetry, &result, 1), cuda::kCudaOk);
    QCOMPARE(result.step, std::int64_t{0});
    QCOMPARE(m_plugin.api->stepBegin(telemetry, 2), cuda::kCudaOk);
    m_plugin.api->telemetryDestroy(telemetry);
}

// A ratio of two times of one run, not a time: 64 multiplications take longer than one.
void TestCudaDevice::stepTimeGrowsWithTheWork()
{
    cuda::Telemetry* telemetry = m_plugin.api->telemetryCreate(0, 4);
    at::Tensor a = at::full({1024, 1024}, 1e-3, at::kCUDA);
    double milliseconds[2] = {};
    for (const int round : {0, 0, 1}) { // the first one warms up
        QCOMPARE(m_plugin.api->stepBegin(telemetry, round), cuda::kCudaOk);
        for (int i = 0; i < (round == 0 ? 1 : 64); ++i) {
            a = at::matmul(a, a);
        }
        QCOMPARE(m_plugin.api->stepEnd(telemetry, nullptr, 0), cuda::kCudaOk);
        cuda::StepResult result{};
        QCOMPARE(m_plugin.api->take(telemetry, &result, 1), cuda::kCudaOk);
        milliseconds[round] = result.milliseconds;
    }
    QVERIFY(milliseconds[0] > 0);
    QVERIFY(milliseconds[1] > 4 * milliseconds[0]);
    m_plugin.api->telemetryDestroy(telemetry);
}

/// mantissa::bias_gelu: the plug-in's kernels against the CPU's in fp32, forward and backward.
void TestCudaDevice::theFusedOperatorGivesTheCpusNumbers()
{
    at::manual_seed(3);
    for (const auto type : {at::kFloat, at::kHalf, at::kBFloat16}) {
        const auto x = (at::randn({37, 65}) * 3).to(type);
        const auto b = at::randn({65}).to(type);
        const auto input = x.to(at::kCUDA).set_requires_grad(true);
        const auto bias = b.to(at::kCUDA).set_requires_grad(true);
        const auto output = biasGelu(input, bias);
        output.sum().backward();
        const auto input32 = x.to(at::kFloat).set_requires_grad(true);
        const auto bias32 = b.to(at::kFloat).set_requires_grad(true);
        const auto output32 = biasGelu(input32, bias32);
        output32.sum().backward();
        const double tolerance = type == at::kFloat ? 1e-5 : type == at::kHalf ? 2e-3 : 1.6e-2;
        const auto near = [&](const at::Tensor& here, const at::Tensor& there) {
            return at::allclose(here.to(at::kCPU, at::kFloat), there, tolerance, tolerance);
        };
        QVERIFY(output.scalar_type() == type);
        QVERIFY(near(output.detach(), output32.detach()));
        QVERIFY(near(input.grad(), input32.grad()));
    }
}

MANTISSA_TEST(TestCudaDevice)
#include "tst_cuda_device.moc"
