// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The only include of QCustomPlot: its 2.1 header uses the bare words that QT_NO_KEYWORDS and
// QT_NO_FOREACH take away, and narrowing conversions our warnings would list.

#include <QObject>
#include <utility>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma push_macro("signals")
#pragma push_macro("foreach")
#undef signals
#undef foreach
#define signals Q_SIGNALS
#define foreach(item, items) for (item : std::as_const(items))
#include <qcustomplot.h>
#undef signals
#undef foreach
#pragma pop_macro("foreach")
#pragma pop_macro("signals")
#pragma GCC diagnostic pop
