// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/readout_table.h"
#include "ui/plot/axis_scale.h"
#include "ui/runs/store_reader.h"
#include "ui/theme/colours.h"

#include <QWidget>
#include <array>
#include <map>
#include <memory>
#include <vector>

class QHBoxLayout;

namespace mantissa::ui {

class LiveControls;
class PlotGroup;
class SeriesPlot;
class WindowSettings;

/// The chosen runs laid over one another: loss, loss scale, throughput and memory, linked, with
/// their controls. Keeps its options in the settings. GUI thread only.
class RunPlots : public QWidget {
    Q_OBJECT

public:
    /// More curves than this are not drawn; the plots say so.
    static constexpr std::size_t kMaxRuns = 12;

    explicit RunPlots(WindowSettings& settings, QWidget* parent = nullptr);
    ~RunPlots() override;

    /// Draws these runs; none or null empties the plots.
    void setRuns(std::shared_ptr<const RunDataList> runs);
    /// Puts the cursor of all plots at a step of a run that is drawn.
    void moveCursorTo(std::int64_t run, std::int64_t step);
    /// The strip of controls; it may stand elsewhere, takeControls() puts it over the plots again.
    QWidget* controls() const;
    void takeControls();
    const std::array<SeriesPlot*, 4>& plots() const { return m_plots; }
    PlotGroup& group() const { return *m_group; }
    /// The values of every drawn run at the cursor.
    std::vector<ReadoutRow> readout() const;
    /// The colours of the drawn runs, by run.
    std::map<std::int64_t, SeriesColour> runColours() const;

Q_SIGNALS:
    /// The cursor, the runs or the smoothing have changed.
    void readoutChanged();

private:
    void setupPlots();
    void setupControls();
    void setupExport();
    void loadOptions();
    void saveOptions();
    void applyOptions();
    void redraw();
    void rebuildLegend(const std::vector<RunRecord>& runs, const QStringList& labels);
    QWidget* legendEntry(std::size_t index, const RunRecord& run, const QString& label);
    void drawRun(std::size_t index, const RunData& run, const QString& label);
    void drawMarks(int curve, const RunData& run);
    void chooseRateScale();
    void setKeysAndNotes();
    void setHidden(std::size_t run, bool hidden);
    XAxisKind xKind() const;

    WindowSettings& m_settings;
    std::shared_ptr<const RunDataList> m_runs;
    std::vector<SeriesColour> m_colours;
    std::vector<std::int64_t> m_shownIds;
    std::vector<std::int64_t> m_hiddenIds;
    PlotGroup* m_group = nullptr;
    std::array<SeriesPlot*, 4> m_plots{};
    QWidget* m_legend = nullptr;
    QHBoxLayout* m_legendRow = nullptr;
    LiveControls* m_controls = nullptr;
    std::size_t m_skipped = 0;
    std::size_t m_nonFinite = 0;
    std::size_t m_disturbed = 0;
};

} // namespace mantissa::ui
