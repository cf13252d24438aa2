// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace mantissa {

/// A small file of /proc or /sys that is read again and again: opened once, read from its start
/// each time, without allocating. One thread at a time.
class OpenFile {
public:
    explicit OpenFile(const std::filesystem::path& file);
    ~OpenFile();
    OpenFile(OpenFile&& other) noexcept;
    OpenFile& operator=(OpenFile&& other) noexcept;
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    bool isOpen() const { return m_fd >= 0; }
    /// What it holds now, at most 32 KiB; valid until the next read() of any file in this thread.
    /// Nothing if it cannot be read, for instance because its process has ended.
    std::optional<std::string_view> read() const;
    /// The number that the file begins with.
    std::optional<double> readNumber() const;

private:
    int m_fd = -1;
};

/// The first line of a small file that is read once; empty if it cannot be read.
std::string firstLine(const std::filesystem::path& file);

/// The number after `key` on the line of `text` that begins with it ("MemAvailable:  123 kB");
/// nothing if there is none.
std::optional<double> numberAfter(std::string_view text, std::string_view key);

} // namespace mantissa
