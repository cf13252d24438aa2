// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/unix_socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace mantissa {

namespace {

constexpr std::size_t kLongestLine = 64 * 1024;

tl::unexpected<Error> failure(const std::filesystem::path& path, const char* what)
{
    return fail(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

/// The address of a socket in an open folder: short, however long the folder's path is.
struct Place {
    FileDescriptor folder;
    sockaddr_un address{};
};

Result<Place> placeOf(const std::filesystem::path& path)
{
    Place place{FileDescriptor(::open(path.parent_path().c_str(), O_PATH | O_CLOEXEC)), {}};
    if (!place.folder.valid())
        return failure(path, "the folder cannot be opened");
    const auto name =
        fmt::format("/proc/self/fd/{}/{}", place.folder.get(), path.filename().string());
    if (name.size() >= sizeof place.address.sun_path)
        return fail(fmt::format("{}: the file's name is too long", path.string()));
    place.address.sun_family = AF_UNIX;
    std::memcpy(place.address.sun_path, name.c_str(), name.size() + 1);
    return place;
}

const sockaddr* generic(const sockaddr_un& address)
{
    return static_cast<const sockaddr*>(static_cast<const void*>(&address));
}

Result<FileDescriptor> newSocket(const std::filesystem::path& path)
{
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.valid())
        return failure(path, "no socket");
    return socket;
}

/// Removes a socket whose program is gone. Nothing else is touched.
void removeStale(const std::filesystem::path& path)
{
    struct stat info { };
    if (::lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode))
        return;
    const auto socket = newSocket(path);
    const auto place = placeOf(path);
    if (socket && place
        && ::connect(socket->get(), generic(place->address), sizeof place->address) != 0
        && errno == ECONNREFUSED)
        ::unlink(path.c_str());
}

bool sendAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

} // namespace

FileDescriptor::~FileDescriptor()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
{
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    return *this;
}

Result<FileDescriptor> listenAt(const std::filesystem::path& path)
{
    removeStale(path);
    auto socket = newSocket(path);
    const auto place = placeOf(path);
    if (!socket || !place)
        return socket ? tl::unexpected(place.error()) : std::move(socket);
    if (::bind(socket->get(), generic(place->address), sizeof place->address) != 0)
        return failure(path, "cannot be made");
    // Before listen(): nobody can have connected yet.
    if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(socket->get(), 16) != 0) {
        auto error = failure(path, "cannot be listened at");
        ::unlink(path.c_str());
        return error;
    }
    return socket;
}

Result<FileDescriptor> connectTo(const std::filesystem::path& path)
{
    auto socket = newSocket(path);
    const auto place = placeOf(path);
    if (!socket || !place)
        return socket ? tl::unexpected(place.error()) : std::move(socket);
    if (::connect(socket->get(), generic(place->address), sizeof place->address) != 0)
        return failure(path, "nobody listens there");
    return socket;
}

Result<std::string> exchangeLine(
    const FileDescriptor& socket, std::string line, std::chrono::milliseconds timeout)
{
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + timeout;
    if (!sendAll(socket.get(), line + '\n'))
        return fail("the other program hung up");
    std::string answer;
    std::array<char, 4096> buffer{};
    while (answer.size() < kLongestLine) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd wait{socket.get(), POLLIN, 0};
        const int ready = left > 0 ? ::poll(&wait, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return fail("no answer in time");
        const auto got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
        if (got <= 0)
            return fail("the other program hung up without an answer");
        answer.append(buffer.data(), static_cast<std::size_t>(got));
        if (const auto newline = answer.find('\n'); newline != std::string::npos)
            return answer.substr(0, newline);
    }
    return fail("the answer is too long");
}

} // namespace mantissa
