// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/draft.h"

namespace mantissa {

namespace {

unsigned char byteAt(std::string_view text, std::size_t at)
{
    return static_cast<unsigned char>(text[at]);
}

/// Length of the sequence that starts at `at`, 0 if it is not valid (RFC 3629, table 3-7 of
/// Unicode: no overlong forms, no surrogates, nothing over U+10FFFF).
std::size_t sequenceLength(std::string_view text, std::size_t at)
{
    const auto first = byteAt(text, at);
    if (first < 0x80)
        return 1;
    std::size_t length = 0;
    if (first >= 0xC2 && first <= 0xDF)
        length = 2;
    else if ((first & 0xF0) == 0xE0)
        length = 3;
    else if (first >= 0xF0 && first <= 0xF4)
        length = 4;
    if (length == 0 || at + length > text.size())
        return 0;
    const auto second = byteAt(text, at + 1);
    const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (second < low || second > high)
        return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if ((byteAt(text, at + i) & 0xC0) != 0x80)
            return 0;
    }
    return length;
}

} // namespace

std::optional<std::size_t> firstInvalidUtf8(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        const auto length = sequenceLength(text, at);
        if (length == 0)
            return at;
        at += length;
    }
    return std::nullopt;
}

} // namespace mantissa
