// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/hardware/chart_widget.h"
#include "ui/hardware/roofline.h"

namespace mantissa::ui {

/// Rate over arithmetic intensity: the measured roofs as lines, the model's steps as points.
/// GUI thread.
class RooflinePlot : public ChartWidget {
    Q_OBJECT
public:
    explicit RooflinePlot(QWidget* parent = nullptr);

    void set(const Roofline& roofline);
    /// Draws the published peaks as dashed lines, too.
    void setTheoryShown(bool shown);
    const Roofline& roofline() const { return m_data; }
    QString csv() const override;
    /// Where a point stands at a size of the plot.
    QPointF pointPlace(const Roofline::Point& point, const QSizeF& size) const;

protected:
    void draw(QPainter& painter, const QSizeF& size) const override;
    QString tipAt(const QPointF& place) const override;

private:
    struct Axes {
        QRectF frame;
        LogAxis x, y;
    };
    Axes axes(const QSizeF& size) const;
    void drawIntensityAxis(QPainter& painter, const Axes& axes) const;
    void drawMemoryRoof(QPainter& painter, const Axes& axes) const;
    void drawRoofs(QPainter& painter, const Axes& axes) const;
    void drawPoints(QPainter& painter, const Axes& axes) const;
    QString pointText(const Roofline::Point& point) const;
    double highestRoof() const;

    Roofline m_data;
    bool m_theory = true;
    double m_unit = 1e9; ///< of the y axis, in FLOP/s
    QString m_unitName;
};

} // namespace mantissa::ui
