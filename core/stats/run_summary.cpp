// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/run_summary.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

namespace {

constexpr std::int64_t kWarmUpStepsOfABlock = 10;

double quantileOfSorted(const std::vector<double>& sorted, double share)
{
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    const double fraction = position - static_cast<double>(below);
    return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

std::vector<double> withoutWarmUp(std::span<const double> values, const std::vector<bool>& warmUp)
{
    std::vector<double> kept;
    kept.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!warmUp[i] && std::isfinite(values[i]))
            kept.push_back(values[i]);
    }
    return kept;
}

std::optional<double> lastOf(std::span<const double> values)
{
    if (values.empty())
        return std::nullopt;
    return values.back();
}

/// The first step is left out: it allocates what later steps reuse.
std::optional<double> largestAfterTheFirst(std::span<const double> values)
{
    std::optional<double> largest;
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (std::isfinite(values[i]) && (!largest || values[i] > *largest))
            largest = values[i];
    }
    return largest;
}

} // namespace

std::optional<Quartiles> quartiles(std::vector<double> values)
{
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    return Quartiles{quantileOfSorted(values, 0.25), quantileOfSorted(values, 0.5),
        quantileOfSorted(values, 0.75)};
}

std::vector<bool> warmUpSteps(std::size_t stepCount, std::span<const std::int64_t> blockStarts)
{
    std::vector<bool> warmUp(stepCount, false);
    const auto markBlock = [&](std::int64_t firstStep) {
        for (auto step = std::max<std::int64_t>(firstStep, 1);
             step < firstStep + kWarmUpStepsOfABlock; ++step) {
            if (static_cast<std::size_t>(step) <= stepCount)
                warmUp[static_cast<std::size_t>(step) - 1] = true;
        }
    };
    if (blockStarts.empty())
        markBlock(1);
    for (const auto start : blockStarts)
        markBlock(start);
    return warmUp;
}

RunSummary summarize(const SummaryInput& input)
{
    const auto steps = std::max(input.stepMs.size(), input.samplesPerSecond.size());
    const auto warmUp = warmUpSteps(steps, input.blockStarts);
    auto stepMs = withoutWarmUp(input.stepMs, warmUp);

    RunSummary summary;
    summary.finalLoss = lastOf(input.loss);
    summary.finalMetric = lastOf(input.metric);
    summary.stepsMeasured = static_cast<std::int64_t>(stepMs.size());
    summary.stepMs = quartiles(std::move(stepMs));
    if (const auto rate = quartiles(withoutWarmUp(input.samplesPerSecond, warmUp)))
        summary.samplesPerSecond = rate->median;
    summary.peakMemoryBytes = largestAfterTheFirst(input.peakMemoryBytes);
    if (input.usesScaler)
        summary.finalScale = lastOf(input.scale);
    summary.nonFiniteLosses = std::count_if(
        input.loss.begin(), input.loss.end(), [](double value) { return !std::isfinite(value); });
    return summary;
}

} // namespace mantissa
