// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"

#include <QColor>
#include <QPalette>
#include <vector>

namespace mantissa::ui {

/// Which colour a series has, independent of light and dark: one per precision, and two more for
/// further variants of a precision that is already there.
enum class SeriesColour { Fp32, Bf16, Fp16, Tf32, Reference, Fifth, Sixth };

/// Every colour of the program. Texts have at least 4.5:1, marks and lines 3:1 on `panel`.
struct Colours {
    QColor window, panel, dockTitle, alternateRow, border, grid, minorGrid, axisTicks;
    QColor text, mutedText, disabledText, selection;
    QColor good, goodGround, warn, warnGround, error, errorGround, info, infoGround;
    QColor accent, equivalenceBand;
    QColor fp32, bf16, fp16, tf32, reference, fifth, sixth;

    QColor series(SeriesColour colour) const;
};

const Colours& lightColours();
const Colours& darkColours();

/// Dark if the palette's window is darker than its text.
bool isDark(const QPalette& palette);
/// The set that belongs to a palette; call it with the widget's own palette() when painting.
const Colours& colours(const QPalette& palette);
/// A complete palette for all of Qt's roles.
QPalette paletteFor(const Colours& colours);

SeriesColour precisionColour(Precision precision);
/// The colours of a comparison's variants in order: the first variant of a precision has the
/// precision's colour, the next ones the fifth, the sixth and then whatever is not yet used.
std::vector<SeriesColour> variantColours(const std::vector<Precision>& precisions);

/// WCAG 2 contrast ratio, 1 to 21.
double contrastRatio(const QColor& a, const QColor& b);

} // namespace mantissa::ui
