// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/fold_row.h"

#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <functional>

namespace mantissa::ui {

namespace {

constexpr int kFoldHeight = 24;

/// The ground of the title; a click anywhere on it folds.
class FoldBar : public QWidget {
public:
    explicit FoldBar(QWidget* parent)
        : QWidget(parent)
    {
        setFixedHeight(kFoldHeight);
    }
    std::function<void()> clicked;

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Colours& c = colours(palette());
        QPainter painter(this);
        painter.fillRect(rect(), c.dockTitle);
        painter.setPen(c.border);
        painter.drawLine(rect().topLeft(), rect().topRight());
    }
    void mousePressEvent(QMouseEvent* event) override
    {
        if (event->button() == Qt::LeftButton)
            clicked();
    }
};

} // namespace

FoldRow::FoldRow(const QString& title, QWidget* content, QWidget* parent)
    : QWidget(parent)
    , m_content(content)
    , m_button(new QToolButton)
    , m_detail(new QLabel)
{
    auto* bar = new FoldBar(this);
    bar->clicked = [this] { m_button->toggle(); };
    auto* line = new QHBoxLayout(bar);
    line->setContentsMargins(4, 1, 8, 0);
    line->setSpacing(4);
    m_button->setText(title);
    m_button->setFont(semibold(tableFont(font())));
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_button->setIconSize(QSize(12, 12));
    m_button->setFixedHeight(kFoldHeight - 2);
    m_button->setAutoRaise(true);
    m_button->setCheckable(true);
    m_button->setFocusPolicy(Qt::StrongFocus);
    m_detail->setFont(tableFont(font()));
    m_detail->setForegroundRole(QPalette::PlaceholderText);
    m_detail->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line->addWidget(m_button);
    line->addWidget(m_detail, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_content);
    connect(m_button, &QToolButton::toggled, this, [this](bool open) {
        showState();
        Q_EMIT foldedChanged(!open);
    });
    showState();
}

bool FoldRow::isFolded() const
{
    return !m_button->isChecked();
}

void FoldRow::setFolded(bool folded)
{
    m_button->setChecked(!folded);
}

void FoldRow::setDetail(const QString& detail)
{
    m_detail->setText(detail);
    m_detail->setToolTip(detail);
}

void FoldRow::showState()
{
    const bool open = m_button->isChecked();
    m_content->setVisible(open);
    m_button->setIcon(icon(open ? Icon::ChevronDown : Icon::ChevronRight));
    m_button->setToolTip(open ? tr("Hides this row") : tr("Shows this row"));
    m_button->setAccessibleDescription(open ? tr("shown") : tr("hidden"));
}

} // namespace mantissa::ui
