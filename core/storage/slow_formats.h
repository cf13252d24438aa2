// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/capability_store.h"

#include <string>
#include <vector>

namespace mantissa {

/// What to tell before an experiment starts: a sentence for each variant whose format was measured
/// over 3x slower than fp32 on this machine, with the factor, the expected time where it is known,
/// and what is faster. From the newest check of this very model, else from the newest hardware
/// check (`checks`, newest first, of the machine `host`). Pure, any thread.
std::vector<std::string> slowFormatWarnings(const ExperimentConfig& config,
    const std::vector<ModelCheck>& models, const std::vector<StoredCheck>& checks,
    const std::string& host);

/// The same from a store file; empty where there is none or it cannot be read.
std::vector<std::string> slowFormatWarnings(
    const ExperimentConfig& config, const std::filesystem::path& store);

} // namespace mantissa
