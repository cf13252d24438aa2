// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hardware/capability.h"

#include "core/base/human_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

struct WorkName {
    std::string_view word;
    std::string_view title;
    bool bandwidth;
};

constexpr std::array<WorkName, 7> kWorks{{
    {"matmul", "Matrix product", false},
    {"matmul_tall", "Matrix product, tall", false},
    {"convolution", "Convolution 3 × 3", false},
    {"linear_step", "Linear step, autocast", false},
    {"attention", "Attention", false},
    {"elementwise", "Elementwise a·b + c", true},
    {"reduction", "Reduction, sum", true},
}};

const WorkName& nameOf(CheckWork work)
{
    return kWorks.at(static_cast<std::size_t>(work));
}

} // namespace

std::string_view toString(CheckWork work)
{
    return nameOf(work).word;
}

std::optional<CheckWork> checkWorkFromString(std::string_view text)
{
    for (std::size_t i = 0; i < kWorks.size(); ++i) {
        if (kWorks[i].word == text)
            return static_cast<CheckWork>(i);
    }
    return std::nullopt;
}

std::string_view title(CheckWork work)
{
    return nameOf(work).title;
}

bool isBandwidth(CheckWork work)
{
    return nameOf(work).bandwidth;
}

double CheckPoint::rate() const
{
    return amount / (ms.median / 1000.0);
}

const CheckPoint& CheckCell::largest() const
{
    return points.back();
}

double ClockTest::difference() const
{
    return std::abs(measuredMs - expectedMs) / expectedMs;
}

std::optional<double> TheoryRow::utilisation() const
{
    return published ? std::optional(measured / *published) : std::nullopt;
}

const CheckCell* CapabilityCard::find(CheckWork work, CheckFormat format) const
{
    const auto found = std::find_if(cells.begin(), cells.end(),
        [&](const CheckCell& cell) { return cell.work == work && cell.format == format; });
    return found == cells.end() ? nullptr : &*found;
}

std::string rateText(double rate, bool bandwidth)
{
    constexpr std::array<std::string_view, 3> kPrefixes{"M", "G", "T"};
    std::size_t step = 0;
    double value = rate / 1e6;
    for (; value >= (step == 0 ? 1000.0 : 10'000.0) && step + 1 < kPrefixes.size(); ++step)
        value /= 1000.0;
    return fmt::format(
        "{} {}{}/s", significantText(value, 3), kPrefixes[step], bandwidth ? "B" : "FLOP");
}

std::string speedText(double ratio)
{
    if (std::abs(ratio - 1.0) <= 0.05)
        return "same speed";
    return ratio < 1.0 ? fmt::format("{} faster", ratioText(1.0 / ratio))
                       : fmt::format("{} slower", ratioText(ratio));
}

std::string classText(const CheckCell& cell)
{
    std::string text(toString(cell.formatClass));
    if (cell.formatClass == FormatClass::Emulated && !cell.points.empty() && cell.largest().ratio)
        text += fmt::format(", {}", speedText(*cell.largest().ratio));
    return text;
}

} // namespace mantissa
