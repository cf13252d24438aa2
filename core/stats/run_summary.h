// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mantissa {

/// Lower quartile, median, upper quartile (linear interpolation between order statistics, numpy's
/// default). Nothing for no values. Non-finite values are left out.
struct Quartiles {
    double lower = 0;
    double median = 0;
    double upper = 0;
};
std::optional<Quartiles> quartiles(std::vector<double> values);

/// Whether each step is warm-up: the first 10 steps of each block. `blockStarts` are the blocks'
/// first steps (1-based, ascending); if empty, step 1 starts the only block.
std::vector<bool> warmUpSteps(std::size_t stepCount, std::span<const std::int64_t> blockStarts);

/// The step series a summary is made from; each may be shorter than the others (a cut-off run).
struct SummaryInput {
    std::span<const double> loss, stepMs, samplesPerSecond, peakMemoryBytes, scale, foundInf;
    std::span<const double> metric; ///< validation values in step order
    std::span<const std::int64_t> blockStarts;
    bool usesScaler = false;
};

/// The figures of CLI.md ("Summary figures"). What was not measured is absent, never 0.
struct RunSummary {
    std::optional<double> finalLoss; ///< last step's loss; may be non-finite
    std::optional<double> finalMetric; ///< last validation metric
    std::optional<Quartiles> stepMs; ///< after warm-up
    std::optional<double> samplesPerSecond; ///< median after warm-up
    std::optional<double> peakMemoryBytes; ///< largest after the first step
    std::optional<double> finalScale; ///< scale used in the last step; absent without a scaler
    std::int64_t nonFiniteLosses = 0;
    std::int64_t stepsMeasured = 0; ///< steps behind the medians
};

RunSummary summarize(const SummaryInput& input);

} // namespace mantissa
