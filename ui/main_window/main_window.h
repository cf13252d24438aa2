// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/controller.h"
#include "core/run/worker_process.h"
#include "ui/main_window/window_settings.h"

#include <QMainWindow>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

class QActionGroup;
class QMenu;
class QStackedWidget;

namespace mantissa::ui {

class ExperimentDocument;
class Page;
class PageList;
class RunSession;
class RunToolBar;
class StatusLine;
class Theme;

/// The window: menus, tool bar, page list, pages and status line. It owns the current run.
///
///     MainWindow window(options, theme, document);
///     window.addPage(new LivePage);
///     window.restore();
///     window.show();
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    struct Options {
        std::filesystem::path store;
        ControllerOptions controller; ///< an empty worker is looked for at Start
        QString settingsFile; ///< empty = the user's
    };
    MainWindow(Options options, Theme& theme, ExperimentDocument& document);
    ~MainWindow() override;

    /// Pages appear in the order they are added, with Ctrl+1, Ctrl+2, ...
    void addPage(Page* page);
    /// Brings back layout, page and the last experiment; call it after the pages are added.
    void restore();
    void showPage(const QString& name);

    QAction* startAction() const;
    RunSession* session() const { return m_session.get(); }
    QMenu* helpMenu() const { return m_help; }
    QMenu* fileMenu() const { return m_file; }
    WindowSettings& settings() { return m_settings; }

    /// What to start for a question to a worker; an Error says where it was looked for.
    Result<WorkerProgram> workerProgram() const;

    /// Asks what to do with unsaved changes of the experiment, if there are any: true = they are
    /// saved or may go.
    bool mayDropChanges();
    /// While `why` is not empty no run can start: why not, in a few words. `by` is who says so, as
    /// a key only.
    void setStartBlock(const QObject* by, const QString& why);
    /// What else than `asking` blocks a start, in the words of setStartBlock(); else empty.
    QString otherWork(const QObject* asking = nullptr) const;
    /// What a measurement by `asking` would disturb or be disturbed by, a run included.
    QString busyWith(const QObject* asking = nullptr) const;

public Q_SLOTS:
    void startRun();
    /// Goes on with a stored run from its newest checkpoint; what prevents it is shown.
    void resumeRun(std::int64_t run);
    /// A new run from the newest checkpoint of a stored one, with another scaler.
    void startFromCheckpoint(std::int64_t run, const mantissa::ScalerConfig& scaler);
    void pauseOrResume();
    void stopRun();
    void openExperiment(const std::filesystem::path& file);
    void openWithDialog();
    void saveWithDialog();

Q_SIGNALS:
    void sessionChanged();
    void startBlocksChanged();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    std::optional<ControllerOptions> workerOptions();
    void begin(Result<std::unique_ptr<RunSession>> session, const QString& what);
    void endSession();
    void tellSlowFormats();
    bool isBusy(const QString& what);
    void setupMenus();
    void setupViewMenu();
    void listPanels(QMenu& menu);
    void setupCentre();
    void choosePage(int index);
    void showPageStatus();
    void showState();
    void saveSettings();
    void editFocused(const char* slot);
    bool confirmClose();
    void stopAndWait();

    Options m_options;
    Theme& m_theme;
    ExperimentDocument& m_document;
    WindowSettings m_settings;
    std::vector<Page*> m_pages;
    RunToolBar* m_bar = nullptr;
    PageList* m_list = nullptr;
    QStackedWidget* m_stack = nullptr;
    StatusLine* m_status = nullptr;
    QMenu* m_file = nullptr;
    QMenu* m_view = nullptr;
    QMenu* m_help = nullptr;
    QAction* m_save = nullptr;
    std::map<const QObject*, QString> m_startBlocks;
    QAction* m_viewEnd = nullptr; ///< page actions stand before it
    std::unique_ptr<RunSession> m_session;
};

} // namespace mantissa::ui
