// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/schema.h"
#include "core/config/words.h"

#include <type_traits>
#include <utility>

/// What the files of the table of keys share: keys bound to fields of the structs.
namespace mantissa::schema {

// How each field type of the structs shows as a SettingValue.
template <typename T> struct Codec {
    static constexpr ValueType kType = ValueType::Choice;
    static SettingValue read(T field) { return std::string(word(field)); }
    static void write(T& field, const SettingValue& value)
    {
        if (const auto known = fromWord<T>(std::get<std::string>(value)))
            field = *known;
    }
};

template <typename T, ValueType Type> struct PlainCodec {
    static constexpr ValueType kType = Type;
    static SettingValue read(const T& field) { return field; }
    static void write(T& field, const SettingValue& value) { field = std::get<T>(value); }
};

template <> struct Codec<bool> : PlainCodec<bool, ValueType::Bool> {
};
template <> struct Codec<std::int64_t> : PlainCodec<std::int64_t, ValueType::Integer> {
};
template <> struct Codec<double> : PlainCodec<double, ValueType::Number> {
};
template <> struct Codec<std::string> : PlainCodec<std::string, ValueType::Text> {
};
template <>
struct Codec<std::vector<std::int64_t>>
    : PlainCodec<std::vector<std::int64_t>, ValueType::IntegerList> {
};

template <>
struct Codec<std::vector<std::string>> : PlainCodec<std::vector<std::string>, ValueType::TextList> {
};

template <> struct Codec<std::uint64_t> {
    static constexpr ValueType kType = ValueType::Integer;
    // A value over 2^63 turns negative and is then refused by the range.
    static SettingValue read(std::uint64_t field) { return static_cast<std::int64_t>(field); }
    static void write(std::uint64_t& field, const SettingValue& value)
    {
        field = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
    }
};

template <> struct Codec<std::optional<double>> {
    static constexpr ValueType kType = ValueType::Number;
    static SettingValue read(const std::optional<double>& field)
    {
        return field ? SettingValue(*field) : SettingValue(Unset{});
    }
    static void write(std::optional<double>& field, const SettingValue& value)
    {
        const auto* number = std::get_if<double>(&value);
        field = number ? std::optional(*number) : std::nullopt;
    }
};

/// A key bound to the struct field `settings.*Group.*Field`.
template <auto Group, auto Field> KeySpec bind(std::string_view path)
{
    using T = std::remove_cvref_t<decltype(std::declval<Settings>().*Group.*Field)>;
    KeySpec spec;
    spec.path = path;
    spec.type = Codec<T>::kType;
    spec.get = [](const Settings& s) { return Codec<T>::read(s.*Group.*Field); };
    spec.set = [](Settings& s, const SettingValue& v) { Codec<T>::write(s.*Group.*Field, v); };
    if constexpr (std::is_enum_v<T>)
        spec.choices = allWords<T>();
    return spec;
}

inline NumberRange closed(double low, double high)
{
    return {low, high, false, false};
}
inline NumberRange above(double low, double high)
{
    return {low, high, true, false};
}

} // namespace mantissa::schema
