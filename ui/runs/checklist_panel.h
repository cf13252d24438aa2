// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/runs/store_reader.h"

#include <QWidget>
#include <memory>
#include <string_view>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace mantissa::ui {

class RunProfiler;

/// The NaN and the speed-up checklist of one chosen run: each question with its answer, what was
/// found unfolded to the evidence and what to do. GUI thread only.
class ChecklistPanel : public QWidget {
    Q_OBJECT

public:
    enum class Lists { All, SpeedUp };
    explicit ChecklistPanel(Lists lists = Lists::All, QWidget* parent = nullptr);

    /// Lets its button start and cancel profiles there, and shows what is on, whoever started it.
    void setProfiler(RunProfiler& profiler);
    /// What stands there while not one run is chosen.
    void setEmptyText(const QString& text);

    void setRuns(std::shared_ptr<const RunDataList> runs);
    /// "3 found"; empty unless one run is chosen.
    QString summary() const;

    /// What the profile of a run is doing: its button is Cancel until `running` ends. `text` stands
    /// beside the button; an error too.
    void setProfiling(bool running, const QString& text);

Q_SIGNALS:
    void profileRequested(std::int64_t run);
    void cancelRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void showProfileButton();
    bool isListed(std::string_view list) const;

    Lists m_lists;
    std::shared_ptr<const RunDataList> m_runs;
    QLabel* m_empty = nullptr;
    QTreeWidget* m_tree = nullptr;
    QWidget* m_strip = nullptr;
    QPushButton* m_profile = nullptr;
    QLabel* m_profileText = nullptr;
    bool m_profiling = false;
};

} // namespace mantissa::ui
