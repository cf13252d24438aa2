// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/card_text.h"

#include "ui/theme/value_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("HardwarePage", text);
}

const QString kDot = QStringLiteral(" \u00b7 ");

QString pointText(const CheckPoint& point, bool bandwidth)
{
    QString text =
        tr("%1: %2, %3 (quartiles %4 to %5, %6 repeats)")
            .arg(toQString(point.shape), toQString(rateText(point.rate(), bandwidth)),
                formatMs(point.ms.median), formatMs(point.ms.lower), formatMs(point.ms.upper))
            .arg(point.repeats);
    if (point.ratio)
        text += QStringLiteral(", ") + toQString(speedText(*point.ratio));
    return text;
}

} // namespace

QString formatName(CheckFormat format)
{
    return toQString(toString(format));
}

SeriesColour formatColour(CheckFormat format)
{
    switch (format) {
    case CheckFormat::Fp64:
        break;
    case CheckFormat::Fp32:
        return SeriesColour::Fp32;
    case CheckFormat::Tf32:
        return SeriesColour::Tf32;
    case CheckFormat::Bf16:
        return SeriesColour::Bf16;
    case CheckFormat::Fp16:
        return SeriesColour::Fp16;
    }
    return SeriesColour::Reference;
}

ClassLook classLook(FormatClass value, const Colours& c)
{
    const QString word = toQString(toString(value));
    switch (value) {
    case FormatClass::Native:
        return {word, Icon::Good, c.good, c.goodGround};
    case FormatClass::Conversion:
        return {word, Icon::Convert, c.info, c.infoGround};
    case FormatClass::Emulated:
        return {word, Icon::Warning, c.warn, c.warnGround};
    case FormatClass::Unsupported:
        break;
    }
    return {word, Icon::Close, c.mutedText, c.equivalenceBand};
}

FormatClass formatClassOf(const CapabilityCard& card, CheckFormat format)
{
    for (const CheckWork work : kCheckWorks) {
        const CheckCell* cell = card.find(work, format);
        if (cell && !cell->points.empty())
            return cell->formatClass;
    }
    return FormatClass::Unsupported;
}

QString unsupportedReason(const CapabilityCard& card, CheckFormat format)
{
    QString reason;
    for (const CheckCell& cell : card.cells) {
        if (cell.format != format)
            continue;
        if (!cell.points.empty())
            return {};
        if (reason.isEmpty())
            reason = cell.reason.empty() ? tr("not supported here") : toQString(cell.reason);
    }
    return reason;
}

RateWords rateWords(double rate, bool bandwidth)
{
    const QString text = toQString(rateText(rate, bandwidth));
    const auto space = text.indexOf(QLatin1Char(' '));
    return {text.left(space), text.mid(space + 1)};
}

QString errorText(double error)
{
    if (!(error > 0) || !std::isfinite(error))
        return error == 0 ? QStringLiteral("0") : tr("not finite");
    int exponent = static_cast<int>(std::floor(std::log10(error)));
    double mantissa = error / std::pow(10.0, exponent);
    if (mantissa >= 9.95) {
        mantissa = 1;
        ++exponent;
    }
    if (exponent >= -1)
        return formatSignificant(error, 2);
    return formatFixed(mantissa, 1) + QLatin1Char('e') + formatFixed(exponent, 0);
}

QString cellDetail(const CheckCell& cell)
{
    if (cell.format == CheckFormat::Fp64)
        return tr("reference");
    QStringList parts;
    if (cell.format != CheckFormat::Fp32 && !cell.points.empty() && cell.largest().ratio)
        parts << toQString(speedText(*cell.largest().ratio));
    if (cell.maxError)
        parts << tr("error %1").arg(errorText(*cell.maxError));
    return parts.join(kDot);
}

QString cellTip(const CheckCell& cell)
{
    QStringList lines{
        tr("%1 in %2: %3")
            .arg(toQString(title(cell.work)), formatName(cell.format), toQString(classText(cell)))};
    if (cell.points.empty())
        lines << (cell.reason.empty() ? tr("It does not run here.") : toQString(cell.reason));
    for (const CheckPoint& point : cell.points)
        lines << pointText(point, isBandwidth(cell.work));
    if (cell.cutShort)
        lines << tr("Larger sizes are left out: they would have taken longer than the limit.");
    if (cell.maxError)
        lines
            << tr("Largest error against fp64's largest value: %1").arg(errorText(*cell.maxError));
    if (cell.format != CheckFormat::Fp64 && !cell.points.empty())
        lines << (cell.hardwareFlag ? tr("The hardware says that it computes in this format.")
                                    : tr("The hardware does not say that it computes in this "
                                         "format."));
    return lines.join(QLatin1Char('\n'));
}

QString cellSentence(const CheckCell& cell)
{
    if (cell.points.empty())
        return tr("%1 in %2: unsupported. %3")
            .arg(toQString(title(cell.work)), formatName(cell.format), toQString(cell.reason));
    const CheckPoint& point = cell.largest();
    return tr("%1 in %2: %3, %4, %5, %6")
        .arg(toQString(title(cell.work)), formatName(cell.format),
            toQString(rateText(point.rate(), isBandwidth(cell.work))), formatMs(point.ms.median),
            toQString(toString(cell.formatClass)), cellDetail(cell));
}

QString checkTime(std::int64_t unixMs)
{
    return QLocale::c().toString(
        QDateTime::fromMSecsSinceEpoch(unixMs), QStringLiteral("d MMM HH:mm"));
}

QString deviceText(const CheckDevice& device)
{
    const QString id = device.id == "cpu" ? tr("CPU") : toQString(device.id);
    return device.name.empty() ? id : id + QStringLiteral(": ") + toQString(device.name);
}

FlopUnit flopUnit(double largest)
{
    if (largest >= 1e13)
        return {1e12, QStringLiteral("TFLOP/s")};
    return {1e9, QStringLiteral("GFLOP/s")};
}

} // namespace mantissa::ui
