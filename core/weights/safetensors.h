// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/weights/tensor_type.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Files of named tensors in the safetensors format: 8 bytes length of the header (little-endian),
/// a JSON header, then the tensors' bytes without gaps.
namespace mantissa {

/// What a header says of one tensor.
struct TensorEntry {
    std::string name;
    TensorType type = TensorType::F32;
    std::vector<std::int64_t> sizes;
    std::uint64_t begin = 0; ///< offset in the file's data part, in bytes
    std::uint64_t end = 0; ///< one past its last byte
};

struct SafetensorsHeader {
    std::vector<TensorEntry> tensors; ///< in the order of their bytes
    std::map<std::string, std::string> metadata; ///< "__metadata__"
};

/// The largest header that is read, in bytes, as in the format's reference.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// Reads the JSON text of a header whose data part has `dataBytes` bytes. Refused, with the reason
/// in words: anything that is not exactly such a header, a name given twice, a tensor whose sizes
/// do not give its bytes, overlaps, holes, and bytes that belong to no tensor. What it allocates is
/// in proportion to `json`. Any thread; throws nothing.
[[nodiscard]] Result<SafetensorsHeader> parseSafetensorsHeader(
    std::string_view json, std::uint64_t dataBytes);

/// An open file. Nothing is allocated before the file's own length has shown that it is there.
/// Errors name the file. One thread.
class SafetensorsFile {
public:
    [[nodiscard]] static Result<SafetensorsFile> open(const std::filesystem::path& file);

    const std::vector<TensorEntry>& tensors() const { return m_header.tensors; }
    const std::map<std::string, std::string>& metadata() const { return m_header.metadata; }
    /// The tensor of that name, or null.
    const TensorEntry* find(std::string_view name) const;
    /// A tensor's bytes into `buffer`, which must have end - begin bytes.
    [[nodiscard]] Result<void> read(const TensorEntry& entry, std::span<std::byte> buffer);
    /// Reads the whole file and compares it with its checksum (see SafetensorsOptions).
    [[nodiscard]] Result<void> verify();

private:
    std::string m_name;
    std::ifstream m_stream;
    std::string m_headerText;
    std::uint64_t m_dataOffset = 0;
    SafetensorsHeader m_header;
};

/// A tensor to write; `bytes` are its numbers in row-major order, little-endian.
struct TensorBytes {
    std::string name;
    TensorType type = TensorType::F32;
    std::vector<std::int64_t> sizes;
    std::span<const std::byte> bytes;
};

struct SafetensorsOptions {
    std::map<std::string, std::string> metadata;
    /// Adds the metadata key "crc32": eight hexadecimal digits, the CRC-32 of the whole file with
    /// these eight digits taken as zeros. verify() needs it.
    bool checksum = false;
};

/// Writes the file at once and for good (writeAtomically). Tensors are laid out by the size of
/// their numbers, largest first, then in the given order, so that each is aligned.
[[nodiscard]] Result<void> writeSafetensors(const std::filesystem::path& file,
    const std::vector<TensorBytes>& tensors, const SafetensorsOptions& options = {});

} // namespace mantissa
