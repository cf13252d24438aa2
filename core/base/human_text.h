// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

/// Numbers as people read them, the same in the window, the terminal and reports: comma for
/// thousands, point for decimals, true minus sign (U+2212), space before the unit. Locale-free.
/// Non-finite values come out as "NaN", "∞", "−∞". Any thread; nothing here throws.
namespace mantissa {

/// 12345 -> "12,345".
std::string groupedText(std::int64_t value);
/// `decimals` digits after the point: (1234.5, 1) -> "1,234.5".
std::string fixedText(double value, int decimals);
/// About `digits` significant digits without an exponent where that is readable:
/// (0.0123456, 3) -> "0.0123", (6.14159, 3) -> "6.14", (10423.7, 3) -> "10,424".
std::string significantText(double value, int digits);
/// A loss: 4 decimals; below 0.001 three significant digits with an exponent.
std::string lossText(double value);
/// Bytes as "118.0 MiB" ("512 B" and "3.1 KiB" for what is tiny, "13.9 GiB" from 10 GiB on).
std::string bytesText(double bytes);
/// Milliseconds as a duration: "0.52 ms", "399 ms", "3.2 s", "14 min 5 s", "2 h 3 min".
std::string durationText(double milliseconds);
/// A ratio to a baseline: "0.74x", "2.2x", "65x".
std::string ratioText(double ratio);
/// A loss scale: "131,072 (2¹⁷)" where it is a power of two, else significant digits.
std::string scaleText(double scale);
/// 2 to the power `exponent` with superscript digits: "2¹⁷", "2⁻³".
std::string powerOfTwoText(int exponent);
/// A share of 1 as percent with 1 decimal: 0.894 -> "89.4 %".
std::string percentText(double share);
/// "1,987 = 1,980 applied + 7 skipped".
std::string stepsText(std::int64_t applied, std::int64_t skipped);

} // namespace mantissa
