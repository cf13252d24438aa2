// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help/help_menu.h"

#include "ui/help/about_dialog.h"
#include "ui/help/manual_window.h"
#include "ui/help/shortcut_list.h"
#include "ui/theme/icons.h"

#include <QAction>
#include <QMenu>
#include <utility>

namespace mantissa::ui {

HelpMenu::HelpMenu(
    QMenu& menu, QWidget& window, std::filesystem::path docs, std::function<QString()> torchVersion)
    : QObject(&window)
    , m_window(window)
    , m_docs(std::move(docs))
    , m_torchVersion(std::move(torchVersion))
{
    auto* manual = menu.addAction(icon(Icon::Help), tr("&Manual"));
    manual->setShortcut(QKeySequence::HelpContents);
    connect(manual, &QAction::triggered, this, [this] { openManual(); });
    auto* keys = menu.addAction(tr("&Keyboard shortcuts"));
    keys->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_F1));
    connect(keys, &QAction::triggered, this, &HelpMenu::showShortcuts);
    menu.addSeparator();
    auto* about = menu.addAction(icon(Icon::Info), tr("&About Mantissa"));
    about->setMenuRole(QAction::AboutRole);
    connect(about, &QAction::triggered, this, &HelpMenu::showAbout);
}

HelpMenu::~HelpMenu()
{
    delete m_manual;
}

void HelpMenu::openManual(const QString& place)
{
    if (!m_manual) {
        // No parent: it stays usable beside the window. It goes with this object.
        m_manual = new ManualWindow(m_docs);
        m_manual->setAttribute(Qt::WA_QuitOnClose, false);
    }
    if (!place.isEmpty())
        m_manual->open(place);
    m_manual->show();
    m_manual->raise();
    m_manual->activateWindow();
}

void HelpMenu::showShortcuts()
{
    ShortcutDialog(m_window).exec();
}

void HelpMenu::showAbout()
{
    AboutDialog(m_torchVersion(), &m_window).exec();
}

} // namespace mantissa::ui
