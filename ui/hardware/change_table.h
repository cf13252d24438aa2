// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hardware/capability_diff.h"

#include <QAbstractTableModel>
#include <vector>

namespace mantissa::ui {

/// What differs between two checks, a row a change. GUI thread.
class ChangeTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { What, Before, After, Times, NumColumns };

    explicit ChangeTable(QObject* parent = nullptr);

    void set(std::vector<CapabilityChange> changes);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<CapabilityChange> m_changes;
};

/// "no change over noise", "1 change", "3 changes".
QString changeCount(std::size_t changes);

} // namespace mantissa::ui
