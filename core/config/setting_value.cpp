// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/setting_value.h"

#include "core/base/human_text.h"
#include "core/base/number_text.h"

#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

std::string numberText(double value)
{
    auto text = toText(value);
    // TOML tells a float from an integer by its point or exponent.
    if (text.find_first_of(".eE") == std::string::npos)
        text += ".0";
    return text;
}

std::string itemText(std::int64_t item)
{
    return fmt::format("{}", item);
}
std::string itemText(const std::string& item)
{
    return quotedText(item);
}

template <typename Item> std::string listText(const std::vector<Item>& list)
{
    std::string text = "[";
    for (const auto& item : list)
        text += (text.size() > 1 ? ", " : "") + itemText(item);
    return text + "]";
}

std::string boundText(double bound)
{
    if (std::abs(bound) > 1e12 || std::nearbyint(bound) != bound)
        return toText(bound);
    const auto digits = groupedText(static_cast<std::int64_t>(std::abs(bound)));
    return bound < 0 ? fmt::format("-{}", digits) : digits;
}

} // namespace

std::string quotedText(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (byte < 0x20 || byte == 0x7F)
            out += fmt::format("\\u{:04X}", byte);
        else
            out += c;
    }
    return out + "\"";
}

std::string toTomlText(const SettingValue& value)
{
    struct Writer {
        std::string operator()(Unset) const { return {}; }
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
        std::string operator()(double v) const { return numberText(v); }
        std::string operator()(const std::string& v) const { return quotedText(v); }
        std::string operator()(const std::vector<std::int64_t>& v) const { return listText(v); }
        std::string operator()(const std::vector<std::string>& v) const { return listText(v); }
    };
    return std::visit(Writer{}, value);
}

std::string_view typeName(ValueType type)
{
    switch (type) {
    case ValueType::Bool:
        return "true or false";
    case ValueType::Integer:
        return "a whole number";
    case ValueType::Number:
        return "a number";
    case ValueType::Text:
        return "text in quotes";
    case ValueType::Choice:
        return "one of the words allowed, in quotes";
    case ValueType::IntegerList:
        return "a list of whole numbers, as [128, 64]";
    case ValueType::TextList:
        return "a list of texts in quotes, as [\"fc1\", \"fc2\"]";
    }
    return "";
}

bool NumberRange::contains(double value) const
{
    if (!std::isfinite(value))
        return false;
    if (low && (lowOpen ? value <= *low : value < *low))
        return false;
    return !high || (highOpen ? value < *high : value <= *high);
}

std::string NumberRange::text() const
{
    if (low && high && !lowOpen && !highOpen)
        return fmt::format("{} to {}", boundText(*low), boundText(*high));
    std::string text;
    if (low)
        text = lowOpen ? "above " + boundText(*low) : boundText(*low) + " or more";
    if (high) {
        if (!text.empty())
            text += ", ";
        text += (highOpen ? "below " : "up to ") + boundText(*high);
    }
    return text.empty() ? "any finite number" : text;
}

} // namespace mantissa
