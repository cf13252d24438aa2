// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/runs/store_reader.h"

#include <QWidget>
#include <memory>

class QLabel;
class QTreeWidget;

namespace mantissa::ui {

/// The NaN and the speed-up checklist of one chosen run: each question with its answer, what was
/// found unfolded to the evidence and what to do. GUI thread only.
class ChecklistPanel : public QWidget {
    Q_OBJECT

public:
    explicit ChecklistPanel(QWidget* parent = nullptr);

    void setRuns(std::shared_ptr<const RunDataList> runs);
    /// "3 found"; empty unless one run is chosen.
    QString summary() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();

    std::shared_ptr<const RunDataList> m_runs;
    QLabel* m_empty = nullptr;
    QTreeWidget* m_tree = nullptr;
};

} // namespace mantissa::ui
