// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_group.h"
#include "ui/plot/series_plot.h"

#include <QPointer>

namespace mantissa::ui {

/// The inside of a SeriesPlot. series_plot.cpp keeps the data, series_plot_draw.cpp draws.
struct SeriesPlot::Private {
    struct Entry {
        PlotCurve curve;
        QCPGraph* raw = nullptr;
        QCPGraph* shown = nullptr;
    };

    explicit Private(SeriesPlot& plot);
    void connectCanvas();

    // Interaction.
    void syncAxes();
    void zoom(const QPointF& at, double factor, bool vertical);
    void pan(const QPoint& pixels);
    void zoomTo(const QRect& box);
    void hover(const QPointF& at);
    int curveAt(const QPointF& at) const; ///< -1 = none near
    QString markTextAt(const QPoint& at) const;

    // Drawing, in this order at every replot.
    void prepare();
    void updateMargins();
    AxisRange fittedY() const;
    void updateGraphs();
    void setTickers();
    void paintDecoration(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    bool isFree(const QRectF& place) const;
    void paintFreeNote(QPainter& painter) const;
    void paintOverlay(QPainter& painter) const;
    std::vector<NameTag> nameTags() const;
    QPointF markPlace(const PlotMark& mark) const;
    double toPixelX(double x) const { return canvas->xAxis->coordToPixel(x); }
    double toPixelY(double y) const { return canvas->yAxis->coordToPixel(y); }
    QString yText(double y) const;
    bool hasRail(MarkKind kind) const;

    SeriesPlot& q;
    PlotCanvas* canvas;
    QPointer<PlotGroup> group;
    PlotHeader header;
    QString note;
    std::vector<Entry> entries;
    std::vector<PlotMark> marks;
    YScale scale = YScale::Linear;
    bool fromZero = false;
    std::function<QString(double)> format;
    double smoothing = 0;
    bool rawVisible = true;
    bool marksVisible = true;
    std::optional<AxisRange> manualY;
    bool exporting = false;
    bool pending = false;
    int hovered = -1; ///< drawn 2 px wide
};

} // namespace mantissa::ui
