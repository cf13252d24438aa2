// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace mantissa {

/// What a device makes of a number format.
enum class FormatClass { Native, Conversion, Emulated, Unsupported };
std::string_view toString(FormatClass value);

/// The one rule: ratio <= 1.1 with the hardware flag is native; <= 1.1 without it, or up to 2, is
/// conversion; above 2 is emulated. `ratio` = median time / median time of fp32.
FormatClass classifyFormat(double ratio, bool hardwareFlag);

} // namespace mantissa
