// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/colours.h"

#include <QPointF>
#include <QString>

class QPainter;

namespace mantissa::ui {

enum class MarkKind {
    Skipped, ///< x-cross on the bottom rail
    NonFinite, ///< crossed circle on the top rail
    Growth, ///< filled triangle up, above the value
    BackOff, ///< hollow triangle down, below the value
    Edit, ///< hollow diamond with a dotted line and its text
    Disturbed ///< square in the warning colour on the top rail: heat or other programs
};

/// Something that happened at one place of a curve. Never thinned out.
struct PlotMark {
    MarkKind kind = MarkKind::Skipped;
    double x = 0;
    double y = 0; ///< the curve's value; not used by the rails
    int curve = 0;
    QString text; ///< tooltip, and the words beside an edit
};

/// The colour of a mark whose curve has `series`.
QColor markColour(MarkKind kind, SeriesColour series, const Colours& colours);
/// Draws the sign of a kind around `centre`, 7 to 8 px wide.
void drawMark(QPainter& painter, MarkKind kind, const QPointF& centre, const QColor& colour);
/// The word of the mark key: "skipped", "growth", ...
QString markWord(MarkKind kind);

} // namespace mantissa::ui
