// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/run_event.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// JSON Lines between host and worker (resources/docs/protocol.md). Pure functions, any thread.
namespace mantissa {

/// Longest accepted line in bytes, newline not counted.
inline constexpr std::size_t kMaxLineBytes = 16u * 1024 * 1024;

/// One line without its newline.
std::string encodeEvent(const RunEvent& event);
std::string encodeCommand(const Command& command);

/// Nothing for a well-formed object of an unknown type (later versions may send more); an Error
/// for broken JSON, a missing or ill-typed key, or counts that do not fit the arrays.
[[nodiscard]] Result<std::optional<RunEvent>> decodeEvent(std::string_view line);
[[nodiscard]] Result<std::optional<Command>> decodeCommand(std::string_view line);

/// Cuts a byte stream into lines. A line over kMaxLineBytes is dropped and counted, never stored.
class LineSplitter {
public:
    explicit LineSplitter(std::size_t maxLineBytes = kMaxLineBytes)
        : m_maxLineBytes(maxLineBytes)
    {
    }

    /// Adds bytes; returns the lines completed by them, newline (and a CR before it) removed.
    std::vector<std::string> feed(std::string_view bytes);

    std::size_t droppedLines() const { return m_droppedLines; }
    /// Bytes after the last newline.
    const std::string& rest() const { return m_partial; }

private:
    std::size_t m_maxLineBytes;
    std::string m_partial;
    bool m_dropping = false;
    std::size_t m_droppedLines = 0;
};

} // namespace mantissa
