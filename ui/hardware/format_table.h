// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability.h"

#include <QAbstractTableModel>

namespace mantissa::ui {

/// Work by format of a capability card: a row a kind of work, a column a format. While a check is
/// on its cells come one by one. GUI thread.
class FormatTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Work, FirstFormat }; ///< formats as in kCheckFormats

    explicit FormatTable(QObject* parent = nullptr);

    /// `pending`: the card's missing cells are still to come.
    void set(const CapabilityCard& card, bool pending);
    /// A cell that has just been measured.
    void add(const CheckCell& cell);
    const CapabilityCard& card() const { return m_card; }

    /// Null where nothing is measured or for the column of works.
    const CheckCell* cellAt(const QModelIndex& index) const;
    /// A word for a cell that has no figures: "measuring", "not measured".
    QString missingText() const;
    /// The size that the row's second line names.
    QString rowShape(int row) const;
    /// Why nothing runs in the column's format; empty else and while cells are to come.
    QString unsupportedReason(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant workData(int row, int role) const;

    CapabilityCard m_card;
    bool m_pending = false;
};

} // namespace mantissa::ui
