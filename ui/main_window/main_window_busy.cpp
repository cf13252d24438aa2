// SPDX-License-Identifier: GPL-3.0-or-later
// What is on in the window, and what waits for it.
#include "ui/main_window/main_window.h"
#include "ui/session/run_session.h"

#include <QMessageBox>
#include <algorithm>

namespace mantissa::ui {

void MainWindow::setStartBlock(const QObject* by, const QString& why)
{
    m_startBlocks.erase(by);
    if (!why.isEmpty())
        m_startBlocks.emplace(by, why);
    showState();
    Q_EMIT startBlocksChanged();
}

QString MainWindow::otherWork(const QObject* asking) const
{
    const auto found = std::ranges::find_if(
        m_startBlocks, [asking](const auto& block) { return block.first != asking; });
    return found == m_startBlocks.end() ? QString() : found->second;
}

QString MainWindow::busyWith(const QObject* asking) const
{
    return m_session && !m_session->ended() ? tr("a run is on") : otherWork(asking);
}

bool MainWindow::isBusy(const QString& what)
{
    const bool busy = m_session && !m_session->ended();
    if (busy)
        QMessageBox::information(this, what, tr("One comparison at a time: stop the run first."));
    else if (!otherWork().isEmpty())
        QMessageBox::information(this, what, tr("Not now: %1.").arg(otherWork()));
    return busy || !otherWork().isEmpty();
}

} // namespace mantissa::ui
