// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string_view>

namespace mantissa {

/// Writes a file as a whole: folders are made, and an older file is replaced only when the new one
/// is complete.
[[nodiscard]] Result<void> writeTextFile(const std::filesystem::path& file, std::string_view text);

} // namespace mantissa
