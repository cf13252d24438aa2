// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/text_reader.h"

#include "core/config/draft.h"
#include "core/engine/whole_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mantissa {

namespace {

constexpr std::size_t kMostCharacters = 65536;

/// Valid UTF-8 as code points.
std::u32string decoded(std::string_view text)
{
    std::u32string characters;
    characters.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto first = static_cast<unsigned char>(text[at]);
        const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        char32_t value = length == 1 ? first : first & (0xFFU >> (length + 1));
        for (std::size_t i = 1; i < length; ++i)
            value = (value << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
        characters.push_back(value);
        at += length;
    }
    return characters;
}

} // namespace

Result<TokenText> tokenize(std::string_view text, const std::string& name)
{
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (text.starts_with(kMark))
        text.remove_prefix(kMark.size());
    if (const auto bad = firstInvalidUtf8(text))
        return fail(fmt::format("{}:{}: is no UTF-8 text; convert it to UTF-8", name,
            1 + std::ranges::count(text.substr(0, *bad), '\n')));
    const auto characters = decoded(text);
    std::map<char32_t, std::uint16_t> index;
    for (const auto character : characters)
        index.try_emplace(character, std::uint16_t{0});
    if (index.size() > kMostCharacters)
        return fail(fmt::format("{} has {} different characters; allowed: at most {}", name,
            index.size(), kMostCharacters));
    TokenText result;
    for (auto& [character, number] : index) {
        number = static_cast<std::uint16_t>(result.vocabulary.size());
        result.vocabulary.push_back(character);
    }
    result.tokens.reserve(characters.size());
    for (const auto character : characters)
        result.tokens.push_back(index.at(character));
    return result;
}

Result<TokenText> readTextFile(const std::filesystem::path& file)
{
    const auto text = readWholeFile(file);
    if (!text)
        return tl::unexpected(text.error());
    return tokenize(*text, file.string());
}

std::string toUtf8(std::u32string_view characters)
{
    std::string text;
    const auto tail = [&](char32_t value, int shift) {
        text.push_back(static_cast<char>(0x80U | ((value >> shift) & 0x3FU)));
    };
    for (const auto c : characters) {
        if (c < 0x80) {
            text.push_back(static_cast<char>(c));
        } else if (c < 0x800) {
            text.push_back(static_cast<char>(0xC0U | (c >> 6)));
            tail(c, 0);
        } else if (c < 0x10000) {
            text.push_back(static_cast<char>(0xE0U | (c >> 12)));
            tail(c, 6);
            tail(c, 0);
        } else {
            text.push_back(static_cast<char>(0xF0U | (c >> 18)));
            tail(c, 12);
            tail(c, 6);
            tail(c, 0);
        }
    }
    return text;
}

} // namespace mantissa
