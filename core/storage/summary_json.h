// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/run_summary.h"

#include <nlohmann/json_fwd.hpp>

namespace mantissa {

/// A summary as stored and exported: CLI.md's keys, absent where not measured. Any thread.
nlohmann::json summaryToJson(const RunSummary& summary);
/// The inverse; what is absent or ill-typed stays absent.
RunSummary summaryFromJson(const nlohmann::json& json);

} // namespace mantissa
