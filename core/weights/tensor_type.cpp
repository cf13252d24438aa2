// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/weights/tensor_type.h"

#include <array>

namespace mantissa {

namespace {

struct TypeFacts {
    std::string_view word;
    std::size_t bytes;
};

/// In the order of the enumerators.
constexpr std::array<TypeFacts, 15> kTypes{{{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2},
    {"I64", 8}, {"I32", 4}, {"I16", 2}, {"I8", 1}, {"U64", 8}, {"U32", 4}, {"U16", 2}, {"U8", 1},
    {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}}};

} // namespace

std::string_view toString(TensorType type)
{
    return kTypes.at(static_cast<std::size_t>(type)).word;
}

std::optional<TensorType> tensorTypeFromString(std::string_view word)
{
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
        if (kTypes[i].word == word)
            return static_cast<TensorType>(i);
    }
    return std::nullopt;
}

std::size_t bytesOf(TensorType type)
{
    return kTypes.at(static_cast<std::size_t>(type)).bytes;
}

} // namespace mantissa
