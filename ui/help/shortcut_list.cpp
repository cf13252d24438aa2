// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help/shortcut_list.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QMenu>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace mantissa::ui {

namespace {

QString plainText(QString text)
{
    text.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
    text.remove(QLatin1Char('&')).replace(QLatin1Char('\x01'), QLatin1Char('&'));
    while (text.endsWith(QLatin1Char('.')) || text.endsWith(QChar(0x2026)))
        text.chop(1);
    return text;
}

QString keysOf(const QAction& action)
{
    QStringList keys;
    for (const QKeySequence& sequence : action.shortcuts())
        keys.append(sequence.toString(QKeySequence::NativeText));
    return keys.join(QStringLiteral(", "));
}

/// The menu that shows the action, else the named widget that owns it.
QString placeOf(const QAction& action)
{
    for (QObject* object : action.associatedObjects()) {
        const auto* menu = qobject_cast<QMenu*>(object);
        if (menu && !menu->title().isEmpty())
            return plainText(menu->title());
    }
    for (const QObject* owner = action.parent(); owner; owner = owner->parent()) {
        const auto* widget = qobject_cast<const QWidget*>(owner);
        if (widget && !widget->isWindow() && !widget->accessibleName().isEmpty())
            return widget->accessibleName();
    }
    return ShortcutDialog::tr("Window");
}

} // namespace

std::vector<ShortcutRow> shortcutsOf(const QWidget& window)
{
    std::vector<ShortcutRow> rows;
    for (const QAction* action : window.findChildren<QAction*>()) {
        if (!action->shortcuts().isEmpty() && !action->text().isEmpty())
            rows.push_back({placeOf(*action), plainText(action->text()), keysOf(*action)});
    }
    std::stable_sort(rows.begin(), rows.end(),
        [](const ShortcutRow& a, const ShortcutRow& b) { return a.place < b.place; });
    return rows;
}

ShortcutDialog::ShortcutDialog(QWidget& window)
    : QDialog(&window)
{
    setWindowTitle(tr("Keyboard shortcuts"));
    auto* list = new QTreeWidget;
    list->setAccessibleName(tr("Keyboard shortcuts"));
    list->setHeaderLabels({tr("Where"), tr("Action"), tr("Keys")});
    list->setRootIsDecorated(false);
    list->setAlternatingRowColors(true);
    for (const ShortcutRow& row : shortcutsOf(window))
        list->addTopLevelItem(new QTreeWidgetItem({row.place, row.action, row.keys}));
    for (int column = 0; column < 3; ++column)
        list->resizeColumnToContents(column);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(list);
    layout->addWidget(buttons);
    resize(520, 560);
}

} // namespace mantissa::ui
