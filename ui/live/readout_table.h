// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/colours.h"

#include <QAbstractTableModel>
#include <optional>
#include <vector>

namespace mantissa::ui {

/// A variant's values at the cursor; what it has not there is absent.
struct ReadoutRow {
    QString name;
    SeriesColour colour = SeriesColour::Reference;
    std::optional<double> step, timeS, trainS, loss, smoothed, scale, rate, memoryBytes;
    bool usesScaler = false;
};

/// The values under the linked cursor: a row a variant, then the difference of each further
/// variant to the baseline. GUI thread.
class ReadoutTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Step, Time, TrainTime, Loss, Smoothed, Scale, Rate, Memory, NumColumns };

    explicit ReadoutTable(QObject* parent = nullptr);

    void set(std::vector<ReadoutRow> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::size_t differences() const;
    QString cell(const ReadoutRow& row, int column) const;
    QString difference(const ReadoutRow& row, int column) const;
    bool isDifference(int row) const { return static_cast<std::size_t>(row) >= m_rows.size(); }

    std::vector<ReadoutRow> m_rows;
};

} // namespace mantissa::ui
