// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include "ui/theme/colours.h"
#include "ui/theme/flat_style.h"

#include <QApplication>
#include <QEvent>
#include <QScopedValueRollback>

namespace mantissa::ui {

Theme::Theme(QApplication& application, Appearance appearance)
    : QObject(&application)
    , m_application(application)
    , m_appearance(appearance)
{
    const QScopedValueRollback guard(m_applying, true);
    QApplication::setStyle(new FlatStyle);
    refresh();
    application.installEventFilter(this);
}

void Theme::setAppearance(Appearance appearance)
{
    m_appearance = appearance;
    refresh();
}

bool Theme::systemIsDark()
{
    // An empty palette brings the platform's own back.
    const QScopedValueRollback guard(m_applying, true);
    QApplication::setPalette(QPalette());
    return isDark(QApplication::palette());
}

void Theme::apply(bool dark)
{
    const QScopedValueRollback guard(m_applying, true);
    QApplication::setPalette(paletteFor(dark ? darkColours() : lightColours()));
}

void Theme::refresh()
{
    if (m_appearance == Appearance::System)
        apply(systemIsDark());
    else
        apply(m_appearance == Appearance::Dark);
}

bool Theme::eventFilter(QObject* watched, QEvent* event)
{
    if (!m_applying && m_appearance == Appearance::System) {
        if (event->type() == QEvent::ThemeChange)
            refresh();
        else if (event->type() == QEvent::ApplicationPaletteChange && watched == &m_application)
            apply(isDark(QApplication::palette()));
    }
    return QObject::eventFilter(watched, event);
}

} // namespace mantissa::ui
