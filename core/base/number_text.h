// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mantissa {

/// Numbers as text and JSON, the same in every locale. Any thread; nothing here throws.

/// Shortest decimal text that reads back to the same double; "NaN", "Infinity", "-Infinity".
std::string toText(double value);

/// The whole of `text` as a double (also "NaN", "Infinity", "-Infinity", "inf", "nan"), else
/// nothing.
std::optional<double> parseDouble(std::string_view text);

/// The whole of `text` as a decimal integer, else nothing.
std::optional<std::int64_t> parseInt(std::string_view text);

/// A JSON number, or one of the strings "NaN", "Infinity", "-Infinity" (JSON has no such numbers).
nlohmann::json numberToJson(double value);

/// The inverse of numberToJson(); nothing if `value` is neither a number nor one of the strings.
std::optional<double> numberFromJson(const nlohmann::json& value);

} // namespace mantissa
