// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace mantissa {

namespace fs = std::filesystem;

namespace {

/// A file descriptor that is closed whatever happens.
class Descriptor {
public:
    explicit Descriptor(int number)
        : m_number(number)
    {
    }
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number() const { return m_number; }
    bool close()
    {
        const int number = m_number;
        m_number = -1;
        return number < 0 || ::close(number) == 0;
    }

private:
    int m_number;
};

bool writeAll(int descriptor, std::span<const std::byte> bytes)
{
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
    while (!bytes.empty()) {
        const auto written = ::write(descriptor, bytes.data(), std::min(bytes.size(), kMostAtOnce));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

/// 0, or the errno of what failed.
int writeParts(const fs::path& file, const std::vector<std::span<const std::byte>>& parts)
{
    Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (out.number() < 0)
        return errno;
    for (const auto part : parts) {
        if (!writeAll(out.number(), part))
            return errno;
    }
    if (::fsync(out.number()) != 0 || !out.close())
        return errno;
    return 0;
}

/// So that the new name itself outlives a crash. 0, or the errno of what failed.
int syncFolder(const fs::path& folder)
{
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.number() < 0)
        return errno;
    // Some file systems know no fsync of folders; they have nothing to lose either.
    return ::fsync(opened.number()) == 0 || errno == EINVAL ? 0 : errno;
}

} // namespace

Result<void> writeAtomically(
    const fs::path& file, const std::vector<std::span<const std::byte>>& parts)
{
    const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    const fs::path partial =
        fmt::format("{}.{}{}", file.string(), ::getpid(), kUnfinishedExtension);
    int error = writeParts(partial, parts);
    if (error == 0 && ::rename(partial.c_str(), file.c_str()) != 0)
        error = errno;
    if (error == 0)
        error = syncFolder(folder);
    else
        fs::remove(partial, ignored);
    if (error != 0)
        return fail(fmt::format(
            "cannot write {}: {}", file.string(), std::generic_category().message(error)));
    return {};
}

} // namespace mantissa
