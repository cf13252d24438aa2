// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/runs/store_reader.h"

#include <QWidget>
#include <memory>

class QLabel;
class QTreeWidget;

namespace mantissa::ui {

/// The operators of one chosen run's profile: type really used, calls, time and share of a step,
/// slowest first. GUI thread only.
class OperatorsPanel : public QWidget {
    Q_OBJECT

public:
    explicit OperatorsPanel(QWidget* parent = nullptr);

    void setRuns(const RunDataList& runs);
    /// "bf16, 0.52 ms a step"; empty without a profile.
    QString summary() const { return m_summary; }

private:
    QLabel* m_empty = nullptr;
    QTreeWidget* m_table = nullptr;
    QString m_summary;
};

} // namespace mantissa::ui
