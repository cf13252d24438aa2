// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace mantissa {

/// SplitMix64's finalizer (Steele, Lea, Flood 2014): every bit of the input reaches every bit of
/// the result.
constexpr std::uint64_t mixed(std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

/// The random bits of one sample in one epoch: they depend on nothing else, so that neither the
/// order of work nor a resumed run changes them.
constexpr std::uint64_t sampleHash(std::uint64_t seed, std::int64_t epoch, std::int64_t index)
{
    return mixed(
        mixed(mixed(seed) ^ static_cast<std::uint64_t>(epoch)) ^ static_cast<std::uint64_t>(index));
}

} // namespace mantissa
