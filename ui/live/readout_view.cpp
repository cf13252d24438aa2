// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/readout_view.h"

#include "ui/plot/plot_group.h"
#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"
#include "ui/widgets/table.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

namespace mantissa::ui {

ReadoutView::ReadoutView(QWidget* parent)
    : QWidget(parent)
    , m_line(new QLabel(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* table = new QTableView(this);
    table->setObjectName(QStringLiteral("readout"));
    table->setAccessibleName(tr("Values at the cursor"));
    m_table = new ReadoutTable(table);
    setupTable(*table);
    table->setModel(m_table);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_line->setFont(tableFont(font()));
    m_line->setContentsMargins(8, 4, 8, 4);
    m_line->hide();
    layout->addWidget(table);
    layout->addWidget(m_line);
}

void ReadoutView::set(std::vector<ReadoutRow> rows, const QString& line)
{
    m_table->set(std::move(rows));
    m_line->setText(line);
    m_line->setVisible(!line.isEmpty());
}

QString ReadoutView::cursorText(const PlotGroup& group)
{
    const auto cursor = group.cursor();
    const XAxisKind kind = group.xAxisKind();
    if (!cursor)
        return tr("point at a plot, or use the arrow keys in it");
    return kind == XAxisKind::Step ? tr("cursor at step %1").arg(formatCount(*cursor))
                                   : tr("cursor at %1").arg(xLabel(*cursor, kind, 0));
}

} // namespace mantissa::ui
