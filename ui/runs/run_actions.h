// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/experiment_config.h"
#include "core/storage/run_store.h"

#include <QObject>
#include <filesystem>
#include <vector>

class QAction;
class QWidget;

namespace mantissa::ui {

class RunExporter;
class StoreEditor;
class WindowSettings;

/// What can be done with the chosen runs, as actions with keys; one that cannot be done now is
/// disabled and its tooltip says why. Asks for files, and before deleting. GUI thread only.
class RunActions : public QObject {
    Q_OBJECT

public:
    /// `page` owns the actions and is the parent of dialogs; the keys work inside it.
    RunActions(StoreEditor& editor, RunExporter& exporter, WindowSettings& settings, QWidget& page);

    /// The runs that the actions are about, in the order of the table.
    void setRuns(std::vector<RunRecord> runs);
    /// While a report or an export is being written no other one is begun.
    void setWriting(bool writing);

    QAction* note = nullptr;
    QAction* tags = nullptr;
    QAction* archive = nullptr; ///< "Restore" if all chosen runs are archived
    QAction* remove = nullptr;
    QAction* report = nullptr;
    QAction* exportCsv = nullptr;
    QAction* exportJson = nullptr;
    QAction* clone = nullptr;
    QAction* resume = nullptr; ///< a run that ended before its last step
    QAction* undo = nullptr;
    QAction* redo = nullptr;
    QAction* find = nullptr;

    /// What the question before deleting says: which runs, and what is lost with them.
    static QString deletionText(const std::vector<RunRecord>& runs);
    /// "report-fashion-mnist-cnn-41-43.html"
    static QString fileName(
        const QString& kind, const std::vector<RunRecord>& runs, const QString& suffix);

Q_SIGNALS:
    /// Settings of the run's comparison are wanted in the Experiment page.
    void cloneRequested(const mantissa::RunRecord& run);
    /// The run is to go on from its newest checkpoint.
    void resumeRequested(std::int64_t run);

private:
    void setupActions();
    void setupUndo();
    QAction* add(int icon, const QString& text, const QString& tip, const QKeySequence& keys);
    void setUsable(QAction* action, const QString& whyNot);
    QString lastFolder() const;
    void toggleArchived();
    void askAndRemove();
    void askForReport();
    void askForCsv();
    void askForJson();
    std::vector<std::int64_t> ids() const;
    QString askForFile(const QString& title, const QString& name, const QString& filter);

    StoreEditor& m_editor;
    RunExporter& m_exporter;
    WindowSettings& m_settings;
    QWidget& m_page;
    std::vector<RunRecord> m_runs;
    bool m_writing = false;
};

} // namespace mantissa::ui
