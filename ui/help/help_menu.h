// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <filesystem>
#include <functional>

class QMenu;
class QWidget;

namespace mantissa::ui {

class ManualWindow;

/// Manual, keyboard shortcuts and About in a window's Help menu. Owned by the window.
class HelpMenu : public QObject {
    Q_OBJECT

public:
    /// `docs` is the folder of the manual's pages; `torchVersion` is asked when About opens and
    /// gives an empty text while no worker has told its version.
    HelpMenu(QMenu& menu, QWidget& window, std::filesystem::path docs,
        std::function<QString()> torchVersion);
    ~HelpMenu() override;

    /// Opens the manual, at a place as in ManualWindow::open() if one is given.
    void openManual(const QString& place = {});
    void showShortcuts();
    void showAbout();

private:
    QWidget& m_window;
    std::filesystem::path m_docs;
    std::function<QString()> m_torchVersion;
    QPointer<ManualWindow> m_manual;
};

} // namespace mantissa::ui
