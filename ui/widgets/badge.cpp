// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/badge.h"

#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"

#include <QPainter>
#include <optional>

namespace mantissa::ui {

namespace {

constexpr int kIcon = 12;

struct Look {
    QColor ink, ground;
    std::optional<Icon> sign;
};

Look lookOf(BadgeKind kind, const Colours& c)
{
    switch (kind) {
    case BadgeKind::Good:
        return {c.good, c.goodGround, Icon::Good};
    case BadgeKind::Warn:
        return {c.warn, c.warnGround, Icon::Warning};
    case BadgeKind::Error:
        return {c.error, c.errorGround, Icon::Error};
    case BadgeKind::Neutral:
        break;
    }
    return {c.mutedText, c.dockTitle, std::nullopt};
}

} // namespace

Badge::Badge(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    hide();
}

void Badge::set(BadgeKind kind, const QString& text)
{
    if (kind == m_kind && text == m_text)
        return;
    m_kind = kind;
    m_text = text;
    setAccessibleName(text);
    setVisible(!text.isEmpty());
    updateGeometry();
    update();
}

QSize Badge::sizeHint() const
{
    const QFontMetrics metrics(hintFont(font()));
    const int sign = m_kind == BadgeKind::Neutral ? 0 : kIcon + 4;
    return {metrics.horizontalAdvance(m_text) + sign + 14, 19};
}

void Badge::paintEvent(QPaintEvent*)
{
    const Look look = lookOf(m_kind, colours(palette()));
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor border = look.ink;
    border.setAlphaF(0.4F);
    painter.setPen(border);
    painter.setBrush(look.ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    int left = 7;
    if (look.sign) {
        painter.drawPixmap(left, (height() - kIcon) / 2,
            iconPixmap(*look.sign, kIcon, look.ink, devicePixelRatioF()));
        left += kIcon + 4;
    }
    painter.setFont(hintFont(font()));
    painter.setPen(look.ink);
    painter.drawText(rect().adjusted(left, 0, -4, 0), Qt::AlignVCenter | Qt::AlignLeft, m_text);
}

} // namespace mantissa::ui
