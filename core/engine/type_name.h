// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <c10/core/ScalarType.h>

namespace mantissa {

/// A type's name as Python prints it, without "torch.": "bfloat16", "float16", "float32".
inline std::string pythonTypeName(c10::ScalarType type)
{
    const auto names = c10::getDtypeNames(type);
    return names.first;
}

} // namespace mantissa
