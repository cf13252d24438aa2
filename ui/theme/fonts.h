// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <algorithm>

/// The three sizes of the window, from the system's font and its size.
namespace mantissa::ui {

inline QFont scaledFont(QFont font, double factor, double least)
{
    font.setPointSizeF(std::max(font.pointSizeF() * factor, std::min(least, font.pointSizeF())));
    return font;
}

/// Tables, docks and plot titles (9 of 10).
inline QFont tableFont(const QFont& base)
{
    return scaledFont(base, 0.9, 9);
}

/// Axis numbers, hints and badges (8.25 of 10).
inline QFont hintFont(const QFont& base)
{
    return scaledFont(base, 0.825, 8.25);
}

inline QFont semibold(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace mantissa::ui
