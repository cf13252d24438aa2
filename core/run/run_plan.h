// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/run/resume_point.h"

#include <filesystem>
#include <optional>
#include <vector>

/// Which runs a comparison consists of. Pure, any thread.
namespace mantissa {

/// One run of a comparison: a variant in one repetition.
struct PlannedRun {
    int index = 0; ///< position in the plan
    int variantIndex = 0;
    int repetition = 0; ///< 0-based; seed = run.seed + repetition
    Variant variant; ///< settings.run.seed already set to this run's seed
    std::optional<ResumePoint> resume; ///< goes on from there instead of from the first step
    std::filesystem::path checkpointFolder; ///< of its worker's checkpoints; empty = none
};

/// Variants x repetitions, repetition by repetition: with 2 variants A0 B0 A1 B1.
std::vector<PlannedRun> planRuns(const ExperimentConfig& config);

/// Runs of the plan's first repetition, at least 1.
std::size_t runsOfFirstRepetition(const std::vector<PlannedRun>& plan);

} // namespace mantissa
