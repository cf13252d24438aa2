// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/skip_pattern.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mantissa {

namespace {

constexpr std::int64_t kSettled = 10;
constexpr std::int64_t kLongRow = 5;
constexpr std::int64_t kEndlessRow = 20;
/// No start scale that makes sense is so far from one that fits.
constexpr std::int64_t kLongestCalibration = 40;

/// Steps of the calibration: up to the first kSettled applied steps in a row.
std::size_t calibrationEnd(std::span<const double> foundInf)
{
    std::int64_t applied = 0;
    for (std::size_t i = 0; i < foundInf.size(); ++i) {
        applied = foundInf[i] != 0 ? 0 : applied + 1;
        if (applied == kSettled)
            return i + 1;
    }
    return foundInf.size();
}

SkipPattern patternOf(const SkipReport& report, std::int64_t lastRow)
{
    if (report.skipped == 0)
        return SkipPattern::None;
    if (report.longestRow >= kLongRow || lastRow >= kEndlessRow
        || report.calibration >= kLongestCalibration)
        return SkipPattern::Persistent;
    if (report.scattered > 0)
        return SkipPattern::Scattered;
    return report.probing > 0 ? SkipPattern::Probing : SkipPattern::Calibration;
}

} // namespace

std::string_view toString(SkipPattern pattern)
{
    constexpr std::array<std::string_view, 5> words{
        "none", "calibration", "probing", "scattered", "persistent"};
    return words.at(static_cast<std::size_t>(pattern));
}

SkipReport classifySkips(std::span<const double> foundInf, std::span<const double> scale)
{
    SkipReport report;
    const auto begin = calibrationEnd(foundInf);
    bool grown = false;
    std::int64_t row = 0;
    for (std::size_t i = 0; i < foundInf.size(); ++i) {
        ++report.steps;
        grown = grown || (i > 0 && i < scale.size() && scale[i] > scale[i - 1]);
        if (foundInf[i] == 0) {
            row = 0;
            continue;
        }
        ++report.skipped;
        ++row;
        if (i < begin) {
            ++report.calibration;
            continue;
        }
        report.longestRow = std::max(report.longestRow, row);
        ++(grown ? report.probing : report.scattered);
        grown = false;
    }
    report.pattern = patternOf(report, row);
    return report;
}

std::int64_t recoverySteps(
    double now, double before, double growthFactor, std::int64_t growthInterval)
{
    if (!(now > 0) || now >= before || growthFactor <= 1)
        return 0;
    const double growths = std::ceil(std::log(before / now) / std::log(growthFactor) - 1e-9);
    return static_cast<std::int64_t>(growths) * growthInterval;
}

} // namespace mantissa
