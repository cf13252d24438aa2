// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// Parses one line as a JSON object. Deep nesting is refused before it can cost memory.
[[nodiscard]] Result<nlohmann::json> parseObject(std::string_view line);

/// Takes typed values out of a protocol object. The first missing or ill-typed key is kept as the
/// error; what is returned after an error is a default and must not be used.
class JsonObject {
public:
    /// `type` is named in messages. Both must outlive this.
    JsonObject(const nlohmann::json& object, std::string_view type)
        : m_object(object)
        , m_type(type)
    {
    }

    bool has(const char* key) const { return find(key) != nullptr; }

    // Required keys.
    std::int64_t integer(const char* key);
    double number(const char* key);
    std::string text(const char* key);
    std::vector<double> numbers(const char* key);
    const nlohmann::json& object(const char* key);

    // Optional keys; null counts as absent.
    std::int64_t integer(const char* key, std::int64_t otherwise);
    double number(const char* key, double otherwise);
    std::string text(const char* key, const char* otherwise);
    nlohmann::json objectOrEmpty(const char* key);
    nlohmann::json valueOrNull(const char* key); ///< of any type

    void setError(std::string message);
    const std::optional<Error>& error() const { return m_error; }

private:
    const nlohmann::json* find(const char* key) const;
    const nlohmann::json* require(const char* key);
    void wrongType(const char* key, const nlohmann::json& value, std::string_view wanted);

    const nlohmann::json& m_object;
    std::string_view m_type;
    std::optional<Error> m_error;
};

/// How the objects of one "type" are read.
template <typename T> struct TypeReader {
    std::string_view type;
    T (*read)(JsonObject&);
};

/// Reads a line by the reader of its "type"; nothing for a type without one.
template <typename T, std::size_t N>
Result<std::optional<T>> decodeByType(std::string_view line, const TypeReader<T> (&readers)[N])
{
    const auto json = parseObject(line);
    if (!json)
        return tl::unexpected(json.error());
    JsonObject any(*json, "line");
    const auto type = any.text("type");
    if (any.error())
        return tl::unexpected(*any.error());
    for (const auto& reader : readers) {
        if (reader.type != type)
            continue;
        JsonObject object(*json, reader.type);
        auto value = reader.read(object);
        if (object.error())
            return tl::unexpected(*object.error());
        // In place: g++ 12 takes the moved-from optional of a variant for uninitialised memory.
        Result<std::optional<T>> taken;
        taken->emplace(std::move(value));
        return taken;
    }
    return std::optional<T>();
}

} // namespace mantissa
