// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/runs/run_sort_filter.h"
#include "ui/runs/run_table_model.h"

#include <QTableView>
#include <vector>

namespace mantissa::ui {

class WindowSettings;

/// The table of runs: chosen by row, sorted by a click on a column head, columns moved and hidden
/// by its menu and remembered. GUI thread only.
class RunTableView : public QTableView {
    Q_OBJECT

public:
    RunTableView(RunTableModel& runs, RunSortFilter& sorted, WindowSettings& settings,
        QWidget* parent = nullptr);

    /// In the order of the table.
    std::vector<RunRecord> selectedRuns() const;
    void saveColumns() const;

Q_SIGNALS:
    void selectedRunsChanged();

private:
    void setupColumns();
    void restoreColumns();
    void showColumnMenu(const QPoint& position);

    RunTableModel& m_runs;
    RunSortFilter& m_sorted;
    WindowSettings& m_settings;
};

} // namespace mantissa::ui
