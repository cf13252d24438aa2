// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/colours.h"

#include <QIcon>
#include <QWidget>

namespace mantissa::ui {

/// A short line in a variant's colour, to stand beside its name.
class Swatch : public QWidget {
    Q_OBJECT
public:
    explicit Swatch(SeriesColour colour, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {20, 12}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    SeriesColour m_colour;
};

/// The same line as an icon for tables, in the palette's light or dark colour.
QIcon swatchIcon(SeriesColour colour, const QPalette& palette);

} // namespace mantissa::ui
