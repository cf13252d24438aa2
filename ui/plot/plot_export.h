// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "ui/plot/axis_scale.h"

#include <QSize>
#include <QString>
#include <functional>

class QPaintDevice;
class QWidget;

namespace mantissa::ui {

class SeriesPlot;

/// Something drawn that can be written as a file.
struct Drawing {
    QString title;
    QSize size; ///< logical pixels
    std::function<void(QPaintDevice&)> render; ///< draws in logical pixels
    std::function<QString()> csv;
};

/// Writes .png (twice the logical size), .svg, .pdf (vectors) or .csv, by the suffix of `file`.
[[nodiscard]] Result<void> exportDrawing(const Drawing& drawing, const QString& file);
/// Puts it on the clipboard as a picture.
void copyDrawing(const Drawing& drawing);
/// Asks for a file and writes it; shows a failure in a message box.
void exportDrawingWithDialog(const Drawing& drawing, QWidget* parent);

/// Writes a plot as .png (twice the logical size), .svg, .pdf (vectors) or .csv (every point of the
/// visible curves, not only what is drawn), by the suffix of `file`.
[[nodiscard]] Result<void> exportPlot(SeriesPlot& plot, XAxisKind xKind, const QString& file);

/// The CSV: curve,x,value,smoothed; smoothed is empty where no smoothing is on.
QString plotCsv(const SeriesPlot& plot, XAxisKind xKind);

/// Puts the plot on the clipboard as a picture.
void copyPlot(SeriesPlot& plot);

/// Asks for a file and writes it; shows a failure in a message box.
void exportPlotWithDialog(SeriesPlot& plot, XAxisKind xKind, QWidget* parent);

} // namespace mantissa::ui
