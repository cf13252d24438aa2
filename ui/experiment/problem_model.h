// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/config_io.h"

#include <QAbstractTableModel>
#include <vector>

namespace mantissa::ui {

/// The findings about the experiment, one a row. GUI thread.
class ProblemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Sign, Place, Key, What, NUM_COLUMNS };
    using QAbstractTableModel::QAbstractTableModel;

    void setProblems(std::vector<ConfigProblem> problems);
    const ConfigProblem& problem(int row) const;
    /// "1 error, 2 warnings"; empty without any.
    QString summary() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant cell(const ConfigProblem& problem, int column) const;

    std::vector<ConfigProblem> m_problems;
};

/// The sentence under a field: "1.5 is out of range; allowed: above 0, below 1".
QString problemSentence(const ConfigProblem& problem);

} // namespace mantissa::ui
