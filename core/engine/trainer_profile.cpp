// SPDX-License-Identifier: GPL-3.0-or-later
// A look at where the time of a Trainer's steps goes.
#include "core/config/config_io.h"
#include "core/engine/call_recorder.h"
#include "core/engine/trainer_private.h"
#include "core/stats/run_summary.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <algorithm>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Microseconds from call to call of an operator that has one number to add: what starting one
/// costs. The fastest of some rounds, for the others were disturbed.
double launchMicroseconds(at::Device device)
{
    constexpr int kRounds = 8;
    constexpr int kCalls = 200;
    const at::NoGradGuard noGrad;
    const auto one = at::ones({1}, at::TensorOptions(device));
    double fastest = 0;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = Clock::now();
        for (int i = 0; i < kCalls; ++i)
            at::add(one, one);
        const double each = secondsSince(begin) / kCalls * 1e6;
        fastest = round == 0 ? each : std::min(fastest, each);
    }
    return fastest;
}

/// A meter out of the way of LibTorch's profiler.
class SuspendedMeter {
public:
    explicit SuspendedMeter(MemoryMeter& meter)
        : m_meter(meter)
    {
        m_meter.suspend();
    }
    ~SuspendedMeter() { m_meter.resume(); }
    SuspendedMeter(const SuspendedMeter&) = delete;
    SuspendedMeter& operator=(const SuspendedMeter&) = delete;

private:
    MemoryMeter& m_meter;
};

double medianOf(const std::vector<StepRecord>& records, double StepRecord::*figure)
{
    std::vector<double> values;
    for (const auto& record : records)
        values.push_back(record.*figure);
    const auto found = quartiles(std::move(values));
    return found ? found->median : 0;
}

} // namespace

/// At least `fewest` and at most `most` steps, for about `seconds`.
Result<std::vector<StepRecord>> Trainer::Private::trainFor(
    std::int64_t fewest, std::int64_t most, double seconds)
{
    std::vector<StepRecord> records;
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < most && (i < fewest || secondsSince(begin) < seconds); ++i) {
        if (auto trained = step(); !trained)
            return tl::unexpected(trained.error());
    }
    if (auto collected = collect(true, records); !collected)
        return tl::unexpected(collected.error());
    return records;
}

Result<StepProfile> Trainer::Private::profile(const ProfileOptions& wanted)
{
    constexpr double kWarmUpSeconds = 2;
    constexpr double kTimedSeconds = 3;
    constexpr double kWindowSeconds = 10;
    if (auto warm = trainFor(2, 20, kWarmUpSeconds); !warm)
        return tl::unexpected(warm.error());
    const auto timed = trainFor(3, 200, kTimedSeconds);
    if (!timed)
        return tl::unexpected(timed.error());
    const double launchUs = launchMicroseconds(device);
    const auto most = std::clamp<std::int64_t>(wanted.steps, 1, kMostProfiledSteps);
    const auto window = [&]() -> Result<void> {
        return trainFor(1, most, kWindowSeconds).map([](const auto&) {});
    };
    const SuspendedMeter suspended(meter);
    const auto calls = recordCalls(window, device.is_cuda(), wanted.trace);
    if (!calls)
        return tl::unexpected(calls.error());
    auto profile = profileOf(*calls, device.is_cuda());
    profile.variant = variant.name;
    profile.precision = toString(variant.precision);
    profile.device = device.str();
    profile.threads = at::get_num_threads();
    profile.samplesPerStep = samplesPerStep();
    profile.stepMs = medianOf(*timed, &StepRecord::stepMs);
    profile.dataWaitMs = medianOf(*timed, &StepRecord::dataWaitMs);
    profile.timedSteps = std::ssize(*timed);
    profile.launchUs = launchUs;
    profile.tf32 = variant.precision == Precision::Tf32;
    return profile;
}

} // namespace mantissa
