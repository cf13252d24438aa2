// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/run_summary.h"

#include <QAbstractTableModel>
#include <QString>
#include <vector>

namespace mantissa::ui {

/// A variant's figures so far.
struct VariantResult {
    QString name;
    RunSummary summary;
    std::int64_t applied = 0;
    std::int64_t skipped = 0;
};

/// Metric by variant: the baseline's figures, and the others as ratios to them. GUI thread.
class ResultTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Row { StepTime, SamplesPerSecond, PeakMemory, Validation, FinalLoss, Skipped, NumRows };

    explicit ResultTable(QObject* parent = nullptr);

    void set(std::vector<VariantResult> results);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString cell(int row, std::size_t variant) const;
    std::vector<VariantResult> m_results;
};

} // namespace mantissa::ui
