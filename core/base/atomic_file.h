// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace mantissa {

/// Of the temporary file that writeAtomically() leaves behind when it is killed.
inline constexpr const char* kUnfinishedExtension = ".part";

/// Writes `parts`, one after the other, so that `file` holds either what it held before or all of
/// them, also if the machine stops in between: a temporary file beside it, fsync, rename, fsync of
/// the folder. Folders that are missing are made. Any thread; an Error names the file and why.
[[nodiscard]] Result<void> writeAtomically(
    const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& parts);

} // namespace mantissa
