// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/idx_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <zlib.h>

namespace mantissa {

namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;
constexpr std::int64_t kMaxValues = std::int64_t{1} << 40;
constexpr std::size_t kFirstChunk = 1u << 20;

struct GzClose {
    void operator()(gzFile file) const { gzclose(file); }
};

/// Reads raw and gzip files alike: zlib passes raw bytes through.
class ByteReader {
public:
    explicit ByteReader(const std::filesystem::path& file)
        : m_name(file.string())
        , m_file(gzopen(m_name.c_str(), "rb"))
    {
    }

    bool isOpen() const { return m_file != nullptr; }

    /// Bytes read; fewer than asked for only at the end of the file.
    Result<std::size_t> read(std::span<std::uint8_t> buffer)
    {
        std::size_t done = 0;
        while (done < buffer.size()) {
            const auto want = std::min<std::size_t>(buffer.size() - done, 1u << 30);
            const int got = gzread(m_file.get(), buffer.data() + done, static_cast<unsigned>(want));
            if (got < 0)
                return fail(fmt::format("{} is damaged: {}", m_name, message()));
            if (got == 0)
                break;
            done += static_cast<std::size_t>(got);
        }
        if (done < buffer.size() && !message().empty())
            return fail(fmt::format("{} is cut off: {}", m_name, message()));
        return done;
    }

private:
    std::string message() const
    {
        int code = Z_OK;
        const char* text = gzerror(m_file.get(), &code);
        return code == Z_OK || !text ? std::string() : std::string(text);
    }

    std::string m_name;
    std::unique_ptr<gzFile_s, GzClose> m_file;
};

std::uint32_t bigEndian(std::span<const std::uint8_t, 4> bytes)
{
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16
        | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

Result<std::vector<std::int64_t>> readSizes(
    ByteReader& reader, const std::string& name, std::size_t dimensions)
{
    std::array<std::uint8_t, 4> word{};
    const auto got = reader.read(word);
    if (!got)
        return tl::unexpected(got.error());
    if (*got < word.size())
        return fail(
            fmt::format("{} is no IDX file: it holds {} bytes, less than a header", name, *got));
    if (word[0] != 0 || word[1] != 0)
        return fail(fmt::format(
            "{} is no IDX file: it starts with {:02x} {:02x}, not 00 00", name, word[0], word[1]));
    if (word[2] != kUnsignedByte)
        return fail(fmt::format(
            "{}: values of type 0x{:02x}; allowed: 0x08 (unsigned byte)", name, word[2]));
    if (word[3] != dimensions)
        return fail(fmt::format("{}: {} dimensions; allowed here: {}", name, word[3], dimensions));
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < dimensions; ++i) {
        const auto more = reader.read(word);
        if (!more)
            return tl::unexpected(more.error());
        if (*more < word.size())
            return fail(fmt::format("{}: the header ends before size {}", name, i + 1));
        sizes.push_back(bigEndian(word));
    }
    return sizes;
}

Result<std::int64_t> valueCount(const std::vector<std::int64_t>& sizes, const std::string& name)
{
    std::int64_t count = 1;
    for (const auto size : sizes) {
        if (size == 0)
            return fail(fmt::format("{}: a size of 0; allowed: 1 and more", name));
        if (size > kMaxValues / count)
            return fail(fmt::format("{}: its sizes multiply to more than 2^40 values", name));
        count *= size;
    }
    return count;
}

Result<std::vector<std::uint8_t>> readValues(
    ByteReader& reader, const std::string& name, std::int64_t count)
{
    const auto promised = static_cast<std::size_t>(count);
    std::vector<std::uint8_t> values;
    // Grow with what arrives: a header alone never makes us allocate.
    while (values.size() < promised) {
        const auto old = values.size();
        values.resize(std::min(promised, std::max(kFirstChunk, 2 * old)));
        const auto got = reader.read(std::span(values).subspan(old));
        if (!got)
            return tl::unexpected(got.error());
        if (old + *got < values.size())
            return fail(fmt::format("{}: the header promises {} values, the file holds {}", name,
                promised, old + *got));
    }
    std::array<std::uint8_t, 1> extra{};
    const auto more = reader.read(extra);
    // A damaged check sum shows only here, at the end of the stream.
    if (!more)
        return tl::unexpected(more.error());
    if (*more != 0)
        return fail(
            fmt::format("{}: the header promises {} values, the file holds more", name, promised));
    return values;
}

} // namespace

Result<IdxArray> readIdx(const std::filesystem::path& file, std::size_t dimensions)
{
    const auto name = file.string();
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        return fail(fmt::format("cannot read {}: it is a folder", name));
    ByteReader reader(file);
    if (!reader.isOpen())
        return fail(fmt::format("cannot open {}: {}", name, std::strerror(errno)));
    auto sizes = readSizes(reader, name, dimensions);
    if (!sizes)
        return tl::unexpected(sizes.error());
    const auto count = valueCount(*sizes, name);
    if (!count)
        return tl::unexpected(count.error());
    auto values = readValues(reader, name, *count);
    if (!values)
        return tl::unexpected(values.error());
    return IdxArray{std::move(*sizes), std::move(*values)};
}

} // namespace mantissa
