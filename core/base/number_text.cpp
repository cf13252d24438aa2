// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace mantissa {

namespace {

template <typename T> std::optional<T> parseWhole(std::string_view text)
{
    T value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end)
        return std::nullopt;
    return value;
}

} // namespace

std::string toText(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "Infinity" : "-Infinity";
    std::array<char, 40> buffer{};
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), written.ptr};
}

std::optional<double> parseDouble(std::string_view text)
{
    if (text == "Infinity")
        return std::numeric_limits<double>::infinity();
    if (text == "-Infinity")
        return -std::numeric_limits<double>::infinity();
    return parseWhole<double>(text);
}

std::optional<std::int64_t> parseInt(std::string_view text)
{
    return parseWhole<std::int64_t>(text);
}

nlohmann::json numberToJson(double value)
{
    if (std::isfinite(value))
        return value;
    return toText(value);
}

std::optional<double> numberFromJson(const nlohmann::json& value)
{
    if (value.is_number())
        return value.get<double>();
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text == "NaN" || text == "Infinity" || text == "-Infinity")
            return parseDouble(text);
    }
    return std::nullopt;
}

} // namespace mantissa
