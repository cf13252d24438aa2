// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/human_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace mantissa {

namespace {

constexpr std::string_view kMinus = "\u2212";

/// Digits of a whole part with a comma before every third from the right.
std::string withCommas(std::string_view digits)
{
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            text += ',';
        text += digits[i];
    }
    return text;
}

std::string nonFiniteText(double value)
{
    if (std::isnan(value))
        return "NaN";
    return value > 0 ? "\u221e" : "\u2212\u221e";
}

std::string superscript(int value)
{
    static constexpr std::array<std::string_view, 10> kDigits{"\u2070", "\u00b9", "\u00b2",
        "\u00b3", "\u2074", "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    std::string text = value < 0 ? "\u207b" : "";
    for (char digit : std::to_string(std::abs(value)))
        text += kDigits[static_cast<std::size_t>(digit - '0')];
    return text;
}

} // namespace

std::string groupedText(std::int64_t value)
{
    const std::string digits = std::to_string(value);
    if (value < 0)
        return std::string(kMinus) + withCommas(std::string_view(digits).substr(1));
    return withCommas(digits);
}

std::string fixedText(double value, int decimals)
{
    if (!std::isfinite(value))
        return nonFiniteText(value);
    const std::string plain = fmt::format("{:.{}f}", std::abs(value), decimals);
    const auto point = std::min(plain.find('.'), plain.size());
    std::string text = withCommas(std::string_view(plain).substr(0, point)) + plain.substr(point);
    // A value that rounds to zero has no sign.
    const bool isZero = plain.find_first_not_of("0.") == std::string::npos;
    return value < 0 && !isZero ? std::string(kMinus) + text : text;
}

std::string significantText(double value, int digits)
{
    if (!std::isfinite(value))
        return nonFiniteText(value);
    if (value == 0)
        return "0";
    const double size = std::abs(value);
    if (size >= 1e15 || size < 1e-4) {
        std::string text = fmt::format("{:.{}e}", size, digits - 1);
        return value < 0 ? std::string(kMinus) + text : text;
    }
    const int magnitude = static_cast<int>(std::floor(std::log10(size)));
    return fixedText(value, std::max(0, digits - 1 - magnitude));
}

std::string lossText(double value)
{
    if (std::isfinite(value) && value != 0 && std::abs(value) < 1e-3)
        return (value < 0 ? std::string(kMinus) : "") + fmt::format("{:.2e}", std::abs(value));
    return fixedText(value, 4);
}

std::string bytesText(double bytes)
{
    constexpr double kKiB = 1024, kMiB = kKiB * 1024, kGiB = kMiB * 1024;
    if (!std::isfinite(bytes))
        return nonFiniteText(bytes);
    const double size = std::abs(bytes);
    if (size < kKiB)
        return fixedText(bytes, 0) + " B";
    if (size < kMiB / 10)
        return fixedText(bytes / kKiB, 1) + " KiB";
    if (size < 10 * kGiB)
        return fixedText(bytes / kMiB, 1) + " MiB";
    return fixedText(bytes / kGiB, 1) + " GiB";
}

std::string durationText(double milliseconds)
{
    if (!std::isfinite(milliseconds))
        return nonFiniteText(milliseconds);
    if (milliseconds < 999.5)
        return significantText(milliseconds, milliseconds < 1 ? 2 : 3) + " ms";
    const double seconds = milliseconds / 1000;
    if (seconds < 9.95)
        return fixedText(seconds, 1) + " s";
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 60)
        return fmt::format("{} s", whole);
    if (whole < 3600)
        return fmt::format("{} min {} s", whole / 60, whole % 60);
    return fmt::format("{} h {} min", groupedText(whole / 3600), whole % 3600 / 60);
}

std::string ratioText(double ratio)
{
    if (!std::isfinite(ratio))
        return nonFiniteText(ratio) + "x";
    const double size = std::abs(ratio);
    if (size != 0 && size < 0.095)
        return significantText(ratio, 2) + "x";
    return fixedText(ratio, size < 9.95 ? 2 : 0) + "x";
}

std::string scaleText(double scale)
{
    if (!std::isfinite(scale))
        return nonFiniteText(scale);
    int exponent = 0;
    if (scale > 0 && std::frexp(scale, &exponent) == 0.5) {
        const std::string power = powerOfTwoText(exponent - 1);
        return scale >= 1 && scale < 1e12
            ? fmt::format("{} ({})", groupedText(static_cast<std::int64_t>(scale)), power)
            : power;
    }
    if (scale == std::floor(scale) && std::abs(scale) < 1e12)
        return groupedText(static_cast<std::int64_t>(scale));
    return significantText(scale, 6);
}

std::string powerOfTwoText(int exponent)
{
    return fmt::format("2{}", superscript(exponent));
}

std::string percentText(double share)
{
    return fixedText(share * 100, 1) + (std::isfinite(share) ? " %" : "");
}

std::string stepsText(std::int64_t applied, std::int64_t skipped)
{
    return fmt::format("{} = {} applied + {} skipped", groupedText(applied + skipped),
        groupedText(applied), groupedText(skipped));
}

} // namespace mantissa
