// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <filesystem>
#include <string>

namespace mantissa {

/// A file descriptor that closes with its owner.
class FileDescriptor {
public:
    explicit FileDescriptor(int fd = -1)
        : m_fd(fd)
    {
    }
    ~FileDescriptor();
    FileDescriptor(FileDescriptor&& other) noexcept;
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;

    int get() const { return m_fd; }
    bool valid() const { return m_fd >= 0; }

private:
    int m_fd;
};

/// Unix domain stream sockets at paths of any length (the system's own limit is 107 bytes).

/// Listens at `path`, which only this user may connect to. A socket that nobody listens at any more
/// is replaced; any other file there is an Error.
[[nodiscard]] Result<FileDescriptor> listenAt(const std::filesystem::path& path);
[[nodiscard]] Result<FileDescriptor> connectTo(const std::filesystem::path& path);

/// Sends `line` and a newline, then waits for a line (at most 64 KiB) and gives it without its end.
[[nodiscard]] Result<std::string> exchangeLine(
    const FileDescriptor& socket, std::string line, std::chrono::milliseconds timeout);

} // namespace mantissa
