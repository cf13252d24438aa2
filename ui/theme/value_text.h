// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

/// The texts of core/base/human_text.h for widgets, and the few that only a window needs: axis
/// numbers, signed differences, clock times. Pure functions, any thread.
namespace mantissa::ui {

inline constexpr double kMiB = 1024.0 * 1024.0; ///< bytes

QString toQString(std::string_view utf8);
QString formatCount(double value); ///< whole: 10,423
QString formatFixed(double value, int decimals); ///< 1,234.5
QString formatSignificant(double value, int digits); ///< 6.14, 399, 0.0257
QString formatSigned(double value, int decimals); ///< +0.0163, −26.2
QString formatLoss(double value); ///< 4 decimals, an exponent below 0.001
QString formatMs(double milliseconds); ///< "6.14 ms", "399 ms", "14 min 5 s"
QString formatRate(double samplesPerSecond); ///< "10,423"; below 10 three digits
QString formatMiB(double bytes); ///< "118.0 MiB"
QString formatMiBNumber(double bytes); ///< "118.0"
QString formatPercent(double fraction); ///< 0.8942 gives "89.4 %"
QString formatSignedPercent(double fraction); ///< −0.262 gives "−26.2 %"
QString formatPoints(double fraction); ///< −0.001 gives "−0.1 pt" (percentage points)
QString formatRatio(double ratio); ///< 2.20x, 1.36x, 65x, 0.015x
QString formatScale(double scale); ///< 131,072 (2¹⁷)
/// 2¹⁷ where it is a power of two, else the number.
QString formatScaleShort(double scale);
QString formatDuration(double seconds); ///< 399 ms, 3.0 s, 14 min 5 s, 2 h 3 min
QString formatClock(double seconds); ///< 8:30, 1:02:03
/// Local time of day of a Unix time in seconds: 14:05:09.
QString formatTimeOfDay(double unixSeconds);
/// Short text for an axis: thousands with comma, no trailing zeros, exponent when tiny or huge.
QString formatAxisNumber(double value);

} // namespace mantissa::ui
