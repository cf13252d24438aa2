// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <set>
#include <string>
#include <vector>

/// What answers about an experiment depend on: one for which this differs is of other settings.
namespace mantissa::ui {

using Basis = std::vector<std::string>;

/// Of the predictions: the variants, and the shared settings in the precisions that none of them
/// has.
Basis measureBasis(const ExperimentConfig& config);
/// Of the largest batches: not the batch size.
Basis fitBasis(const ExperimentConfig& config);

/// predictionKey() of each.
std::set<std::string> keysOf(const std::vector<Variant>& variants);

} // namespace mantissa::ui
