// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/store_header.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <thread>

namespace mantissa {

namespace {

namespace fs = std::filesystem;

// SQLite's file format, section 1.3: a 100-byte header, numbers big-endian.
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};

using Header = std::array<unsigned char, kHeaderBytes>;

std::uint64_t bigEndian(const Header& header, std::size_t at, std::size_t bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
        value = value << 8 | header[at + i];
    return value;
}

std::uint64_t promisedBytes(const Header& header)
{
    const auto pageSize = bigEndian(header, 16, 2);
    return (pageSize == 1 ? 65536 : pageSize) * bigEndian(header, 28, 4);
}

bool hasWal(const fs::path& file)
{
    std::error_code error;
    const auto size = fs::file_size(file.string() + "-wal", error);
    return !error && size > 0;
}

struct Look {
    std::size_t read = 0; ///< header bytes that were there
    Header header{};
    std::uint64_t size = 0;
};

Look look(const fs::path& file)
{
    Look seen;
    std::ifstream in(file, std::ios::binary);
    std::array<char, kHeaderBytes> bytes{};
    in.read(bytes.data(), bytes.size());
    seen.read = static_cast<std::size_t>(in.gcount());
    for (std::size_t i = 0; i < bytes.size(); ++i)
        seen.header[i] = static_cast<unsigned char>(bytes[i]);
    std::error_code error;
    seen.size = fs::file_size(file, error);
    return seen;
}

bool isMagic(const Look& seen)
{
    for (std::size_t i = 0; i < kMagic.size(); ++i) {
        if (seen.header[i] != static_cast<unsigned char>(kMagic[i]))
            return false;
    }
    return seen.read == kHeaderBytes;
}

} // namespace

Result<void> checkStoreHeader(const fs::path& file)
{
    std::error_code error;
    if (fs::is_directory(file, error))
        return fail(fmt::format("cannot open the store {}: it is a folder", file.string()));
    for (int attempt = 0;; ++attempt) {
        const auto seen = look(file);
        if (seen.read == 0)
            return {};
        if (!isMagic(seen)) {
            return fail(
                fmt::format("cannot open the store {}: it is not a Mantissa store (not an SQLite "
                            "database)",
                    file.string()));
        }
        const auto promised = promisedBytes(seen.header);
        if (seen.size >= promised || hasWal(file))
            return {};
        // Another process may be moving its log into the file right now: look twice.
        if (attempt == 2) {
            return fail(fmt::format("cannot open the store {}: it is cut off ({} bytes of {})",
                file.string(), seen.size, promised));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

} // namespace mantissa
