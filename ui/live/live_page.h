// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/run_summary.h"
#include "ui/live/live_plots.h"
#include "ui/main_window/page.h"

#include <QElapsedTimer>
#include <filesystem>

class QAction;
class QComboBox;
class QLabel;
class QPushButton;
class QStackedLayout;
class QTableView;
class QVBoxLayout;

namespace mantissa::ui {

class Dock;
class DockArea;
class EventTable;
class ExperimentDocument;
class FoldRow;
class LegendRow;
class LiveControls;
class ReadoutView;
class ResultTable;
class RunExporter;
class RunProfiler;
class ScalerPanel;
class SpeedUpLines;
class SpeedUpPanel;
class SystemPlots;
class VariantPanel;
class WindowSettings;

/// The run as it happens: linked plots, read-out, variants, events, result so far.
class LivePage : public Page {
    Q_OBJECT
public:
    /// `start` is the window's action, for the empty page. `store` is read for the report and for
    /// what `profiler`, which outlives the page, found out.
    LivePage(QAction* start, const ExperimentDocument& document, WindowSettings& settings,
        std::filesystem::path store, RunProfiler& profiler, QWidget* parent = nullptr);
    ~LivePage() override;

    QString name() const override { return QStringLiteral("Live"); }
    Icon pageIcon() const override { return Icon::Live; }
    QString description() const override;
    void setSession(RunSession* session) override;
    void pageShown() override;
    QByteArray saveLayout() const override;
    void restoreLayout(const QByteArray& layout) override;

    LivePlots& plots() { return *m_plots; }
    SystemPlots& systemPlots() { return *m_system; }
    /// Renders the report of the current comparison in the background, then opens it; a failure is
    /// shown.
    void report();

Q_SIGNALS:
    /// A new run from the last checkpoint of run `run` of the store, with these scaler settings.
    void variantRequested(std::int64_t run, const mantissa::ScalerConfig& scaler);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setupCentre();
    void setupRepetitions(QVBoxLayout& layout);
    void setupSystem(QVBoxLayout& layout);
    void setupDocks(RunProfiler& profiler);
    QPushButton* makeReportButton();
    void setupScaler(Dock& beside);
    void setupSpeedUp(Dock& beside, RunProfiler& profiler);
    QWidget* makeEvents();
    QWidget* makeResult();
    void setupExport();
    void connectParts();
    void showEmpty();

    void showRepetition(int repetition);
    int currentRepetition() const;
    void listRepetitions();
    void reportWritten(const QString& path);
    void refresh();
    void refreshFigures();
    void refreshSummaries(bool now);
    void refreshEvents();
    void showReadout();
    void showSlowVariants();
    void explain(int variant);
    void applyOptions();
    void loadOptions();
    void saveOptions();
    void openEvent(int row);

    WindowSettings& m_settings;
    const ExperimentDocument& m_document;
    QAction* m_start;
    std::filesystem::path m_store;
    RunSession* m_session = nullptr;
    int m_repetition = -1;
    std::optional<int> m_chosenRepetition; ///< nothing = the one that is on
    std::vector<LiveVariant> m_variants;
    std::vector<RunSummary> m_summaries;
    std::vector<std::size_t> m_eventsSeen;
    std::vector<bool> m_endSeen;
    QElapsedTimer m_sinceSummary;
    qint64 m_summaryMs = 0; ///< what the last one cost

    DockArea* m_docks = nullptr; ///< around the plots
    RunExporter* m_exporter = nullptr;
    QComboBox* m_repetitions = nullptr;
    LiveControls* m_controls = nullptr;
    LegendRow* m_legend = nullptr;
    LivePlots* m_plots = nullptr;
    SystemPlots* m_system = nullptr;
    FoldRow* m_systemRow = nullptr;
    QWidget* m_empty = nullptr;
    QLabel* m_emptyText = nullptr;
    VariantPanel* m_panel = nullptr;
    ScalerPanel* m_scaler = nullptr;
    ReadoutView* m_readout = nullptr;
    EventTable* m_events = nullptr;
    QTableView* m_eventView = nullptr;
    QLabel* m_eventLine = nullptr; ///< the chosen event in full
    ResultTable* m_result = nullptr;
    SpeedUpLines* m_slow = nullptr; ///< under the result
    SpeedUpPanel* m_speedUp = nullptr;
    QPushButton* m_report = nullptr;
    Dock* m_scalerDock = nullptr;
    Dock* m_readoutDock = nullptr;
    Dock* m_eventDock = nullptr;
    Dock* m_resultDock = nullptr;
    Dock* m_speedUpDock = nullptr;
};

} // namespace mantissa::ui
