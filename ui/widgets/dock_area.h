// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QMainWindow>
#include <vector>

namespace mantissa::ui {

class Dock;

/// The part of a page with side panels that float, stack and are remembered; the page's main
/// content is its central widget. While there is little room, the panels that stand on one side
/// become tabs instead of all getting small, and the roomy layout comes back afterwards; floating
/// and closed panels are left alone. GUI thread.
class DockArea : public QMainWindow {
    Q_OBJECT
public:
    /// `layoutVersion` is raised when an older saved layout no longer fits the panels.
    DockArea(int layoutVersion, QWidget* parent);

    Dock* addDock(
        const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area);

    bool isCompact() const { return m_compact; }
    void setCompact(bool compact);

    /// Always the roomy layout: what is kept between starts does not depend on the last size.
    QByteArray saveLayout() const;
    void restoreLayout(const QByteArray& layout);

protected:
    void childEvent(QChildEvent* event) override;

private:
    void tabify();

    std::vector<Dock*> m_order; ///< as added; raising one reorders the children
    int m_version;
    bool m_compact = false;
    QByteArray m_roomy; ///< while compact
};

} // namespace mantissa::ui
