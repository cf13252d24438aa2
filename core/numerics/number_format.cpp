// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/number_format.h"

#include <array>

namespace mantissa {

namespace {

constexpr double powerOfTwo(int exponent)
{
    double value = 1.0;
    for (; exponent > 0; --exponent)
        value *= 2.0;
    for (; exponent < 0; ++exponent)
        value *= 0.5;
    return value;
}

constexpr FormatInfo ieeeLike(
    std::string_view name, int storageBits, int exponentBits, int mantissaBits)
{
    const int bias = (1 << (exponentBits - 1)) - 1;
    const double unit = powerOfTwo(-mantissaBits);
    const double top = powerOfTwo(bias);
    return {name, storageBits, exponentBits, mantissaBits, (2.0 - unit) * top,
        (2.0 - unit / 2.0) * top, powerOfTwo(1 - bias), powerOfTwo(1 - bias - mantissaBits), unit};
}

// In the order of Precision.
constexpr std::array kFormats{ieeeLike("fp32", 32, 8, 23), ieeeLike("tf32", 32, 8, 10),
    ieeeLike("fp16", 16, 5, 10), ieeeLike("bf16", 16, 8, 7)};

} // namespace

const FormatInfo& formatInfo(Precision precision)
{
    return kFormats.at(static_cast<std::size_t>(precision));
}

} // namespace mantissa
