// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/config_io.h"

#include <optional>
#include <string>
#include <vector>

/// Arguments that several commands with an experiment file have. What is wrong is told on stderr.
namespace mantissa::cli {

/// The overrides that --set gives; nothing if one is not of the form PATH=VALUE.
std::optional<std::vector<ConfigOverride>> overridesOf(const std::vector<std::string>& sets);

/// Leaves only the variants asked for with --variant, all for none; false if one is unknown.
bool selectVariants(ExperimentConfig& config, const std::vector<std::string>& names);

} // namespace mantissa::cli
