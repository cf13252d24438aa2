// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/check_timer.h"

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <time.h>

namespace mantissa {

namespace {

constexpr int kTests = 5;

/// A clock that no correction of the system time bends.
double rawMilliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double medianOf(std::array<double, kTests> values)
{
    std::sort(values.begin(), values.end());
    return values[kTests / 2];
}

class CpuTimer : public CheckTimer {
public:
    double milliseconds(const std::function<void()>& work) override
    {
        const auto begin = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count();
    }

    ClockTest test() override
    {
        constexpr double kLength = 5;
        std::array<double, kTests> measured{};
        for (auto& time : measured) {
            time = milliseconds([] {
                const double end = rawMilliseconds() + kLength;
                while (rawMilliseconds() < end) { }
            });
        }
        return {kLength, medianOf(measured)};
    }
};

class CudaTimer : public CheckTimer {
public:
    CudaTimer(const cuda::PluginApi& api, cuda::Telemetry* telemetry, at::Device device)
        : m_api(api)
        , m_telemetry(telemetry)
        , m_device(device)
    {
    }
    ~CudaTimer() override { m_api.telemetryDestroy(m_telemetry); }
    CudaTimer(const CudaTimer&) = delete;
    CudaTimer& operator=(const CudaTimer&) = delete;

    double milliseconds(const std::function<void()>& work) override
    {
        check(m_api.stepBegin(m_telemetry, ++m_count));
        work();
        check(m_api.stepEnd(m_telemetry, nullptr, 0));
        cuda::StepResult result{};
        check(m_api.take(m_telemetry, &result, 1));
        return result.milliseconds;
    }

    ClockTest test() override
    {
        const auto a = at::rand({2048, 2048}, at::TensorOptions(m_device));
        const auto work = [&a] {
            for (int i = 0; i < 40; ++i)
                at::matmul(a, a);
        };
        work();
        std::array<double, kTests> byClock{};
        std::array<double, kTests> byEvents{};
        for (std::size_t i = 0; i < kTests; ++i) {
            synchronize();
            const double begin = rawMilliseconds();
            byEvents[i] = milliseconds(work);
            synchronize();
            byClock[i] = rawMilliseconds() - begin;
        }
        return {medianOf(byClock), medianOf(byEvents)};
    }

private:
    void check(int code) const
    {
        if (code != cuda::kCudaOk)
            throw std::runtime_error(m_api.lastError());
    }
    void synchronize() const { at::accelerator::synchronizeDevice(m_device.index()); }

    const cuda::PluginApi& m_api;
    cuda::Telemetry* m_telemetry;
    at::Device m_device;
    std::int64_t m_count = 0;
};

} // namespace

Result<std::unique_ptr<CheckTimer>> CheckTimer::create(c10::Device device, const CudaPlugin& plugin)
{
    if (device.is_cpu())
        return std::make_unique<CpuTimer>();
    auto* telemetry = plugin.api->telemetryCreate(device.index(), 2);
    if (!telemetry)
        return fail(plugin.api->lastError());
    return std::make_unique<CudaTimer>(*plugin.api, telemetry, device);
}

} // namespace mantissa
