// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/byte_text.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace mantissa {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 10> kUnits{
    {{"", 1}, {"B", 1}, {"KiB", 1024.0}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024},
        {"TiB", 1024.0 * 1024 * 1024 * 1024}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}};

} // namespace

std::optional<double> parseBytes(std::string_view text)
{
    const auto end = text.find_first_not_of("0123456789.");
    const auto number = parseDouble(text.substr(0, end));
    auto unit = end == std::string_view::npos ? std::string_view() : text.substr(end);
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    if (!number || !std::isfinite(*number))
        return std::nullopt;
    for (const auto& [name, factor] : kUnits) {
        if (name == unit)
            return *number * factor;
    }
    return std::nullopt;
}

} // namespace mantissa
