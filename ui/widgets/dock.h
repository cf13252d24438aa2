// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

class QHBoxLayout;
class QLabel;

namespace mantissa::ui {

/// A side panel with the design's title bar: title in semibold, a muted line beside it, further
/// widgets at the right, float and close. `name` is its key in a saved layout.
class Dock : public QDockWidget {
    Q_OBJECT
public:
    Dock(const QString& title, const QString& name, QWidget* parent);

    void setDetail(const QString& detail);
    /// Puts a widget into the title bar, left of float and close.
    void addTitleWidget(QWidget* widget);

private:
    QLabel* m_detail;
    QHBoxLayout* m_titleLayout;
};

} // namespace mantissa::ui
