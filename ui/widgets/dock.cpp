// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/dock.h"

#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace mantissa::ui {

namespace {

constexpr int kTitleHeight = 24;

class TitleBar : public QWidget {
public:
    explicit TitleBar(QWidget* parent)
        : QWidget(parent)
    {
        setFixedHeight(kTitleHeight);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Colours& c = colours(palette());
        QPainter painter(this);
        painter.fillRect(rect(), c.dockTitle);
        painter.setPen(c.border);
        painter.drawLine(rect().bottomLeft(), rect().bottomRight());
    }
};

QToolButton* titleButton(Icon id, const QString& name, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIcon(icon(id));
    button->setIconSize(QSize(12, 12));
    button->setFixedSize(20, 20);
    button->setAutoRaise(true);
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

} // namespace

Dock::Dock(const QString& title, const QString& name, QWidget* parent)
    : QDockWidget(title, parent)
{
    setObjectName(name);
    auto* bar = new TitleBar(this);
    m_titleLayout = new QHBoxLayout(bar);
    m_titleLayout->setContentsMargins(8, 0, 4, 0);
    m_titleLayout->setSpacing(4);
    auto* label = new QLabel(title, bar);
    label->setFont(semibold(tableFont(font())));
    m_detail = new QLabel(bar);
    m_detail->setFont(tableFont(font()));
    m_detail->setForegroundRole(QPalette::PlaceholderText);
    m_detail->setMinimumWidth(0);
    m_detail->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_titleLayout->addWidget(label);
    m_titleLayout->addSpacing(4);
    m_titleLayout->addWidget(m_detail, 1);
    auto* floatButton = titleButton(Icon::Clone, tr("Float or dock %1").arg(title), bar);
    auto* closeButton = titleButton(Icon::Close, tr("Close %1").arg(title), bar);
    m_titleLayout->addWidget(floatButton);
    m_titleLayout->addWidget(closeButton);
    setTitleBarWidget(bar);
    connect(floatButton, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(closeButton, &QToolButton::clicked, this, &QWidget::close);
}

void Dock::setDetail(const QString& detail)
{
    m_detail->setText(detail);
    m_detail->setToolTip(detail);
}

void Dock::addTitleWidget(QWidget* widget)
{
    m_titleLayout->insertWidget(m_titleLayout->count() - 2, widget);
}

} // namespace mantissa::ui
