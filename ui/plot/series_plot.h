// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/axis_scale.h"
#include "ui/plot/plot_curve.h"
#include "ui/plot/plot_decoration.h"
#include "ui/plot/plot_mark.h"

#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

class QPaintDevice;

namespace mantissa::ui {

class PlotGroup;

/// One plot of curves over steps or time, as in the design: title line, frame, name tags, marks on
/// rails, cursor. It holds the full data and draws a few points per pixel column. Several plots are
/// linked by a PlotGroup, which also repaints them; a plot of its own needs a group too.
/// GUI thread. Nothing is drawn before the next turn of the event loop.
class SeriesPlot : public QWidget {
    Q_OBJECT
public:
    explicit SeriesPlot(QWidget* parent = nullptr);
    ~SeriesPlot() override;

    void setTitle(const QString& title, const QString& detail = {});
    const QString& title() const;
    void setYScale(YScale scale);
    YScale yScale() const;
    /// A linear axis that starts at 0.
    void setYFromZero(bool fromZero);
    /// Text of a y value on the axis; formatAxisNumber() if not set.
    void setYFormat(std::function<QString(double)> format);
    void setMarkKey(std::vector<MarkKey> keys);
    /// A muted line at the bottom right inside the frame.
    void setNote(const QString& note);

    int addCurve(CurveSpec spec);
    /// Removes curves and marks.
    void clear();
    int curveCount() const;
    const PlotCurve& curve(int index) const;
    void append(int curve, std::span<const double> x, std::span<const double> y);
    void setPoints(int curve, std::span<const double> x, std::span<const double> y);
    void setCurveVisible(int curve, bool visible);
    void setLimit(int curve, std::optional<double> y);

    void addMark(const PlotMark& mark);
    void clearMarks();
    const std::vector<PlotMark>& marks() const;

    /// Weight as in Smoother, for the curves that are smoothable.
    void setSmoothing(double weight);
    void setRawVisible(bool visible);
    void setMarksVisible(bool visible);

    /// A y range by hand; nothing = fit to what is in view.
    void setYRange(std::optional<AxisRange> range);
    /// What the axis shows after the last replot.
    AxisRange yRange() const;
    std::optional<AxisRange> xExtent() const; ///< of the visible curves
    /// The area of the curves, in this widget's coordinates.
    QRect frame() const;
    /// Where a value is drawn, in this widget's coordinates.
    QPointF pixelOf(double x, double y) const;
    /// The points of a curve's line as drawn by the last replot.
    Curve drawnPoints(int curve) const;

    /// At most one replot until the event loop is back, however often it is called.
    void scheduleReplot();
    /// Repaints the cursor alone.
    void replotCursor();
    bool dragging() const;
    void setGroup(PlotGroup* group);
    /// Draws the plot without its cursor in logical pixels, e.g. into a file.
    void renderTo(QPaintDevice& device, const QSize& size);
    /// Milliseconds of the last replot.
    double replotMs() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> m_d;
};

} // namespace mantissa::ui
