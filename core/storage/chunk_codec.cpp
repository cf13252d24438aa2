// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/chunk_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace mantissa {

namespace {

constexpr std::size_t kBytesPerPoint = sizeof(double);

/// The file is little-endian; a big-endian machine swaps in place.
void toFileOrder(std::span<std::uint8_t> bytes)
{
    if constexpr (std::endian::native == std::endian::big) {
        for (std::size_t at = 0; at + kBytesPerPoint <= bytes.size(); at += kBytesPerPoint)
            std::reverse(&bytes[at], &bytes[at] + kBytesPerPoint);
    }
}

} // namespace

Bytes encodeDoubles(std::span<const double> values)
{
    Bytes bytes(values.size() * kBytesPerPoint);
    if (!values.empty())
        std::memcpy(bytes.data(), values.data(), bytes.size());
    toFileOrder(bytes);
    return bytes;
}

bool appendDoubles(std::span<const std::uint8_t> blob, std::size_t count, std::vector<double>& to)
{
    if (blob.size() != count * kBytesPerPoint)
        return false;
    if (count == 0)
        return true;
    const auto before = to.size();
    to.resize(before + count);
    std::memcpy(&to[before], blob.data(), blob.size());
    if constexpr (std::endian::native == std::endian::big) {
        Bytes swapped(blob.begin(), blob.end());
        toFileOrder(swapped);
        std::memcpy(&to[before], swapped.data(), swapped.size());
    }
    return true;
}

bool isConsecutive(std::span<const double> x)
{
    for (std::size_t i = 1; i < x.size(); ++i) {
        if (x[i] != x[0] + static_cast<double>(i))
            return false;
    }
    // x + 1 must differ from x, or a huge x would read back as a different one.
    return x.empty() || (std::isfinite(x[0]) && std::abs(x[0]) < 0x1p52);
}

ChunkFacts chunkFacts(std::span<const double> values)
{
    ChunkFacts facts;
    for (const double value : values) {
        if (!std::isfinite(value)) {
            ++facts.nonFinite;
            continue;
        }
        facts.lowest = facts.lowest ? std::min(*facts.lowest, value) : value;
        facts.highest = facts.highest ? std::max(*facts.highest, value) : value;
    }
    return facts;
}

} // namespace mantissa
