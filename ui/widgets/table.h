// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace mantissa::ui {

/// The look of all tables: rows of 22, alternate ground, no grid, whole rows selected.
void setupTable(QTableView& table);

} // namespace mantissa::ui
