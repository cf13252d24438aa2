// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/whole_table.h"

#include "ui/experiment/figure_table.h"
#include "ui/widgets/table.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>

namespace mantissa::ui {

WholeTable::WholeTable(FigureTable& model, const QString& name, QWidget* parent)
    : QTableView(parent)
    , m_model(model)
{
    setupTable(*this);
    setModel(&model);
    setAccessibleName(name);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollMode(ScrollPerPixel);
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    connect(&model, &QAbstractItemModel::modelReset, this, &WholeTable::takeRows);
    connect(horizontalScrollBar(), &QScrollBar::rangeChanged, this, [this] { updateGeometry(); });
    takeRows();
}

void WholeTable::takeRows()
{
    clearSpans();
    for (int row = 0; row < m_model.rowCount(); ++row) {
        if (m_model.isSentence(row) && m_model.columnCount() > 2)
            setSpan(row, 1, 1, m_model.columnCount() - 1);
    }
    shareWidth();
    updateGeometry();
}

/// The names get what the figures leave; where that is too little, nothing is squeezed.
void WholeTable::shareWidth()
{
    int wanted = 0;
    for (int column = 0; column < m_model.columnCount(); ++column)
        wanted += std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column));
    if (m_model.columnCount() > 0)
        horizontalHeader()->setSectionResizeMode(0,
            wanted <= viewport()->width() ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
}

void WholeTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    shareWidth();
}

QSize WholeTable::sizeHint() const
{
    int height = horizontalHeader()->height() + verticalHeader()->length() + 2 * frameWidth();
    if (horizontalScrollBar()->maximum() > 0)
        height += horizontalScrollBar()->sizeHint().height();
    return {QTableView::sizeHint().width(), height};
}

QSize WholeTable::minimumSizeHint() const
{
    return {120, sizeHint().height()};
}

/// Up and down is for the column that it stands in.
void WholeTable::wheelEvent(QWheelEvent* event)
{
    if (event->angleDelta().x() == 0)
        event->ignore();
    else
        QTableView::wheelEvent(event);
}

} // namespace mantissa::ui
