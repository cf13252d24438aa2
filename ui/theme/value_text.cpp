// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/value_text.h"

#include "core/base/human_text.h"

#include <QDateTime>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

bool showsZero(const QString& number)
{
    return std::none_of(
        number.begin(), number.end(), [](QChar c) { return c >= u'1' && c <= u'9'; });
}

QString withoutTrailingZeros(QString number)
{
    if (!number.contains(QLatin1Char('.')))
        return number;
    while (number.endsWith(QLatin1Char('0')))
        number.chop(1);
    if (number.endsWith(QLatin1Char('.')))
        number.chop(1);
    return number;
}

QString scientific(double value)
{
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-12));
    const QString mantissa = withoutTrailingZeros(formatFixed(value / std::pow(10.0, exponent), 3));
    return mantissa + QLatin1Char('e') + text(fixedText(exponent, 0));
}

} // namespace

QString toQString(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString formatFixed(double value, int decimals)
{
    return text(fixedText(value, decimals));
}

QString formatCount(double value)
{
    return formatFixed(value, 0);
}

QString formatSignificant(double value, int digits)
{
    return text(significantText(value, digits));
}

QString formatSigned(double value, int decimals)
{
    const QString number = formatFixed(value, decimals);
    const bool plus = std::isfinite(value) && value > 0 && !showsZero(number);
    return plus ? QLatin1Char('+') + number : number;
}

QString formatLoss(double value)
{
    return text(lossText(value));
}

QString formatMs(double milliseconds)
{
    if (milliseconds >= 10'000)
        return text(durationText(milliseconds));
    return formatSignificant(milliseconds, 3) + QStringLiteral(" ms");
}

QString formatRate(double samplesPerSecond)
{
    return samplesPerSecond < 10 && samplesPerSecond > 0 ? formatSignificant(samplesPerSecond, 3)
                                                         : formatCount(samplesPerSecond);
}

QString formatMiBNumber(double bytes)
{
    return formatFixed(bytes / kMiB, 1);
}

QString formatMiB(double bytes)
{
    return formatMiBNumber(bytes) + QStringLiteral(" MiB");
}

QString formatPercent(double fraction)
{
    return text(percentText(fraction));
}

QString formatSignedPercent(double fraction)
{
    return formatSigned(fraction * 100, 1) + QStringLiteral(" %");
}

QString formatPoints(double fraction)
{
    return formatSigned(fraction * 100, 1) + QStringLiteral(" pt");
}

QString formatRatio(double ratio)
{
    return text(ratioText(ratio));
}

QString formatScale(double scale)
{
    return text(scaleText(scale));
}

QString formatScaleShort(double scale)
{
    int exponent = 0;
    if (std::isfinite(scale) && scale > 0 && std::frexp(scale, &exponent) == 0.5)
        return text(powerOfTwoText(exponent - 1));
    return formatAxisNumber(scale);
}

QString formatDuration(double seconds)
{
    return text(durationText(seconds * 1000));
}

QString formatClock(double seconds)
{
    if (!std::isfinite(seconds))
        return formatFixed(seconds, 0);
    const auto whole = static_cast<qint64>(std::max(0.0, std::floor(seconds)));
    const QString tail = QStringLiteral("%1:%2")
                             .arg(whole / 60 % 60, whole >= 3600 ? 2 : 1, 10, QLatin1Char('0'))
                             .arg(whole % 60, 2, 10, QLatin1Char('0'));
    return whole >= 3600 ? QString::number(whole / 3600) + QLatin1Char(':') + tail : tail;
}

QString formatTimeOfDay(double unixSeconds)
{
    return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(unixSeconds * 1000))
        .toString(QStringLiteral("HH:mm:ss"));
}

QString formatAxisNumber(double value)
{
    const double magnitude = std::abs(value);
    if (std::isfinite(value) && magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e9))
        return scientific(value);
    return withoutTrailingZeros(formatFixed(value, magnitude >= 1e4 ? 0 : 6));
}

} // namespace mantissa::ui
