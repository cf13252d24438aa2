// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/storage/run_store.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mantissa {

/// A comparison report of stored runs as one self-contained HTML file: inline SVG and CSS, no
/// script, nothing loaded from elsewhere, every text escaped. The first run (of the first variant
/// in plan order) is the baseline. Any thread that owns `store`.
[[nodiscard]] Result<std::string> renderHtmlReport(
    const RunStore& store, const std::vector<std::int64_t>& runs);

/// Renders and writes; folders are made, an older file is replaced only when the new one is
/// complete.
[[nodiscard]] Result<void> writeHtmlReport(const RunStore& store,
    const std::vector<std::int64_t>& runs, const std::filesystem::path& file);

} // namespace mantissa
