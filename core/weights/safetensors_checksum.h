// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The checksum that a safetensors file may carry in its own metadata; see SafetensorsOptions.
namespace mantissa {

inline constexpr std::string_view kChecksumKey = "crc32";
inline constexpr std::string_view kNoChecksum = "00000000";

/// CRC-32 as in zlib and PNG.
class Crc32 {
public:
    void add(std::span<const std::byte> bytes);
    std::string digits() const; ///< eight, hexadecimal, lower case

private:
    std::uint32_t m_value = 0;
};

/// Where in a header's JSON text the eight digits of the checksum lie.
std::optional<std::size_t> checksumPosition(std::string_view header);

} // namespace mantissa
