// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The value of one key, whatever its type. Any thread; nothing here throws.
namespace mantissa {

enum class ValueType { Bool, Integer, Number, Text, Choice, IntegerList, TextList };

/// Unset is only a value of keys that may be left out without a default (`scaler.min_scale`).
struct Unset {
    bool operator==(const Unset&) const = default;
};

/// Text and Choice are strings; the alternative always fits the key's ValueType.
using SettingValue = std::variant<Unset, bool, std::int64_t, double, std::string,
    std::vector<std::int64_t>, std::vector<std::string>>;

/// The value as TOML text on one line: `true`, `64`, `0.001`, `"cnn"`, `[128, 64]`, `["head"]`;
/// empty if unset. Reads back to the same value.
std::string toTomlText(const SettingValue& value);

/// `text` as a quoted TOML string on one line.
std::string quotedText(std::string_view text);

/// What the value is, for messages: "a whole number", "text", ...
std::string_view typeName(ValueType type);

/// Bounds of a number; an absent end is unbounded. NaN and infinities never fit.
struct NumberRange {
    std::optional<double> low;
    std::optional<double> high;
    bool lowOpen = false; ///< true: `low` itself is not allowed
    bool highOpen = false; ///< true: `high` itself is not allowed

    bool contains(double value) const;
    /// "1 to 65,536", "above 0, below 1", "0 or more".
    std::string text() const;
};

} // namespace mantissa
