// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table.h"

#include "ui/theme/fonts.h"

#include <QHeaderView>
#include <QTableView>

namespace mantissa::ui {

void setupTable(QTableView& table)
{
    constexpr int kRow = 22;
    table.setFont(tableFont(table.font()));
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setWordWrap(false);
    table.setFrameShape(QFrame::NoFrame);
    table.setTabKeyNavigation(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setMinimumSectionSize(kRow);
    table.verticalHeader()->setDefaultSectionSize(kRow);
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.horizontalHeader()->setFont(tableFont(table.font()));
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setFixedHeight(kRow + 1);
    table.horizontalHeader()->setMinimumSectionSize(24);
}

} // namespace mantissa::ui
