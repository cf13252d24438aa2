// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/toml_value.h"

namespace mantissa {

namespace {

RawValue rawFromTexts(const toml::array& array)
{
    std::vector<std::string> list;
    for (const auto& item : array) {
        const auto* text = item.as_string();
        if (!text)
            return {std::nullopt, "a list of texts and other things"};
        list.push_back(text->get());
    }
    return {SettingValue(std::move(list)), "a list of texts"};
}

RawValue rawFromArray(const toml::array& array)
{
    if (!array.empty() && array.front().is_string())
        return rawFromTexts(array);
    std::vector<std::int64_t> list;
    for (const auto& item : array) {
        const auto* number = item.as_integer();
        if (!number)
            return {std::nullopt, "a list with other things than whole numbers"};
        list.push_back(number->get());
    }
    return {SettingValue(std::move(list)), "a list"};
}

/// Nothing if `text` is not exactly one TOML value.
std::optional<RawValue> rawFromToml(std::string_view text)
{
    if (text.find('\n') != std::string_view::npos)
        return std::nullopt;
    try {
        const auto table = toml::parse("v = " + std::string(text));
        const auto* node = table.get("v");
        if (!node || table.size() != 1)
            return std::nullopt;
        return rawFromNode(*node);
    } catch (const toml::parse_error&) {
        return std::nullopt;
    }
}

} // namespace

RawValue rawFromNode(const toml::node& node)
{
    if (const auto* v = node.as_boolean())
        return {SettingValue(v->get()), "true or false"};
    if (const auto* v = node.as_integer())
        return {SettingValue(v->get()), "a whole number"};
    if (const auto* v = node.as_floating_point())
        return {SettingValue(v->get()), "a number with a fraction"};
    if (const auto* v = node.as_string())
        return {SettingValue(v->get()), "text"};
    if (const auto* v = node.as_array())
        return rawFromArray(*v);
    return {std::nullopt, node.is_table() ? "a table" : "a date or time"};
}

RawValue rawFromText(const KeySpec& spec, std::string_view text)
{
    const bool isWord = spec.type == ValueType::Text || spec.type == ValueType::Choice;
    const bool isQuoted = text.starts_with('"') || text.starts_with('\'');
    if (!isWord || isQuoted) {
        if (auto raw = rawFromToml(text))
            return *raw;
    }
    if (isQuoted && !text.empty())
        return {std::nullopt, "an unfinished quoted text"};
    return {SettingValue(std::string(text)), text.empty() ? "nothing" : "text"};
}

} // namespace mantissa
