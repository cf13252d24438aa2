// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/axis_scale.h"

#include <QObject>
#include <optional>
#include <span>
#include <vector>

namespace mantissa::ui {

class SeriesPlot;

/// Links plots: one x range, one cursor, one follow mode, equal margins. GUI thread.
///
///     group.add(lossPlot);            // once
///     lossPlot->append(curve, x, y);  // as data comes
///     group.dataChanged();            // once a tick: at most one replot a plot
class PlotGroup : public QObject {
    Q_OBJECT
public:
    explicit PlotGroup(QObject* parent = nullptr);

    void add(SeriesPlot* plot);
    const std::vector<SeriesPlot*>& plots() const { return m_plots; }

    /// Call after any change of data, visibility or options of a plot.
    void dataChanged();

    AxisRange xRange() const { return m_range; }
    /// A zoom or pan by hand: ends follow.
    void setXRange(const AxisRange& range);
    /// Shows all data, also on the y axes; follow stays as it is.
    void fit();
    /// While on, the x axis always shows all data.
    bool follow() const { return m_follow; }
    void setFollow(bool follow);

    XAxisKind xAxisKind() const { return m_kind; }
    /// The caller gives the plots their new x values too.
    void setXAxisKind(XAxisKind kind);

    std::optional<double> cursor() const { return m_cursor; }
    void setCursor(std::optional<double> x);
    /// Moves the cursor by so many points of the data; to the first or last one if it is off.
    void moveCursor(int points);
    void cursorToStart();
    void cursorToEnd();

    /// The margins all plots use: each tells what it needs, the widest wins.
    int sharedLeft(int wanted);
    int sharedRight(int wanted);
    bool dragging() const;

Q_SIGNALS:
    void cursorChanged();
    void followChanged(bool follow);
    void rangeChanged();

private:
    std::optional<AxisRange> extent() const;
    void showAll();
    void replotAll();
    std::span<const double> cursorPlaces() const;

    std::vector<SeriesPlot*> m_plots;
    AxisRange m_range{0, 1};
    bool m_follow = true;
    XAxisKind m_kind = XAxisKind::Step;
    std::optional<double> m_cursor;
    int m_left = 0;
    int m_right = 0;
};

} // namespace mantissa::ui
