// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/swatch.h"

#include <QPainter>

namespace mantissa::ui {

Swatch::Swatch(SeriesColour colour, QWidget* parent)
    : QWidget(parent)
    , m_colour(colour)
{
    setFixedSize(sizeHint());
}

void Swatch::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, height() / 2 - 1, width(), 2), colours(palette()).series(m_colour));
}

QIcon swatchIcon(SeriesColour colour, const QPalette& palette)
{
    QPixmap pixmap(16, 16);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.fillRect(QRect(0, 7, 16, 2), colours(palette).series(colour));
    return QIcon(pixmap);
}

} // namespace mantissa::ui
