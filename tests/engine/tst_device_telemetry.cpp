// SPDX-License-Identifier: GPL-3.0-or-later
// The asynchronous telemetry against a plug-in made of plain memory: numbers "arrive" when the test
// says so, as they do on a GPU.
#include "core/engine/device_telemetry.h"
#include "tests/support/test_program.h"

#include <ATen/ops/full.h>

#include <QTest>
#include <deque>

using namespace mantissa;

namespace mantissa::cuda {

/// One step between stepBegin() and take().
struct Telemetry {
    std::uint32_t slots = 0;
    bool begun = false;
    std::int64_t step = 0;
    std::deque<StepResult> inFlight;
    std::size_t arrived = 0; ///< how many of inFlight may be taken without waiting
};

} // namespace mantissa::cuda

namespace {

cuda::Telemetry* theTelemetry = nullptr;
bool deviceFault = false;

double read(const cuda::DeviceScalar& scalar)
{
    switch (scalar.kind) {
    case cuda::ScalarKind::Float32:
        return double(*static_cast<const float*>(scalar.data));
    case cuda::ScalarKind::Float64:
        return *static_cast<const double*>(scalar.data);
    case cuda::ScalarKind::Int32:
        return *static_cast<const std::int32_t*>(scalar.data);
    case cuda::ScalarKind::Int64:
        return static_cast<double>(*static_cast<const std::int64_t*>(scalar.data));
    }
    return 0;
}

cuda::Telemetry* create(int, std::uint32_t slots)
{
    theTelemetry = new cuda::Telemetry{slots, false, 0, {}, 0};
    return theTelemetry;
}

void destroy(cuda::Telemetry* telemetry)
{
    delete telemetry;
}

int begin(cuda::Telemetry* telemetry, std::int64_t step)
{
    if (telemetry->inFlight.size() >= telemetry->slots)
        return cuda::kCudaFull;
    telemetry->begun = true;
    telemetry->step = step;
    return cuda::kCudaOk;
}

int end(cuda::Telemetry* telemetry, const cuda::DeviceScalar* scalars, std::uint32_t count)
{
    if (!telemetry->begun)
        return cuda::kCudaFailed;
    telemetry->begun = false;
    cuda::StepResult result{telemetry->step, 2.0, count, {}};
    for (std::uint32_t i = 0; i < count; ++i)
        result.values[i] = read(scalars[i]);
    telemetry->inFlight.push_back(result);
    return cuda::kCudaOk;
}

int take(cuda::Telemetry* telemetry, cuda::StepResult* result, int wait)
{
    if (deviceFault)
        return cuda::kCudaFailed;
    if (telemetry->inFlight.empty() || (wait == 0 && telemetry->arrived == 0))
        return cuda::kCudaPending;
    *result = telemetry->inFlight.front();
    telemetry->inFlight.pop_front();
    telemetry->arrived -= telemetry->arrived > 0 ? 1 : 0;
    return cuda::kCudaOk;
}

cuda::PluginApi fakeApi()
{
    cuda::PluginApi api{};
    api.version = cuda::kPluginVersion;
    api.lastError = [] { return "an illegal memory access was encountered"; };
    api.telemetryCreate = create;
    api.telemetryDestroy = destroy;
    api.stepBegin = begin;
    api.stepEnd = end;
    api.take = take;
    return api;
}

DeviceStepValues valuesOf(int step)
{
    DeviceStepValues values;
    values.loss = at::full({}, 100.0 + step);
    values.gradNorm = at::full({}, 200.0 + step);
    values.scale = at::full({}, 300.0 + step);
    values.newScale = at::full({}, 400.0 + step);
    values.growthTracker = at::full({}, step, at::kInt);
    values.foundInf = at::full({}, step % 2);
    return values;
}

} // namespace

class TestDeviceTelemetry : public QObject {
    Q_OBJECT

private:
    cuda::PluginApi m_api = fakeApi();

