// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/xml_text.h"

#include <cstddef>

namespace mantissa {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned byteAt(std::string_view text, std::size_t at)
{
    return static_cast<unsigned char>(text[at]);
}

/// Length of the well-formed UTF-8 character at `at` that XML allows, 0 if there is none.
std::size_t characterLength(std::string_view text, std::size_t at)
{
    const unsigned first = byteAt(text, at);
    if (first < 0x80)
        return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size())
        return 0;
    unsigned long code = first & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const unsigned byte = byteAt(text, at + i);
        if ((byte & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (byte & 0x3F);
    }
    const bool tooLong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    const bool noCharacter = code > 0x10FFFF || code == 0xFFFE || code == 0xFFFF;
    return tooLong || surrogate || noCharacter ? 0 : length;
}

std::string_view entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return {};
    }
}

} // namespace

std::string escapeXml(std::string_view text)
{
    std::string escaped;
    escaped.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto length = characterLength(text, at);
        if (length == 0)
            escaped += kReplacement;
        else if (const auto name = entity(text[at]); !name.empty())
            escaped += name;
        else
            escaped += text.substr(at, length);
        at += length == 0 ? 1 : length;
    }
    return escaped;
}

} // namespace mantissa
