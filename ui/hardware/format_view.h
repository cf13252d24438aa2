// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/hardware/format_table.h"

#include <QStyledItemDelegate>
#include <QTableView>

namespace mantissa::ui {

/// Draws a cell in two lines: rate and time, then sign, class and comparison on the class' ground.
class FormatDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit FormatDelegate(const FormatTable& table, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
        const QModelIndex& index) const override;

private:
    void paintWork(QPainter& painter, const QRect& place, int row) const;
    void paintCell(QPainter& painter, const QRect& place, const CheckCell& cell,
        const QString& rowShape) const;
    void paintUnsupported(QPainter& painter, const QRect& place, const QString& reason) const;

    const FormatTable& m_table;
};

/// The table of formats. A format that runs nowhere is one tall cell with the reason.
class FormatView : public QTableView {
    Q_OBJECT
public:
    explicit FormatView(FormatTable& table, QWidget* parent = nullptr);

    /// The height that shows every row.
    int wholeHeight() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateSpans();
    void sizeColumns();

    FormatTable& m_table;
};

} // namespace mantissa::ui
