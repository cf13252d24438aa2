// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace mantissa {

/// Looks at a file before SQLite does: an Error for one that is no SQLite database or that has lost
/// its end (SQLite would tell only when it reads there). No file and an empty file are fine.
[[nodiscard]] Result<void> checkStoreHeader(const std::filesystem::path& file);

} // namespace mantissa
