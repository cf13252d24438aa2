// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/memory_match.h"

#include "core/base/human_text.h"
#include "core/config/config_io.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr const char* kBatchKey = "data.batch_size";

void setBatch(Variant& variant, std::int64_t batch)
{
    variant.settings.data.batchSize = batch;
    const auto text = std::to_string(batch);
    for (auto& [path, value] : variant.overrides) {
        if (path == kBatchKey) {
            value = text;
            return;
        }
    }
    variant.overrides.emplace_back(kBatchKey, text);
}

Result<MatchedVariant> peakOf(
    const WorkerProgram& worker, const Variant& variant, const std::stop_token& stop)
{
    constexpr std::int64_t kSteps = 5; // two hold everything, three verify: as a fit's last trial
    const auto probe = askModelProbe(worker, variant, {0, kSteps, 0}, stop);
    if (!probe)
        return tl::unexpected(probe.error());
    if (!probe->reason.empty())
        return fail(fmt::format("{}: {}", variant.name, probe->reason));
    return MatchedVariant{variant.name, variant.precision, variant.settings.data.batchSize,
        probe->peakMemoryBytes, true, false, 1};
}

} // namespace

Result<MemoryMatch> matchMemory(const WorkerProgram& worker, const ExperimentConfig& config,
    const std::function<void(const std::string& variant, const FitTrial&)>& tried,
    std::stop_token stop)
{
    MemoryMatch match{config, {}};
    auto& variants = match.config.variants;
    auto first = std::ranges::find(variants, Precision::Fp32, &Variant::precision);
    if (first == variants.end())
        first = variants.begin();
    const auto baseline = peakOf(worker, *first, stop);
    if (!baseline)
        return tl::unexpected(baseline.error());
    tried(first->name, {baseline->batch, baseline->peakBytes});
    for (auto& variant : variants) {
        if (&variant == &*first) {
            match.variants.push_back(*baseline);
            continue;
        }
        const auto fit = fitVariant(
            worker, variant, baseline->peakBytes,
            [&](const FitTrial& trial) { tried(variant.name, trial); }, stop);
        if (!fit)
            return tl::unexpected(fit.error());
        if (fit->batch == 0)
            return fail(fmt::format("{}: not even one sample fits into {}, the peak of {}",
                variant.name, bytesText(baseline->peakBytes), first->name));
        setBatch(variant, fit->batch);
        match.variants.push_back(
            {variant.name, variant.precision, fit->batch, fit->peakBytes, false, fit->limitedByData,
                static_cast<double>(fit->batch) / static_cast<double>(baseline->batch)});
    }
    const auto checked = checkExperiment(match.config);
    if (!checked.ok())
        return fail(checked.problems.front().text());
    match.config = *checked.config;
    return match;
}

} // namespace mantissa
