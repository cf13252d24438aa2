// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/page_list.h"

#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"

#include <QPainter>
#include <QStyleOption>
#include <QVBoxLayout>

namespace mantissa::ui {

namespace {

constexpr int kWidth = 84;
constexpr int kItemHeight = 56;
constexpr int kIconSize = 22;

} // namespace

PageButton::PageButton(const QString& name, Icon pageIcon, QWidget* parent)
    : QToolButton(parent)
{
    setText(name);
    setIcon(mantissa::ui::icon(pageIcon));
    setCheckable(true);
    setAutoExclusive(true);
    setAccessibleName(name);
    setFixedSize(sizeHint());
}

QSize PageButton::sizeHint() const
{
    return {kWidth, kItemHeight};
}

void PageButton::paintEvent(QPaintEvent*)
{
    const Colours& c = colours(palette());
    QPainter painter(this);
    if (isChecked()) {
        painter.fillRect(rect(), c.selection);
        painter.fillRect(QRect(0, 0, 3, height()), c.accent);
    } else if (underMouse()) {
        painter.fillRect(rect(), c.dockTitle);
    }
    const QRect iconRect((width() - kIconSize) / 2, 8, kIconSize, kIconSize);
    icon().paint(
        &painter, iconRect, Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
    painter.setFont(hintFont(font()));
    painter.setPen(isChecked() ? c.text : c.mutedText);
    painter.drawText(QRect(0, 32, width(), 18), Qt::AlignCenter, text());
    if (hasFocus()) {
        painter.setPen(c.accent);
        painter.drawRect(rect().adjusted(4, 2, -3, -3));
    }
}

PageList::PageList(QWidget* parent)
    : QFrame(parent)
    , m_layout(new QVBoxLayout(this))
{
    setFixedWidth(kWidth + 1);
    setAccessibleName(tr("Pages"));
    m_layout->setContentsMargins(0, 4, 1, 0);
    m_layout->setSpacing(0);
    m_layout->addStretch();
}

void PageList::add(const QString& name, Icon pageIcon, const QString& toolTip)
{
    auto* button = new PageButton(name, pageIcon, this);
    button->setToolTip(toolTip);
    const int index = static_cast<int>(m_buttons.size());
    m_layout->insertWidget(index, button);
    m_buttons.push_back(button);
    connect(button, &QToolButton::clicked, this, [this, index] { Q_EMIT chosen(index); });
}

void PageList::setCurrent(int index)
{
    m_buttons.at(static_cast<std::size_t>(index))->setChecked(true);
}

void PageList::paintEvent(QPaintEvent*)
{
    const Colours& c = colours(palette());
    QPainter painter(this);
    painter.fillRect(rect(), c.window);
    painter.setPen(c.border);
    painter.drawLine(rect().topRight(), rect().bottomRight());
}

} // namespace mantissa::ui