    std::unique_ptr<DeviceTelemetry> make()
    {
        auto telemetry = DeviceTelemetry::create(m_api, 0);
        return telemetry ? std::move(*telemetry) : nullptr;
    }

    static void step(DeviceTelemetry& telemetry, int number)
    {
        QVERIFY(telemetry.begin(number).has_value());
        StepRecord record;
        record.step = number;
        record.lr = 0.5;
        QVERIFY(telemetry.end(record, 64, valuesOf(number)).has_value());
    }

private Q_SLOTS:
    void init() { deviceFault = false; }

    void recordsComeWhenTheNumbersHaveArrived()
    {
        const auto telemetry = make();
        std::vector<StepRecord> records;
        for (int number = 1; number <= 3; ++number)
            step(*telemetry, number);
        QVERIFY(telemetry->collect(false, records).has_value());
        QVERIFY(records.empty());
        theTelemetry->arrived = 2;
        QVERIFY(telemetry->collect(false, records).has_value());
        QCOMPARE(records.size(), std::size_t{2});
        QVERIFY(telemetry->collect(true, records).has_value());
        QCOMPARE(records.size(), std::size_t{3});
        for (int number = 1; number <= 3; ++number) {
            const auto& record = records[static_cast<std::size_t>(number - 1)];
            QCOMPARE(record.step, std::int64_t{number});
            QCOMPARE(record.loss, 100.0 + number);
            QCOMPARE(record.gradNorm, 200.0 + number);
            QCOMPARE(record.scale, 300.0 + number);
            QCOMPARE(record.newScale, 400.0 + number);
            QCOMPARE(record.growthTracker, double(number));
            QCOMPARE(record.foundInf, double(number % 2));
            QCOMPARE(record.lr, 0.5); // the host's own stays
            QCOMPARE(record.stepMs, 2.0);
            QCOMPARE(record.samplesPerSecond, 32'000.0);
        }
    }

    // The host was ready after 1.76 ms, the device after 15.82: only the latter may be compared.
    void case74_theDevicesTimeCountsNotTheHosts()
    {
        const auto telemetry = make();
        QVERIFY(telemetry->begin(1).has_value());
        StepRecord asTheHostSawIt;
        asTheHostSawIt.step = 1;
        asTheHostSawIt.stepMs = 1.76;
        asTheHostSawIt.samplesPerSecond = 64 / 1.76e-3;
        QVERIFY(telemetry->end(asTheHostSawIt, 64, valuesOf(1)).has_value());
        theTelemetry->inFlight.back().milliseconds = 15.82;
        std::vector<StepRecord> records;
        QVERIFY(telemetry->collect(false, records).has_value());
        QVERIFY(records.empty()); // nothing is told before the device is ready
        QVERIFY(telemetry->collect(true, records).has_value());
        QCOMPARE(records.at(0).stepMs, 15.82);
        QCOMPARE(records.at(0).samplesPerSecond, 64 / 15.82e-3);
    }

    void aFullRingWaitsAndLosesNothing()
    {
        const auto telemetry = make();
        const int count = static_cast<int>(theTelemetry->slots) + 20;
        for (int number = 1; number <= count; ++number)
            step(*telemetry, number);
        std::vector<StepRecord> records;
        QVERIFY(telemetry->collect(true, records).has_value());
        QCOMPARE(records.size(), static_cast<std::size_t>(count));
        for (int number = 1; number <= count; ++number)
            QCOMPARE(records[static_cast<std::size_t>(number - 1)].loss, 100.0 + number);
    }

    void aDeviceFaultIsAnErrorInTheDriversWords()
    {
        const auto telemetry = make();
        step(*telemetry, 1);
        deviceFault = true;
        std::vector<StepRecord> records;
        const auto collected = telemetry->collect(true, records);
        QVERIFY(!collected.has_value());
        QVERIFY(collected.error().message.find("illegal memory access") != std::string::npos);
    }
};

MANTISSA_TEST(TestDeviceTelemetry)
#include "tst_device_telemetry.moc"
