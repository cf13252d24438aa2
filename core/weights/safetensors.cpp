// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/weights/safetensors.h"

#include "core/weights/safetensors_checksum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <system_error>

namespace mantissa {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::uint64_t kLengthBytes = sizeof(std::uint64_t);

tl::unexpected<Error> noSafetensors(const std::string& name, const std::string& why)
{
    return fail(fmt::format("{} is no safetensors file that can be read: {}", name, why));
}

bool readBytes(std::ifstream& stream, char* to, std::uint64_t count)
{
    stream.read(to, static_cast<std::streamsize>(count));
    return static_cast<std::uint64_t>(stream.gcount()) == count;
}

} // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& file)
{
    SafetensorsFile opened;
    opened.m_name = file.string();
    std::error_code error;
    const auto length = std::filesystem::file_size(file, error);
    if (error)
        return fail(fmt::format("cannot read {}: {}", opened.m_name, error.message()));
    opened.m_stream.open(file, std::ios::binary);
    std::uint64_t headerBytes = 0;
    std::array<char, kLengthBytes> prefix{};
    if (!opened.m_stream)
        return fail(fmt::format(
            "cannot read {}: {}", opened.m_name, std::generic_category().message(errno)));
    if (length < kLengthBytes || !readBytes(opened.m_stream, prefix.data(), prefix.size()))
        return noSafetensors(opened.m_name, fmt::format("it has only {} bytes", length));
    std::memcpy(&headerBytes, prefix.data(), prefix.size());
    if (headerBytes > kMaxSafetensorsHeader)
        return noSafetensors(opened.m_name,
            fmt::format("its header would have {} bytes; allowed: at most {}", headerBytes,
                kMaxSafetensorsHeader));
    if (headerBytes > length - kLengthBytes)
        return noSafetensors(opened.m_name,
            fmt::format("its header would have {} bytes, the file has {}", headerBytes, length));
    opened.m_headerText.resize(static_cast<std::size_t>(headerBytes));
    if (!readBytes(opened.m_stream, opened.m_headerText.data(), headerBytes))
        return noSafetensors(opened.m_name, "it could not be read to the header's end");
    opened.m_dataOffset = kLengthBytes + headerBytes;
    auto header = parseSafetensorsHeader(opened.m_headerText, length - opened.m_dataOffset);
    if (!header)
        return noSafetensors(opened.m_name, header.error().message);
    opened.m_header = std::move(*header);
    return opened;
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const
{
    const auto found = std::ranges::find(m_header.tensors, name, &TensorEntry::name);
    return found == m_header.tensors.end() ? nullptr : &*found;
}

Result<void> SafetensorsFile::read(const TensorEntry& entry, std::span<std::byte> buffer)
{
    m_stream.clear();
    m_stream.seekg(static_cast<std::streamoff>(m_dataOffset + entry.begin));
    const auto count = std::min<std::uint64_t>(entry.end - entry.begin, buffer.size());
    if (!readBytes(m_stream, reinterpret_cast<char*>(buffer.data()), count)
        || count != entry.end - entry.begin)
        return fail(fmt::format("cannot read tensor {} of {}", entry.name, m_name));
    return {};
}

Result<void> SafetensorsFile::verify()
{
    const auto digits = m_header.metadata.find(std::string(kChecksumKey));
    const auto at = checksumPosition(m_headerText);
    if (digits == m_header.metadata.end() || !at)
        return fail(fmt::format("{} carries no checksum", m_name));
    auto text = m_headerText;
    text.replace(*at, kNoChecksum.size(), kNoChecksum);
    const std::uint64_t headerBytes = text.size();
    Crc32 sum;
    sum.add(std::as_bytes(std::span(&headerBytes, 1)));
    sum.add(std::as_bytes(std::span(text)));
    std::vector<char> buffer(1u << 20);
    m_stream.clear();
    m_stream.seekg(static_cast<std::streamoff>(m_dataOffset));
    while (m_stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())),
        m_stream.gcount() > 0)
        sum.add(
            std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(m_stream.gcount()))));
    if (sum.digits() != digits->second)
        return fail(fmt::format("{} is damaged: its checksum is {}, its content gives {}", m_name,
            digits->second, sum.digits()));
    return {};
}

} // namespace mantissa
