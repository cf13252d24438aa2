// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <vector>

class QWidget;

namespace mantissa::ui {

struct ShortcutRow {
    QString place; ///< menu or page the action belongs to
    QString action; ///< its text without mnemonics
    QString keys; ///< "Ctrl+1", all of them
};

/// Every action below `window` that has keys, as it is now; by place, then in the order in which
/// the actions were made.
std::vector<ShortcutRow> shortcutsOf(const QWidget& window);

/// A list of all keys of `window`, made when it opens.
class ShortcutDialog : public QDialog {
    Q_OBJECT

public:
    explicit ShortcutDialog(QWidget& window);
};

} // namespace mantissa::ui
