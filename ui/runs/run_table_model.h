// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/runs/run_columns.h"
#include "ui/theme/colours.h"

#include <QAbstractTableModel>
#include <map>
#include <vector>

namespace mantissa::ui {

/// The runs of a store as a table, one row a run. A refresh updates, inserts and removes rows and
/// never resets, so selection and scroll position survive. GUI thread only.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Role { RunIdRole = Qt::UserRole, ArchivedRole };

    explicit RunTableModel(QObject* parent = nullptr);

    /// Takes over the state of the store.
    void setRuns(std::vector<RunRecord> runs);
    /// The colours that runs have in the plots; others have their precision's.
    void setPlotColours(std::map<std::int64_t, SeriesColour> colours);
    const RunRecord& runAt(int row) const;
    /// Row of the run `id`, -1 if it is not there.
    int rowOf(std::int64_t id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void removeAllBut(const std::vector<RunRecord>& runs);
    void updateRow(int row, RunRecord&& run);
    QVariant decoration(const RunRecord& run, RunColumn column) const;

    std::vector<RunRecord> m_runs; ///< in the order they were first seen
    std::map<std::int64_t, SeriesColour> m_plotColours;
};

} // namespace mantissa::ui
