// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace mantissa {

/// Writes one protocol line, `{"type":"...",...}`, straight into a string: no JSON tree is built,
/// since the worker does this on its training thread.
class JsonLine {
public:
    explicit JsonLine(std::string_view type, std::size_t reserveBytes = 256);

    JsonLine& add(std::string_view key, std::int64_t value);
    /// Non-finite values become the strings "NaN", "Infinity", "-Infinity".
    JsonLine& add(std::string_view key, double value);
    /// Bytes that are not UTF-8 are replaced by U+FFFD.
    JsonLine& add(std::string_view key, std::string_view value);
    /// A JSON null is written as an empty object.
    JsonLine& addObject(std::string_view key, const nlohmann::json& object);
    JsonLine& add(std::string_view key, std::span<const double> values);

    /// Opens an object under `key`; what is added next goes into it until close().
    JsonLine& open(std::string_view key);
    JsonLine& close();

    /// The whole line, without a newline. The writer is spent afterwards.
    std::string take();

private:
    void addKey(std::string_view key);
    void addNumber(double value);
    void addQuoted(std::string_view text);

    std::string m_text;
    bool m_first = false; ///< no comma before the next key
};

} // namespace mantissa
