// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json_object.h"

#include "core/base/number_text.h"

#include <fmt/format.h>
#include <limits>

namespace mantissa {

namespace {

using Json = nlohmann::json;

/// A level of nesting costs the parser about 100 bytes for one byte of input: only lines that are
/// long enough for that to matter are looked through.
constexpr std::size_t kHarmlessBytes = 64 * 1024;
constexpr int kMaxDepth = 100;
constexpr std::size_t kShownBytes = 60;

bool tooDeep(std::string_view line)
{
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (inString && c == '\\')
            ++i;
        else if (c == '"')
            inString = !inString;
        else if (!inString && (c == '[' || c == '{') && ++depth > kMaxDepth)
            return true;
        else if (!inString && (c == ']' || c == '}'))
            --depth;
    }
    return false;
}

std::string shown(const Json& value)
{
    auto text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > kShownBytes)
        text = text.substr(0, kShownBytes) + "...";
    return text;
}

const Json& emptyObject()
{
    static const Json object = Json::object();
    return object;
}

} // namespace

Result<Json> parseObject(std::string_view line)
{
    if (line.size() > kHarmlessBytes && tooDeep(line))
        return fail(fmt::format("JSON nested deeper than {} levels", kMaxDepth));
    auto json = Json::parse(line, nullptr, false);
    if (json.is_discarded())
        return fail("not JSON");
    if (!json.is_object())
        return fail("not a JSON object");
    return json;
}

std::int64_t JsonObject::integer(const char* key)
{
    const Json* value = require(key);
    if (!value)
        return 0;
    const bool tooLarge = value->is_number_unsigned()
        && value->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (!value->is_number_integer() || tooLarge) {
        wrongType(key, *value, "an integer of 64 bits");
        return 0;
    }
    return value->get<std::int64_t>();
}

double JsonObject::number(const char* key)
{
    const Json* value = require(key);
    if (!value)
        return 0;
    const auto number = numberFromJson(*value);
    if (!number)
        wrongType(key, *value, "a number");
    return number.value_or(0);
}

std::string JsonObject::text(const char* key)
{
    const Json* value = require(key);
    if (value && !value->is_string())
        wrongType(key, *value, "a string");
    return value && value->is_string() ? value->get<std::string>() : std::string();
}

std::vector<double> JsonObject::numbers(const char* key)
{
    std::vector<double> numbers;
    const Json* value = require(key);
    if (!value)
        return numbers;
    if (!value->is_array()) {
        wrongType(key, *value, "an array of numbers");
        return numbers;
    }
    numbers.reserve(value->size());
    for (const Json& element : *value) {
        const auto number = numberFromJson(element);
        if (!number) {
            wrongType(key, element, "an array of numbers");
            return numbers;
        }
        numbers.push_back(*number);
    }
    return numbers;
}

const Json& JsonObject::object(const char* key)
{
    const Json* value = require(key);
    if (value && value->is_object())
        return *value;
    if (value)
        wrongType(key, *value, "an object");
    return emptyObject();
}

std::int64_t JsonObject::integer(const char* key, std::int64_t otherwise)
{
    return has(key) ? integer(key) : otherwise;
}

double JsonObject::number(const char* key, double otherwise)
{
    return has(key) ? number(key) : otherwise;
}

std::string JsonObject::text(const char* key, const char* otherwise)
{
    return has(key) ? text(key) : std::string(otherwise);
}

Json JsonObject::objectOrEmpty(const char* key)
{
    return has(key) ? object(key) : emptyObject();
}

Json JsonObject::valueOrNull(const char* key)
{
    const Json* value = find(key);
    return value ? *value : Json();
}

void JsonObject::setError(std::string message)
{
    if (!m_error)
        m_error = Error{fmt::format("{}: {}", m_type, message)};
}

const Json* JsonObject::find(const char* key) const
{
    const auto found = m_object.find(key);
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

const Json* JsonObject::require(const char* key)
{
    const Json* value = find(key);
    if (!value)
        setError(fmt::format("key \"{}\" is missing", key));
    return value;
}

void JsonObject::wrongType(const char* key, const Json& value, std::string_view wanted)
{
    setError(fmt::format("\"{}\" is not {}: {}", key, wanted, shown(value)));
}

} // namespace mantissa
