// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace mantissa {

/// The number formats of a safetensors file.
enum class TensorType {
    F64,
    F32,
    F16,
    Bf16,
    I64,
    I32,
    I16,
    I8,
    U64,
    U32,
    U16,
    U8,
    Bool,
    F8E4m3,
    F8E5m2
};

/// The file's word ("F32", "BF16"), and back; nothing for a word that is not known.
std::string_view toString(TensorType type);
std::optional<TensorType> tensorTypeFromString(std::string_view word);
/// Bytes of one number: 1, 2, 4 or 8.
std::size_t bytesOf(TensorType type);

} // namespace mantissa
