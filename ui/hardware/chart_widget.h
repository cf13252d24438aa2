// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/axis_scale.h"
#include "ui/plot/plot_export.h"
#include "ui/theme/colours.h"

#include <QRectF>
#include <QWidget>

class QPainter;

namespace mantissa::ui {

/// A logarithmic axis: values to pixels.
struct LogAxis {
    AxisRange range; ///< positive
    double from = 0; ///< pixel of range.lower
    double to = 1;
    double pixel(double value) const;
};

/// A chart that paints itself and can be written as picture, vectors or values. GUI thread.
class ChartWidget : public QWidget {
    Q_OBJECT
public:
    ChartWidget(const QString& title, QWidget* parent);

    const QString& title() const { return m_title; }
    virtual QString csv() const = 0;
    Drawing drawing() const;

protected:
    /// Draws everything at `size`, the ground included already.
    virtual void draw(QPainter& painter, const QSizeF& size) const = 0;
    /// What is at a place, for its tooltip.
    virtual QString tipAt(const QPointF& place) const = 0;

    /// The frame with its grid and the numbers of the y axis; `unit` stands inside at the top.
    void drawFrame(QPainter& painter, const QRectF& frame, const LogAxis& y) const;

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void drawOn(QPaintDevice& device, const QSize& size) const;

    QString m_title;
};

/// Lines from lower left to upper right inside a rectangle: what says "emulated" without colour.
void drawHatch(QPainter& painter, const QRectF& place, const QColor& colour);

} // namespace mantissa::ui
