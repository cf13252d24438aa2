// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/file_lines.h"

#include "core/config/draft.h"

namespace mantissa {

std::map<std::string, int> keyLines(std::string_view toml)
{
    const Draft draft = readToml(toml, {});
    std::map<std::string, int> lines;
    const auto take = [&lines](const Layer& layer) {
        for (const auto& given : layer.given)
            lines.emplace(given.key, given.line);
    };
    take(draft.shared);
    for (const auto& variant : draft.variants)
        take(variant.layer);
    return lines;
}

} // namespace mantissa
