// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>

/// What the window remembers between starts. Every reader gives the default for a missing, broken
/// or out-of-range value. GUI thread.
namespace mantissa::ui {

class WindowSettings {
public:
    /// The user's file.
    WindowSettings();
    explicit WindowSettings(const QString& file);

    QByteArray bytes(const QString& key) const;
    int number(const QString& key, int least, int most, int otherwise) const;
    double real(const QString& key, double least, double most, double otherwise) const;
    bool flag(const QString& key, bool otherwise) const;
    QString word(const QString& key) const;
    QStringList recentFiles() const; ///< newest first, at most 10, only files that exist
    Appearance appearance() const;

    void set(const QString& key, const QVariant& value);
    void addRecentFile(const QString& file);
    void setAppearance(Appearance appearance);

private:
    mutable QSettings m_settings;
};

} // namespace mantissa::ui
