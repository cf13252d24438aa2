// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/options.h"
#include "core/config/config_io.h"
#include "core/run/batch_fit.h"

#include <optional>
#include <string>
#include <vector>

/// What several commands with an experiment file share. What is wrong is told on stderr.
namespace mantissa::cli {

/// The overrides that --set gives; nothing if one is not of the form PATH=VALUE.
std::optional<std::vector<ConfigOverride>> overridesOf(const std::vector<std::string>& sets);

/// Leaves only the variants asked for with --variant, all for none; false if one is unknown.
bool selectVariants(ExperimentConfig& config, const std::vector<std::string>& names);

/// Tells a trial of the search for a batch: stderr, not with --quiet.
void noteTrial(const GlobalOptions& global, const std::string& variant, const FitTrial& trial);

} // namespace mantissa::cli
