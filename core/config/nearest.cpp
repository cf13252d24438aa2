// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace mantissa {

namespace {

std::string lower(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(
        out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool isBeginning(const std::string& a, const std::string& b)
{
    const auto shorter = std::min(a.size(), b.size());
    return shorter >= 3 && a.compare(0, shorter, b, 0, shorter) == 0;
}

} // namespace

std::size_t editDistance(std::string_view a, std::string_view b)
{
    // Three rows of the optimal string alignment table.
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates)
{
    constexpr std::size_t kLongestWord = 64;
    if (word.empty() || word.size() > kLongestWord)
        return {};
    const auto wanted = lower(word);
    std::string best;
    auto bestDistance = std::string::npos;
    for (const auto candidate : candidates) {
        const auto known = lower(candidate);
        const auto distance = editDistance(wanted, known);
        const auto limit = std::max(wanted.size(), known.size()) / 3;
        const bool near = distance <= limit || isBeginning(wanted, known);
        if (near && distance < bestDistance) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

} // namespace mantissa
