// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/run_store.h"

#include <string>
#include <vector>

namespace mantissa::cli {

/// Runs as a text table: what a comparison gave (`run`), or what the store holds (`list`).
std::string runTable(const std::vector<RunRecord>& runs);
std::string listTable(const std::vector<RunRecord>& runs);

} // namespace mantissa::cli
