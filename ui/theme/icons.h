// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <functional>

namespace mantissa::ui {

/// The drawn line icons of resources/icons/line; the file of ChevronDown is chevron-down.svg.
enum class Icon {
    Experiment,
    Live,
    Runs,
    Hardware,
    Start,
    Pause,
    Stop,
    Report,
    Open,
    Export,
    Save,
    Help,
    Info,
    Warning,
    Error,
    Good,
    Close,
    Add,
    Search,
    Fit,
    Note,
    Tag,
    Archive,
    Restore,
    Delete,
    Undo,
    Redo,
    Clone,
    Copy,
    Refresh,
    Convert,
    ChevronDown,
    ChevronRight,
    Count
};

/// An icon in the application palette's text colour (disabled and selected ones in theirs), read
/// at each painting: it follows a change between light and dark. GUI thread only.
QIcon icon(Icon id);

/// The same in a colour with a meaning, e.g. the theme's error colour; `colour` is asked at each
/// painting. Disabled icons use the palette's disabled text.
QIcon icon(Icon id, std::function<QColor()> colour);

/// `id` in one colour, `size` logical pixels square.
QPixmap iconPixmap(Icon id, int size, const QColor& colour, qreal devicePixelRatio = 1.0);

/// The program's own icon, for windows and About.
QIcon programIcon();

} // namespace mantissa::ui
