// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/text_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace mantissa {

Result<void> writeTextFile(const std::filesystem::path& file, std::string_view text)
{
    std::error_code error;
    if (file.has_parent_path())
        std::filesystem::create_directories(file.parent_path(), error);
    const auto partial = fmt::format("{}.{}.part", file.string(), ::getpid());
    errno = 0;
    std::ofstream out(partial, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    const bool written = out.good();
    const auto why = std::string(std::strerror(errno));
    if (written)
        std::filesystem::rename(partial, file, error);
    if (written && !error)
        return {};
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    return fail(fmt::format("cannot write {}: {}", file.string(), error ? error.message() : why));
}

} // namespace mantissa
