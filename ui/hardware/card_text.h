// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"
#include "ui/theme/value_text.h"

#include <QString>
#include <string_view>

/// A capability card's values as the page Hardware words and colours them. Pure, any thread but
/// for icons.
namespace mantissa::ui {

QString formatName(CheckFormat format);
SeriesColour formatColour(CheckFormat format);

/// How a class is shown: never by colour alone.
struct ClassLook {
    QString word;
    Icon sign = Icon::Good;
    QColor ink, ground;
};
ClassLook classLook(FormatClass value, const Colours& colours);
/// The class that stands for a whole format: that of its matrix product, else of the first work
/// that was measured; Unsupported if none was.
FormatClass formatClassOf(const CapabilityCard& card, CheckFormat format);
/// Why no work runs in the format; empty if some does, or while nothing is known.
QString unsupportedReason(const CapabilityCard& card, CheckFormat format);

/// "438" and "GFLOP/s".
struct RateWords {
    QString number, unit;
};
RateWords rateWords(double rate, bool bandwidth);
/// 0.0039 gives "3.9e−3".
QString errorText(double error);
/// "2.2x faster · error 3.9e−3", "error 2.1e−6", "reference".
QString cellDetail(const CheckCell& cell);
/// Every size with quartiles, repeats and ratio, for a tooltip; says where larger sizes were left
/// out, and why something does not run.
QString cellTip(const CheckCell& cell);
/// The whole cell as a sentence, for screen readers.
QString cellSentence(const CheckCell& cell);

/// Local time of a check: "2 Mar 09:14".
QString checkTime(std::int64_t unixMs);
/// "CPU: AMD EPYC", "cuda:0: NVIDIA H200".
QString deviceText(const CheckDevice& device);

/// The unit for an axis whose largest value is `largest` FLOP/s.
struct FlopUnit {
    double size = 1e9;
    QString name;
};
FlopUnit flopUnit(double largest);

} // namespace mantissa::ui
