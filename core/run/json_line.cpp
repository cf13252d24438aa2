// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/json_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mantissa {

namespace {

using Json = nlohmann::json;

/// Longest text of to_chars(double) is 24 characters.
constexpr std::size_t kNumberChars = 32;

bool needsNoEscape(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
        [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

template <typename T> void appendChars(std::string& text, T value)
{
    char buffer[kNumberChars];
    const auto end = std::to_chars(buffer, buffer + kNumberChars, value).ptr;
    text.append(buffer, end);
}

} // namespace

JsonLine::JsonLine(std::string_view type, std::size_t reserveBytes)
{
    m_text.reserve(reserveBytes);
    m_text += "{\"type\":\"";
    m_text += type;
    m_text += '"';
}

JsonLine& JsonLine::add(std::string_view key, std::int64_t value)
{
    addKey(key);
    appendChars(m_text, value);
    return *this;
}

JsonLine& JsonLine::add(std::string_view key, double value)
{
    addKey(key);
    addNumber(value);
    return *this;
}

JsonLine& JsonLine::add(std::string_view key, std::string_view value)
{
    addKey(key);
    addQuoted(value);
    return *this;
}

JsonLine& JsonLine::addObject(std::string_view key, const nlohmann::json& object)
{
    addKey(key);
    m_text += object.is_null() ? std::string("{}")
                               : object.dump(-1, ' ', false, Json::error_handler_t::replace);
    return *this;
}

JsonLine& JsonLine::add(std::string_view key, std::span<const double> values)
{
    addKey(key);
    m_text += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0)
            m_text += ',';
        addNumber(values[i]);
    }
    m_text += ']';
    return *this;
}

JsonLine& JsonLine::open(std::string_view key)
{
    addKey(key);
    m_text += '{';
    m_first = true;
    return *this;
}

JsonLine& JsonLine::close()
{
    m_text += '}';
    m_first = false;
    return *this;
}

std::string JsonLine::take()
{
    m_text += '}';
    return std::move(m_text);
}

void JsonLine::addKey(std::string_view key)
{
    if (!m_first)
        m_text += ',';
    m_first = false;
    addQuoted(key);
    m_text += ':';
}

void JsonLine::addNumber(double value)
{
    if (std::isfinite(value)) {
        // JSON readers take "-0" for the integer zero, which has no sign.
        if (value == 0 && std::signbit(value))
            m_text += "-0.0";
        else
            appendChars(m_text, value);
    } else if (std::isnan(value)) {
        m_text += "\"NaN\"";
    } else {
        m_text += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    }
}

void JsonLine::addQuoted(std::string_view text)
{
    if (needsNoEscape(text)) {
        m_text += '"';
        m_text += text;
        m_text += '"';
        return;
    }
    m_text += Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace mantissa
