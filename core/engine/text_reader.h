// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// A text as numbers: one token per character (Unicode code point).
struct TokenText {
    std::vector<std::uint16_t> tokens; ///< indices into `vocabulary`
    std::u32string vocabulary; ///< the characters that occur, by code point
};

/// Splits UTF-8 text into characters. An Error names the line of a byte that is no UTF-8, or says
/// that there are over 65,536 different characters.
[[nodiscard]] Result<TokenText> tokenize(std::string_view text, const std::string& name);

/// Reads a whole UTF-8 file; a byte-order mark is left out. At most 1 GiB. Any thread.
[[nodiscard]] Result<TokenText> readTextFile(const std::filesystem::path& file);

/// A vocabulary as UTF-8.
std::string toUtf8(std::u32string_view characters);

} // namespace mantissa
