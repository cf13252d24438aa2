// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/plot_mark.h"

#include <QColor>
#include <QFont>
#include <QRectF>
#include <QString>
#include <vector>

class QPainter;

/// What is painted around and over the curves. Pure painting, pixel coordinates of the plot.
namespace mantissa::ui {

/// An entry of the mark key at the right of the title line.
struct MarkKey {
    MarkKind kind = MarkKind::Skipped;
    QString text; ///< e.g. "skipped: 7"
    SeriesColour colour = SeriesColour::Reference;
};

struct NameTag {
    QString name;
    QColor colour;
    double y = 0; ///< where its curve ends
};

struct CursorDot {
    QPointF at;
    QColor colour;
};

struct PlotHeader {
    QString title;
    QString detail;
    std::vector<MarkKey> keys;
};

/// Height of the title line, above the frame.
inline constexpr int kHeaderHeight = 24;
/// Height of the rails of marks inside the frame.
inline constexpr int kRailHeight = 16;

void paintHeader(QPainter& painter, const QRectF& place, const PlotHeader& header,
    const QFont& base, const Colours& colours);
/// Width that the tags need right of the frame.
int nameTagWidth(const std::vector<NameTag>& tags, const QFont& base);
void paintNameTags(QPainter& painter, const QRectF& frame, std::vector<NameTag> tags,
    const QFont& base, const Colours& colours);
/// Where a note fits inside the frame, best place first.
std::vector<QRectF> notePlaces(const QRectF& frame, const QString& note, const QFont& base);
void paintNote(QPainter& painter, const QRectF& place, const QString& note, const QFont& base,
    const Colours& colours);
/// `axisTexts` are the centres of the axis numbers and their texts: one that the label touches is
/// covered.
void paintCursor(QPainter& painter, const QRectF& frame, double x, const QString& label,
    const std::vector<std::pair<double, QString>>& axisTexts, const std::vector<CursorDot>& dots,
    const QFont& base, const Colours& colours);
void paintBox(QPainter& painter, const QRectF& box, const Colours& colours);

} // namespace mantissa::ui
