// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/run_store.h"

#include <QWidget>
#include <vector>

class QCheckBox;
class QLabel;
class QTreeWidget;

namespace mantissa::ui {

class WindowSettings;

/// Everything known about the chosen runs side by side; of several, at first only what differs.
class DetailsPanel : public QWidget {
    Q_OBJECT

public:
    explicit DetailsPanel(WindowSettings& settings, QWidget* parent = nullptr);

    void setRuns(std::vector<RunRecord> runs);
    /// "6 keys differ, 138 are equal"; empty for less than two runs.
    QString summary() const;

Q_SIGNALS:
    void summaryChanged(const QString& summary);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void sizeColumns();

    WindowSettings& m_settings;
    std::vector<RunRecord> m_runs;
    QString m_summary;
    QLabel* m_empty = nullptr;
    QTreeWidget* m_tree = nullptr;
    QCheckBox* m_equalToo = nullptr;
};

} // namespace mantissa::ui
