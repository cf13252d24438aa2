// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/axis_scale.h"
#include "ui/plot/qcp.h"

#include <functional>
#include <optional>

namespace mantissa::ui {

/// Ticks and labels from a function, so that all arithmetic stays in axis_scale.
class FunctionTicker : public QCPAxisTicker {
public:
    struct Ticks {
        std::vector<double> major;
        std::vector<double> minor;
        std::vector<QString> labels;
    };
    using Source = std::function<Ticks(const AxisRange&)>;
    explicit FunctionTicker(Source source);
    void generate(const QCPRange& range, const QLocale& locale, QChar formatChar, int precision,
        QVector<double>& ticks, QVector<double>* subTicks, QVector<QString>* tickLabels) override;

private:
    Source m_source;
};

/// Draws what a function paints, over the whole widget, on a layer of the plot.
class PaintedLayerable : public QCPLayerable {
public:
    using Paint = std::function<void(QCPPainter&)>;
    PaintedLayerable(QCustomPlot* plot, const QString& layer, Paint paint);

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    Paint m_paint;
};

/// The QCustomPlot inside a SeriesPlot: one axis rectangle, no interaction of its own; turns mouse
/// and wheel into the few gestures of the design.
class PlotCanvas : public QCustomPlot {
    Q_OBJECT
public:
    explicit PlotCanvas(QWidget* parent);

    QRect frame() const { return axisRect()->rect(); }
    bool dragging() const { return m_drag == Drag::Pan && m_moved; }
    std::optional<QRect> box() const;

Q_SIGNALS:
    void zoomed(const QPointF& at, double factor, bool vertical);
    void panned(const QPoint& pixels);
    void boxChosen(const QRect& box);
    void fitWanted();
    void hovered(const QPointF& at);
    void gestureEnded();

protected:
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void applyColours();

    enum class Drag { None, Pan, Box };
    Drag m_drag = Drag::None;
    bool m_moved = false;
    QPoint m_start;
    QPoint m_last;
};

} // namespace mantissa::ui
