// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Suggestions for misspelt words. Any thread.
namespace mantissa {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (bytes).
std::size_t editDistance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, case ignored; empty if none is near: at most a third of the
/// longer word's letters differ, or one of the words begins with the other (3 letters or more).
/// Ties go to the first candidate.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

} // namespace mantissa
