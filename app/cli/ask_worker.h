// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mantissa::cli {

/// The worker's answer to a question (see core/run/worker_query.h), from the worker and the
/// LibTorch that the environment names.
[[nodiscard]] Result<nlohmann::json> ask(const std::vector<std::string>& arguments);

} // namespace mantissa::cli
