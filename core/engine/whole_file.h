// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace mantissa {

/// The content of a data file of at most `limit` bytes; an Error names the file and why it cannot
/// be read.
[[nodiscard]] Result<std::string> readWholeFile(
    const std::filesystem::path& file, std::uint64_t limit = std::uint64_t{1} << 30);

} // namespace mantissa
