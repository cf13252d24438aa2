// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/readout_table.h"

#include <QWidget>

class QLabel;

namespace mantissa::ui {

class PlotGroup;

/// The read-out of linked plots: the table, and below it a line where there is something to say.
class ReadoutView : public QWidget {
    Q_OBJECT
public:
    explicit ReadoutView(QWidget* parent = nullptr);

    void set(std::vector<ReadoutRow> rows, const QString& line = {});
    /// "cursor at step 1,204", or how to place it.
    static QString cursorText(const PlotGroup& group);

private:
    ReadoutTable* m_table;
    QLabel* m_line;
};

} // namespace mantissa::ui
