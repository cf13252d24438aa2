// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/batch_fit.h"
#include "core/run/model_probe_host.h"

#include <string>
#include <vector>

namespace mantissa {

/// The batch that a variant trains with so that it takes no more memory than the baseline.
struct MatchedVariant {
    std::string variant;
    Precision precision = Precision::Fp32;
    std::int64_t batch = 0;
    double peakBytes = 0; ///< measured at that batch
    bool isBaseline = false; ///< keeps its batch; the others are measured against it
    bool limitedByData = false; ///< all samples in one batch: more would fit
    double batchGain = 1; ///< batch / the baseline's
};

struct MemoryMatch {
    ExperimentConfig config; ///< each other variant with a data.batch_size of its own
    std::vector<MatchedVariant> variants; ///< in the experiment's order, the baseline too
};

/// The experiment at equal memory: its first variant in fp32 (without one the first of all) keeps
/// its batch and a few of its steps tell its peak; every other gets the largest batch that stays
/// within that peak, found as fitVariant() does. `tried` is told each trial. Blocks, some seconds a
/// trial; a stop gives the Error "cancelled". An Error names the variant that cannot be matched.
[[nodiscard]] Result<MemoryMatch> matchMemory(const WorkerProgram& worker,
    const ExperimentConfig& config,
    const std::function<void(const std::string& variant, const FitTrial&)>& tried,
    std::stop_token stop = {});

} // namespace mantissa
