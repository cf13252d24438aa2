// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/whole_file.h"

#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

namespace mantissa {

Result<std::string> readWholeFile(const std::filesystem::path& file, std::uint64_t limit)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (error)
        return fail(fmt::format("cannot read {}: {}", file.string(), error.message()));
    if (size > limit)
        return fail(
            fmt::format("{} has {} bytes; allowed: at most {}", file.string(), size, limit));
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    std::string content(static_cast<std::size_t>(size), '\0');
    if (!stream || !stream.read(content.data(), static_cast<std::streamsize>(size)))
        return fail(fmt::format(
            "cannot read {}: {}", file.string(), std::generic_category().message(errno)));
    return content;
}

} // namespace mantissa
