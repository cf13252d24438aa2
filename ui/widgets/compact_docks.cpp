// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/compact_docks.h"

#include <QDockWidget>
#include <QMainWindow>
#include <map>

namespace mantissa::ui {

CompactDocks::CompactDocks(QMainWindow& frame, int version)
    : m_frame(frame)
    , m_version(version)
{
}

void CompactDocks::setCompact(bool compact)
{
    if (compact == m_compact)
        return;
    m_compact = compact;
    if (compact) {
        m_roomy = m_frame.saveState(m_version);
        tabify();
    } else {
        m_frame.restoreState(m_roomy, m_version);
    }
}

void CompactDocks::tabify()
{
    std::map<Qt::DockWidgetArea, QDockWidget*> first;
    for (auto* dock : m_frame.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        const auto area = m_frame.dockWidgetArea(dock);
        if (dock->isFloating() || dock->isHidden() || area == Qt::NoDockWidgetArea)
            continue;
        if (const auto [found, isFirst] = first.emplace(area, dock); !isFirst)
            m_frame.tabifyDockWidget(found->second, dock);
    }
    for (const auto& [area, dock] : first)
        dock->raise();
}

QByteArray CompactDocks::saveLayout() const
{
    return m_compact ? m_roomy : m_frame.saveState(m_version);
}

void CompactDocks::restoreLayout(const QByteArray& layout)
{
    if (layout.isEmpty())
        return;
    if (!m_compact) {
        m_frame.restoreState(layout, m_version);
        return;
    }
    // The docks take the kept places once, so that tabs are made of what the person had.
    if (m_frame.restoreState(layout, m_version)) {
        m_roomy = layout;
        tabify();
    }
}

} // namespace mantissa::ui
