// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/icons.h"

#include <QString>
#include <QStringList>
#include <QWidget>

namespace mantissa::ui {

class RunSession;

/// One entry of the page list at the left of the window. The window owns its pages, shows one at a
/// time and tells all of them about the current run. GUI thread.
///
///     window.addPage(new RunsPage(storeFile));
class Page : public QWidget {
    Q_OBJECT
public:
    explicit Page(QWidget* parent = nullptr)
        : QWidget(parent)
    {
    }

    /// The word in the list, e.g. "Live"; also the page's key in the settings.
    virtual QString name() const = 0;
    virtual Icon pageIcon() const = 0;
    /// What the page can show, for its tooltip.
    virtual QString description() const = 0;

    /// A run starts (its session), or the window forgets the last one (nullptr). The session lives
    /// until the next call. It may have ended already: ask it.
    virtual void setSession(RunSession* session) { Q_UNUSED(session); }
    /// The page has become the one shown.
    virtual void pageShown() { }
    /// What the status bar says while the page is shown, in short parts.
    virtual QStringList status() const { return {}; }
    /// Layout of splitters, docks and columns, to be kept between starts. Bytes of another version
    /// or broken ones must be ignored.
    virtual QByteArray saveLayout() const { return {}; }
    virtual void restoreLayout(const QByteArray& layout) { Q_UNUSED(layout); }

Q_SIGNALS:
    /// A short line for the status bar; shown for some seconds.
    void message(const QString& text);
    /// status() has changed.
    void statusChanged();
};

} // namespace mantissa::ui
