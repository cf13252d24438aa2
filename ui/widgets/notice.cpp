// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/notice.h"

#include "ui/theme/colours.h"

#include <QApplication>
#include <QEvent>

namespace mantissa::ui {

Notice::Notice(QWidget* parent)
    : QLabel(parent)
{
    setContentsMargins(12, 4, 12, 4);
    setWordWrap(true);
    setAutoFillBackground(true);
    hide();
}

void Notice::tell(const QString& text, NoticeKind kind)
{
    m_kind = kind;
    setText(text);
    applyColours();
    setVisible(!text.isEmpty());
}

void Notice::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    // Also of the roles that are not set here: the theme has changed.
    if (event->type() == QEvent::PaletteChange)
        applyColours();
}

void Notice::applyColours()
{
    // Not by the own palette: its ground tells nothing of the theme.
    const Colours& theme = colours(QApplication::palette());
    QPalette own;
    own.setColor(QPalette::WindowText, m_kind == NoticeKind::Error ? theme.error : theme.text);
    own.setColor(QPalette::Window,
        m_kind == NoticeKind::Error      ? theme.errorGround
            : m_kind == NoticeKind::Good ? theme.goodGround
                                         : theme.infoGround);
    setPalette(own);
}

} // namespace mantissa::ui
