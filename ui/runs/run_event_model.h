// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/runs/store_reader.h"

#include <QAbstractTableModel>
#include <memory>
#include <vector>

namespace mantissa::ui {

/// Events of the chosen runs in the order of their time since each run's start; beginnings of
/// blocks are left out. GUI thread only.
class RunEventModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Time, Run, Step, What, NUM_COLUMNS };
    enum Role { RunIdRole = Qt::UserRole, StepRole }; ///< StepRole is invalid without a step

    explicit RunEventModel(QObject* parent = nullptr);

    void setRuns(std::shared_ptr<const RunDataList> runs);
    /// "9, 7 skipped, 1 warning"; empty without events.
    QString summary() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        std::int64_t id = 0;
        QString run;
        const LifecycleEvent* event = nullptr; ///< in m_runs
    };

    std::shared_ptr<const RunDataList> m_runs;
    std::vector<Row> m_rows;
};

} // namespace mantissa::ui
