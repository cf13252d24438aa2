// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/icons.h"

#include <QFrame>
#include <QToolButton>
#include <vector>

class QVBoxLayout;

namespace mantissa::ui {

/// An icon over its word, with a bar at the left of the chosen one.
class PageButton : public QToolButton {
    Q_OBJECT
public:
    PageButton(const QString& name, Icon pageIcon, QWidget* parent);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// The column of pages at the left of the window.
class PageList : public QFrame {
    Q_OBJECT
public:
    explicit PageList(QWidget* parent = nullptr);

    void add(const QString& name, Icon pageIcon, const QString& toolTip);
    void setCurrent(int index);

Q_SIGNALS:
    void chosen(int index);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QVBoxLayout* m_layout;
    std::vector<PageButton*> m_buttons;
};

} // namespace mantissa::ui
