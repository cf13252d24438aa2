// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "ui/main_window/page.h"
#include "ui/runs/store_reader.h"

#include <QTimer>
#include <filesystem>
#include <memory>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace mantissa::ui {

class ChecklistPanel;
class DetailsPanel;
class Dock;
class DockArea;
class NotePanel;
class Notice;
class OperatorsPanel;
class ReadoutView;
class RunActions;
class RunEventModel;
class RunExporter;
class RunPlots;
class RunProfiler;
class RunSortFilter;
class RunTableModel;
class RunTableView;
class StoreEditor;
class WindowSettings;

/// All stored runs: table, curves of the chosen ones laid over one another, what differs between
/// them, events, notes, and what can be done with them. Follows the store by itself.
class RunsPage : public Page {
    Q_OBJECT

public:
    /// `profiler` outlives the page.
    RunsPage(const std::filesystem::path& store, WindowSettings& settings, RunProfiler& profiler,
        QWidget* parent = nullptr);
    ~RunsPage() override;

    QString name() const override;
    Icon pageIcon() const override;
    QString description() const override;
    void pageShown() override;
    QByteArray saveLayout() const override;
    void restoreLayout(const QByteArray& bytes) override;

    /// Chooses these runs, e.g. those of a comparison that has just ended.
    void selectRuns(const std::vector<std::int64_t>& runs);
    /// LibTorch's version as the newest run's worker told it; empty if there is none.
    QString torchVersion() const;
    RunActions& runActions() { return *m_actions; }
    RunExporter& exporter() { return *m_exporter; }

Q_SIGNALS:
    /// A run's experiment is wanted in the Experiment page.
    void cloneRequested(const mantissa::ExperimentConfig& config);
    /// A stored run is to go on.
    void resumeRequested(std::int64_t run);
    /// The button of the empty page.
    void startRequested();
    /// A report is written; the window may offer to open it.
    void reportWritten(const QString& file);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setupLayout();
    QWidget* setupStrip();
    QWidget* setupTable();
    QWidget* setupEmptyState();
    void setupDocks();
    void showTableMenu(const QPoint& position);
    void showNote(bool tags);
    void connectParts();
    void takeRuns(const std::vector<RunRecord>& runs);
    void selectNewestComparison();
    void chosenChanged();
    void takeData(const std::shared_ptr<const RunDataList>& loaded);
    void applyFilter(const QString& text);
    void updateCounts();
    void showReadout();
    void showNotice(const QString& html, bool error);
    void cloneRun(const RunRecord& run);

    WindowSettings& m_settings;
    StoreReader* m_reader = nullptr;
    StoreEditor* m_editor = nullptr;
    RunExporter* m_exporter = nullptr;
    RunProfiler& m_profiler;
    RunActions* m_actions = nullptr;
    RunTableModel* m_model = nullptr;
    RunSortFilter* m_sorted = nullptr;
    RunEventModel* m_eventModel = nullptr;

    DockArea* m_docks = nullptr;
    QSplitter* m_splitter = nullptr;
    QStackedWidget* m_tableOrEmpty = nullptr;
    QLineEdit* m_filter = nullptr;
    QCheckBox* m_archived = nullptr;
    QLabel* m_counts = nullptr;
    Notice* m_notice = nullptr;
    QLabel* m_emptyText = nullptr;
    QPushButton* m_emptyButton = nullptr;
    RunTableView* m_table = nullptr;
    RunPlots* m_plots = nullptr;
    DetailsPanel* m_details = nullptr;
    ChecklistPanel* m_checklist = nullptr;
    NotePanel* m_note = nullptr;
    OperatorsPanel* m_operators = nullptr;
    QTableView* m_events = nullptr;
    ReadoutView* m_readout = nullptr;
    Dock* m_readoutDock = nullptr;
    Dock* m_detailsDock = nullptr;
    Dock* m_checklistDock = nullptr;
    Dock* m_operatorsDock = nullptr;
    Dock* m_eventsDock = nullptr;
    Dock* m_noteDock = nullptr;
    QTimer m_reload; ///< gathers changes of the choice
    std::vector<std::int64_t> m_loadedIds; ///< chosen at the last load
    bool m_loadedEnded = false; ///< all of them had ended
    bool m_roomy = true; ///< the plots' controls stand over the plots
    bool m_everListed = false; ///< a list with runs has come
    std::vector<std::int64_t> m_wanted; ///< to choose as soon as they are in the table
};

} // namespace mantissa::ui
