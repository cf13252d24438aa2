// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/model_probe_host.h"

#include "core/base/unix_time.h"
#include "core/config/config_io.h"
#include "core/run/worker_query.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr std::chrono::minutes kProbeTimeout{30};
constexpr std::int64_t kTrialSteps = 2; ///< the second holds everything

/// The experiment's variants, then its shared settings in each precision that they lack.
std::vector<Variant> variantsToProbe(const ExperimentConfig& config)
{
    auto variants = config.variants;
    for (const auto precision :
        {Precision::Fp32, Precision::Tf32, Precision::Bf16, Precision::Fp16}) {
        const bool has = std::any_of(variants.begin(), variants.end(),
            [precision](const Variant& variant) { return variant.precision == precision; });
        if (has)
            continue;
        Variant extra;
        extra.name = toString(precision);
        extra.precision = precision;
        extra.settings = config.settings;
        variants.push_back(std::move(extra));
    }
    return variants;
}

void addFactors(ModelCheck& check)
{
    const auto baseline =
        std::find_if(check.probes.begin(), check.probes.end(), [](const ModelProbe& probe) {
            return probe.precision == Precision::Fp32 && probe.reason.empty();
        });
    if (baseline == check.probes.end())
        return;
    const double fp32 = baseline->stepMs.median;
    for (auto& probe : check.probes) {
        if (probe.reason.empty() && fp32 > 0)
            probe.factor = probe.stepMs.median / fp32;
    }
}

/// How LibTorch, the system's allocator and the kernel word it.
bool isOutOfMemory(const std::string& words)
{
    constexpr std::array<std::string_view, 6> kWords{"out of memory", "not enough memory",
        "can't allocate memory", "bad_alloc", "Cannot allocate memory", "SIGKILL"};
    return std::any_of(kWords.begin(), kWords.end(),
        [&words](std::string_view part) { return words.find(part) != std::string::npos; });
}

} // namespace

Result<ModelProbe> askModelProbe(const WorkerProgram& worker, const Variant& variant,
    const ProbeRequest& request, std::stop_token stop)
{
    WorkerQuery query;
    query.worker = worker;
    query.worker.arguments = {"probe", "--seconds", fmt::format("{}", request.seconds), "--steps",
        fmt::format("{}", request.steps), "--memory", fmt::format("{:.0f}", request.memoryBytes)};
    query.input = variantToJson(variant).dump();
    query.timeout = kProbeTimeout;
    query.stop = std::move(stop);
    return queryWorker(query).and_then(modelProbeFromJson);
}

Result<ModelCheck> runModelCheck(const WorkerProgram& worker, const ExperimentConfig& config,
    const std::function<void(const ModelProbe& probe, int done, int total)>& measured,
    std::stop_token stop)
{
    ModelCheck check;
    check.experiment = config.name;
    check.device = config.settings.device.kind;
    check.measuredMs = unixMs();
    const auto variants = variantsToProbe(config);
    for (const auto& variant : variants) {
        auto probe = askModelProbe(worker, variant, {}, stop);
        if (!probe && stop.stop_requested())
            return tl::unexpected(probe.error());
        if (!probe) {
            // A worker that broke off says so of its precision; the others are measured all the
            // same.
            ModelProbe failed;
            failed.variant = variant.name;
            failed.precision = variant.precision;
            failed.key = predictionKey(variant);
            failed.reason = probe.error().message;
            probe = std::move(failed);
        }
        if (!probe->device.empty())
            check.device = probe->device;
        check.probes.push_back(std::move(*probe));
        measured(check.probes.back(), static_cast<int>(check.probes.size()),
            static_cast<int>(variants.size()));
    }
    addFactors(check);
    return check;
}

Result<BatchFit> fitVariant(const WorkerProgram& worker, const Variant& variant, double limitBytes,
    const std::function<void(const FitTrial&)>& tried, std::stop_token stop)
{
    auto small = variant;
    small.settings.data.batchSize = std::min<std::int64_t>(variant.settings.data.batchSize, 8);
    const auto first = askModelProbe(worker, small, {0, kTrialSteps, limitBytes}, stop);
    if (!first)
        return tl::unexpected(first.error());
    if (!first->reason.empty())
        return fail(first->reason);
    const auto most =
        first->trainSamples / std::max<std::int64_t>(1, variant.settings.train.accumulate);
    const auto trial = [&](std::int64_t batch, bool verify) -> Result<std::optional<double>> {
        if (batch == first->batchSize && !verify) {
            tried({batch, first->peakMemoryBytes});
            return std::optional(first->peakMemoryBytes);
        }
        auto sized = variant;
        sized.settings.data.batchSize = batch;
        const auto probe = askModelProbe(
            worker, sized, {0, verify ? kTrialSteps + 3 : kTrialSteps, limitBytes}, stop);
        std::optional<double> peak;
        if (probe && probe->reason.empty())
            peak = probe->peakMemoryBytes;
        const auto words = probe ? probe->reason : probe.error().message;
        if (!peak && !isOutOfMemory(words))
            return fail(fmt::format("batch {}: {}", batch, words));
        tried({batch, peak});
        return peak;
    };
    return fitBatch(
        limitBytes, std::min<std::int64_t>(variant.settings.data.batchSize, 8), most, trial);
}

} // namespace mantissa
