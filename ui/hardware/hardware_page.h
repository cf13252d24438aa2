// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/hardware/check_history.h"
#include "ui/hardware/check_runner.h"
#include "ui/main_window/page.h"

#include <QPointer>
#include <functional>
#include <optional>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace mantissa::ui {

class AdvicePanel;
class ChangeTable;
class CheckControls;
class Dock;
class DockArea;
class FactList;
class FormatTable;
class FormatView;
class Notice;
class PeakTable;
class RateChart;
class RooflinePlot;
class WindowSettings;

/// What this machine does in each number format: a check that is run here or was stored, as table,
/// bars, roofline, facts and advice, compared with an earlier one.
class HardwarePage : public Page {
    Q_OBJECT
public:
    /// Where the worker is, asked at each check.
    using FindWorker = std::function<Result<WorkerProgram>()>;

    HardwarePage(const std::filesystem::path& store, WindowSettings& settings, FindWorker worker,
        RunCheck run = runCapabilityCheck, QWidget* parent = nullptr);
    ~HardwarePage() override;

    QString name() const override;
    Icon pageIcon() const override;
    QString description() const override;
    void setSession(RunSession* session) override;
    void pageShown() override;
    QStringList status() const override;
    QByteArray saveLayout() const override;
    void restoreLayout(const QByteArray& bytes) override;

    /// The experiment whose step the roofline shows, if it was checked.
    void setExperiment(const QString& name);
    /// Other work on the machine that a check would disturb, in a few words; empty = none.
    void setOtherWork(const QString& what);
    /// The card on show; null before a first check.
    const CapabilityCard* card() const { return m_card ? &*m_card : nullptr; }
    CheckRunner& runner() { return *m_runner; }
    /// Writes the card on show by the file's suffix; tells in the page how it went.
    void exportCard(const QString& file);

public Q_SLOTS:
    void startCheck(bool quick);

Q_SIGNALS:
    /// A check begins (why no run can start now) or has ended (empty).
    void busyChanged(const QString& why);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setupLayout();
    QWidget* setupCentre();
    QWidget* setupEmptyState();
    void setupDocks();
    QWidget* setupPeaks();
    QWidget* setupChanges();
    void setupExport();
    void connectParts();
    void loadOptions();

    void takeList(const std::shared_ptr<const CheckList>& list);
    void chooseCard();
    void showCard();
    void showFacts();
    void showRoofline();
    void showEarlier();
    void showChanges(const CapabilityCard* earlier);
    void showTheory(bool shown);
    void updateControls();
    void takeProgress(const CheckProgress& progress);
    void finish(const CapabilityCard& card);
    void endCheck(const QString& notice, bool error);
    void showNotice(const QString& text, bool error);
    void askForFile(const QString& suffix);

    std::vector<CheckDevice> devices() const;
    std::vector<const StoredCheck*> earlierChecks() const;
    std::vector<const StoredCheck*> checksHere() const;
    const StoredCheck* findCheck(std::int64_t id) const;
    QString startProblem() const;
    /// What speaks against the card's figures, in a sentence; usually nothing.
    static QString disturbance(const CapabilityCard& card);

    WindowSettings& m_settings;
    FindWorker m_findWorker;
    CheckRunner* m_runner;
    CheckHistory* m_history;
    std::string m_host;
    QPointer<QObject> m_session;
    std::function<bool()> m_runIsOn;
    QString m_experiment, m_otherWork;

    std::shared_ptr<const CheckList> m_list = std::make_shared<CheckList>();
    std::optional<CapabilityCard> m_card;
    std::optional<CapabilityCard> m_fresh; ///< measured by this page, maybe not stored yet
    std::optional<std::int64_t> m_wantedEarlier; ///< as chosen by hand; 0 = nothing

    CheckControls* m_controls = nullptr;
    Notice* m_notice = nullptr;
    DockArea* m_docks = nullptr;
    QSplitter* m_splitter = nullptr;
    QSplitter* m_plots = nullptr;
    QStackedWidget* m_tableOrEmpty = nullptr;
    QLabel* m_emptyText = nullptr;
    QPushButton* m_emptyButton = nullptr;
    FormatTable* m_formats = nullptr;
    FormatView* m_formatView = nullptr;
    RateChart* m_rates = nullptr;
    RooflinePlot* m_roofline = nullptr;
    FactList* m_facts = nullptr;
    FactList* m_flags = nullptr;
    PeakTable* m_peaks = nullptr;
    QTableView* m_peakView = nullptr;
    QLabel* m_peakNote = nullptr;
    QLabel* m_cuda = nullptr;
    AdvicePanel* m_advice = nullptr;
    Dock* m_adviceDock = nullptr;
    ChangeTable* m_changes = nullptr;
    QStackedWidget* m_changesOrNone = nullptr;
    QLabel* m_changesText = nullptr;
    Dock* m_changesDock = nullptr;
    Dock* m_flagsDock = nullptr;
};

} // namespace mantissa::ui
