// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/model_probe.h"

#include "core/engine/precision_setup.h"
#include "core/engine/step_record.h"
#include "core/engine/trainer.h"

#include <algorithm>
#include <chrono>

namespace mantissa {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kWarmUp = 3; ///< steps; the first makes optimizer state and caches
constexpr std::int64_t kMostSteps = 60;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Steps within the time; warm-up ends early where a step takes a good part of it.
Result<std::vector<StepRecord>> train(Trainer& trainer, const ModelProbeOptions& options)
{
    std::vector<StepRecord> records;
    const auto begin = Clock::now();
    const auto most = options.steps > 0 ? options.steps : kWarmUp + kMostSteps;
    for (std::int64_t step = 1; step <= most; ++step) {
        if (auto trained = trainer.step(); !trained)
            return tl::unexpected(trained.error());
        const bool measured = step > kWarmUp || secondsSince(begin) > options.seconds / 2;
        // The second step is the first that holds everything.
        if (step >= 2 && measured && secondsSince(begin) > options.seconds && options.steps == 0)
            break;
    }
    if (auto collected = trainer.collect(true, records); !collected)
        return tl::unexpected(collected.error());
    return records;
}

std::vector<double> afterWarmUp(const std::vector<StepRecord>& records, double StepRecord::*field)
{
    const auto skipped = std::min<std::size_t>(kWarmUp, records.size() - 1);
    std::vector<double> values;
    for (std::size_t i = skipped; i < records.size(); ++i)
        values.push_back(records[i].*field);
    return values;
}

/// Steps that the run will make, as far as its settings tell.
double stepsOfRun(const Variant& variant, std::int64_t scheduled)
{
    const auto limit = variant.settings.run.maxSteps;
    return static_cast<double>(limit > 0 ? std::min(limit, scheduled) : scheduled);
}

void fill(ModelProbe& probe, const Variant& variant, Trainer& trainer,
    const std::vector<StepRecord>& records)
{
    const auto times = afterWarmUp(records, &StepRecord::stepMs);
    probe.steps = static_cast<std::int64_t>(times.size());
    probe.stepMs = quartiles(times).value_or(Quartiles{});
    const auto& settings = variant.settings;
    const auto samples = static_cast<double>(settings.data.batchSize * settings.train.accumulate);
    if (probe.stepMs.median > 0)
        probe.samplesPerSecond = samples * 1000.0 / probe.stepMs.median;
    const auto waits = quartiles(afterWarmUp(records, &StepRecord::dataWaitMs));
    probe.runSeconds = stepsOfRun(variant, trainer.scheduledSteps())
        * (probe.stepMs.median + (waits ? waits->median : 0.0)) / 1000.0;
    if (settings.run.maxSeconds > 0)
        probe.runSeconds = std::min(probe.runSeconds, settings.run.maxSeconds);
    for (std::size_t i = 1; i < records.size(); ++i)
        probe.peakMemoryBytes = std::max(probe.peakMemoryBytes, records[i].peakMemoryBytes);
    probe.peakMemoryBytes += trainer.bytesStillToCome();
}

} // namespace

ModelProbe probeModel(
    const Variant& variant, const CudaPlugin& plugin, const ModelProbeOptions& options)
{
    ModelProbe probe;
    probe.variant = variant.name;
    probe.precision = variant.precision;
    probe.key = predictionKey(variant);
    probe.batchSize = variant.settings.data.batchSize;
    if (const auto device = chooseDevice(variant.settings.device.kind, plugin))
        probe.device = device->str();
    Trainer::Options trainerOptions;
    trainerOptions.probe = false;
    auto trainer = Trainer::create(variant, plugin, Clock::now(), trainerOptions);
    if (!trainer) {
        probe.reason = trainer.error().reason;
        return probe;
    }
    probe.trainSamples = (*trainer)->trainSamples();
    const auto records = train(**trainer, options);
    if (!records) {
        probe.reason = records.error().message;
        return probe;
    }
    fill(probe, variant, **trainer, *records);
    // What a step does, for the roofline; the search for a batch size has no use for it.
    if (options.steps == 0) {
        if (const auto profile = (*trainer)->profile({1, {}})) {
            probe.flops = profile->flops();
            probe.bytes = profile->bytes();
        }
    }
    if (const auto memory = (*trainer)->memoryByRole()) {
        probe.predicted = memory->predicted;
        probe.measured = memory->measured;
        probe.measured.workspace = std::max(0.0, probe.peakMemoryBytes - probe.measured.sum());
    }
    return probe;
}

} // namespace mantissa
