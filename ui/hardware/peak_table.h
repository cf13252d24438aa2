// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"
#include "ui/hardware/card_text.h"

#include <QAbstractTableModel>
#include <vector>

namespace mantissa::ui {

/// The best measured rate of each format beside the published one. A share of over 100 % is an
/// error of the table: marked, and said in note(). GUI thread.
class PeakTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Format, Measured, Theory, Share, NumColumns };

    explicit PeakTable(QObject* parent = nullptr);

    void set(std::vector<TheoryRow> rows);
    /// "Theory: SOURCE" of all rows, and what is wrong with it; empty if nothing is published.
    QString note() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString number(double rate, bool bandwidth) const;
    static QVariant decoration(const TheoryRow& row, int column, int role);
    QString text(const TheoryRow& row, int column) const;

    std::vector<TheoryRow> m_rows;
    FlopUnit m_unit = flopUnit(0); ///< of all rates but bandwidth
};

} // namespace mantissa::ui
