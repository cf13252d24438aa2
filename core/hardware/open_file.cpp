// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/open_file.h"

#include "core/base/number_text.h"

#include <fcntl.h>
#include <fstream>
#include <unistd.h>
#include <utility>

namespace mantissa {

namespace {

std::optional<double> firstNumber(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t:");
    if (first == std::string_view::npos)
        return std::nullopt;
    text.remove_prefix(first);
    return parseDouble(text.substr(0, text.find_first_of(" \t\n")));
}

} // namespace

OpenFile::OpenFile(const std::filesystem::path& file)
    : m_fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC))
{
}

OpenFile::~OpenFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
{
}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    return *this;
}

std::optional<std::string_view> OpenFile::read() const
{
    static thread_local std::array<char, 32 * 1024> buffer;
    if (m_fd < 0)
        return std::nullopt;
    const auto size = ::pread(m_fd, buffer.data(), buffer.size(), 0);
    if (size <= 0)
        return std::nullopt;
    return std::string_view(buffer.data(), static_cast<std::size_t>(size));
}

std::optional<double> OpenFile::readNumber() const
{
    const auto text = read();
    return text ? firstNumber(*text) : std::nullopt;
}

std::string firstLine(const std::filesystem::path& file)
{
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

std::optional<double> numberAfter(std::string_view text, std::string_view key)
{
    while (!text.empty()) {
        if (text.starts_with(key))
            return firstNumber(text.substr(key.size()));
        const auto end = text.find('\n');
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + 1);
    }
    return std::nullopt;
}

} // namespace mantissa
