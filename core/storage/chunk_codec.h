// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// How points become chunks of a store: little-endian f64. Pure functions, any thread.
namespace mantissa {

/// Points of a full chunk.
inline constexpr std::size_t kChunkPoints = 4096;

using Bytes = std::vector<std::uint8_t>;

Bytes encodeDoubles(std::span<const double> values);

/// Appends the values of `blob`; false, and nothing appended, if it is not 8 * `count` bytes.
bool appendDoubles(std::span<const std::uint8_t> blob, std::size_t count, std::vector<double>& to);

/// Whether x counts up by exactly 1, so that its first value says all.
bool isConsecutive(std::span<const double> x);

struct ChunkFacts {
    std::optional<double> lowest; ///< of the finite values; nothing if there is none
    std::optional<double> highest;
    std::size_t nonFinite = 0;
};
ChunkFacts chunkFacts(std::span<const double> values);

} // namespace mantissa
