// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/experiment_document.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/run_tool_bar.h"
#include "ui/theme/icons.h"

#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>
#include <QStackedWidget>

namespace mantissa::ui {

void MainWindow::setupMenus()
{
    m_file = menuBar()->addMenu(tr("&File"));
    auto* open = m_file->addAction(
        icon(Icon::Open), tr("&Open experiment..."), this, &MainWindow::openWithDialog);
    open->setShortcut(QKeySequence::Open);
    m_save = m_file->addAction(
        icon(Icon::Save), tr("&Save experiment as TOML..."), this, &MainWindow::saveWithDialog);
    m_save->setShortcut(QKeySequence::SaveAs);
    m_file->addSeparator();
    auto* quit = m_file->addAction(tr("&Quit"), this, &QWidget::close);
    quit->setShortcut(QKeySequence::Quit);

    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    auto* copy =
        edit->addAction(icon(Icon::Copy), tr("&Copy"), this, [this] { editFocused("copy"); });
    copy->setShortcut(QKeySequence::Copy);
    auto* all = edit->addAction(tr("Select &all"), this, [this] { editFocused("selectAll"); });
    all->setShortcut(QKeySequence::SelectAll);

    setupViewMenu();
    QMenu* run = menuBar()->addMenu(tr("&Run"));
    run->addActions({m_bar->startAction(), m_bar->pauseAction(), m_bar->stopAction()});
    m_help = menuBar()->addMenu(tr("&Help"));
}

void MainWindow::setupViewMenu()
{
    m_view = menuBar()->addMenu(tr("&View"));
    m_viewEnd = m_view->addSeparator();
    QMenu* panels = m_view->addMenu(tr("&Panels of this page"));
    connect(panels, &QMenu::aboutToShow, this, [this, panels] { listPanels(*panels); });
    m_view->addSeparator();
    auto* group = new QActionGroup(this);
    const std::pair<QString, Appearance> choices[] = {{tr("As the &system"), Appearance::System},
        {tr("&Light"), Appearance::Light}, {tr("&Dark"), Appearance::Dark}};
    for (const auto& [text, appearance] : choices) {
        QAction* action = group->addAction(text);
        action->setCheckable(true);
        action->setChecked(appearance == m_theme.appearance());
        m_view->addAction(action);
        connect(action, &QAction::triggered, this, [this, chosen = appearance] {
            m_theme.setAppearance(chosen);
            m_settings.setAppearance(chosen);
        });
    }
}

/// The docks of the page shown: a closed one comes back from here.
void MainWindow::listPanels(QMenu& menu)
{
    menu.clear();
    for (const QDockWidget* dock : m_stack->currentWidget()->findChildren<QDockWidget*>())
        menu.addAction(dock->toggleViewAction());
    if (menu.isEmpty())
        menu.addAction(tr("none"))->setEnabled(false);
}

/// The clipboard actions go to the widget that has the focus, if it knows them.
void MainWindow::editFocused(const char* slot)
{
    QWidget* focus = QApplication::focusWidget();
    const QByteArray signature = QByteArray(slot) + "()";
    if (focus && focus->metaObject()->indexOfMethod(signature.constData()) >= 0)
        QMetaObject::invokeMethod(focus, slot);
}

void MainWindow::openWithDialog()
{
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open experiment"), QString(), tr("Experiments (*.toml)"));
    if (!file.isEmpty())
        openExperiment(file.toStdString());
}

void MainWindow::saveWithDialog()
{
    const auto& draft = m_document.draft();
    const QString name = QString::fromStdString(draft ? draft->name : std::string("experiment"));
    QString file = QFileDialog::getSaveFileName(
        this, tr("Save experiment"), name + QStringLiteral(".toml"), tr("Experiments (*.toml)"));
    if (file.isEmpty())
        return;
    if (!file.endsWith(QStringLiteral(".toml")))
        file += QStringLiteral(".toml");
    if (const auto saved = m_document.save(file.toStdString()); !saved)
        QMessageBox::warning(
            this, tr("Save experiment"), QString::fromStdString(saved.error().message));
    else
        m_settings.addRecentFile(file);
}

} // namespace mantissa::ui
