// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/options.h"
#include "core/storage/run_store.h"

#include <memory>

namespace mantissa::cli {

/// The store for reading, or nothing with the reason told (exit code kStoreUnusable). A store that
/// does not exist yet is an error too: reading creates no file.
std::unique_ptr<RunStore> openToRead(const GlobalOptions& global);
/// The store for changes, or nothing with the reason told.
std::unique_ptr<RunStore> openToChange(const GlobalOptions& global);

/// Run ids of subjects as typed: "12", or "comparison:3" for all of its runs. Nothing, with the
/// reason told, if one is unknown or no number.
std::optional<std::vector<std::int64_t>> resolveRuns(
    const RunStore& store, const std::vector<std::string>& subjects);

} // namespace mantissa::cli
