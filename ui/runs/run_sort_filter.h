// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/runs/run_query.h"

#include <QSortFilterProxyModel>

namespace mantissa::ui {

class RunTableModel;

/// Sorts and filters a RunTableModel. NaN stands after all numbers and what is missing after that,
/// in both orders; equal values are ordered by run, newest first. GUI thread only.
class RunSortFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunSortFilter(RunTableModel& runs, QObject* parent = nullptr);

    /// Applies `text` if it is right; keeps the filter before else and returns what is wrong.
    [[nodiscard]] Result<void> setFilterText(const QString& text);
    void setArchivedShown(bool shown);
    bool archivedShown() const { return m_archivedShown; }

    /// Ids of the runs that pass, from the top.
    std::vector<std::int64_t> visibleRuns() const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RunTableModel& m_runs;
    RunQuery m_filter;
    bool m_archivedShown = false;
};

} // namespace mantissa::ui
