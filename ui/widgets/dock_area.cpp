// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/dock_area.h"

#include "ui/widgets/dock.h"

#include <QChildEvent>
#include <QTabBar>
#include <map>

namespace mantissa::ui {

DockArea::DockArea(int layoutVersion, QWidget* parent)
    : QMainWindow(parent)
    , m_version(layoutVersion)
{
    setWindowFlags(Qt::Widget);
    setContextMenuPolicy(Qt::NoContextMenu);
    setDockNestingEnabled(true);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
}

Dock* DockArea::addDock(
    const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area)
{
    auto* dock = new Dock(title, name, this);
    dock->setWidget(content);
    addDockWidget(area, dock);
    m_order.push_back(dock);
    return dock;
}

void DockArea::setCompact(bool compact)
{
    if (compact == m_compact)
        return;
    m_compact = compact;
    if (compact) {
        m_roomy = saveState(m_version);
        tabify();
    } else {
        restoreState(m_roomy, m_version);
    }
}

void DockArea::tabify()
{
    std::map<Qt::DockWidgetArea, QDockWidget*> first;
    for (Dock* dock : m_order) {
        const auto area = dockWidgetArea(dock);
        if (dock->isFloating() || dock->isHidden() || area == Qt::NoDockWidgetArea)
            continue;
        if (const auto [found, isFirst] = first.emplace(area, dock); !isFirst)
            tabifyDockWidget(found->second, dock);
    }
    for (const auto& [area, dock] : first)
        dock->raise();
}

QByteArray DockArea::saveLayout() const
{
    return m_compact ? m_roomy : saveState(m_version);
}

void DockArea::restoreLayout(const QByteArray& layout)
{
    if (layout.isEmpty())
        return;
    if (!m_compact) {
        restoreState(layout, m_version);
        return;
    }
    // The docks take the kept places once, so that tabs are made of what the person had.
    if (restoreState(layout, m_version)) {
        m_roomy = layout;
        tabify();
    }
}

/// Qt makes the tab bars of stacked docks when it needs them, and without a name for a screen
/// reader.
void DockArea::childEvent(QChildEvent* event)
{
    QMainWindow::childEvent(event);
    if (!event->polished())
        return;
    if (auto* tabs = qobject_cast<QTabBar*>(event->child()))
        tabs->setAccessibleName(tr("Panels"));
}

} // namespace mantissa::ui
