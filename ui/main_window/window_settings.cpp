// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/window_settings.h"

#include <QFileInfo>
#include <cmath>

namespace mantissa::ui {

namespace {

constexpr int kMostRecent = 10;
const QString kRecent = QStringLiteral("recent_files");
const QString kAppearance = QStringLiteral("appearance");

} // namespace

WindowSettings::WindowSettings()
    : m_settings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("mantissa"),
        QStringLiteral("window"))
{
}

WindowSettings::WindowSettings(const QString& file)
    : m_settings(file, QSettings::IniFormat)
{
}

QByteArray WindowSettings::bytes(const QString& key) const
{
    const QVariant value = m_settings.value(key);
    return value.metaType().id() == QMetaType::QByteArray ? value.toByteArray() : QByteArray();
}

int WindowSettings::number(const QString& key, int least, int most, int otherwise) const
{
    bool ok = false;
    const int value = m_settings.value(key).toInt(&ok);
    return ok && value >= least && value <= most ? value : otherwise;
}

double WindowSettings::real(const QString& key, double least, double most, double otherwise) const
{
    bool ok = false;
    const double value = m_settings.value(key).toDouble(&ok);
    return ok && value >= least && value <= most ? value : otherwise;
}

bool WindowSettings::flag(const QString& key, bool otherwise) const
{
    const QString text = m_settings.value(key).toString();
    if (text == QStringLiteral("true"))
        return true;
    return text == QStringLiteral("false") ? false : otherwise;
}

QString WindowSettings::word(const QString& key) const
{
    return m_settings.value(key).toString();
}

QStringList WindowSettings::recentFiles() const
{
    QStringList files;
    const QStringList stored = m_settings.value(kRecent).toStringList();
    for (const QString& file : stored) {
        if (files.size() < kMostRecent && !files.contains(file) && QFileInfo(file).isFile())
            files << file;
    }
    return files;
}

Appearance WindowSettings::appearance() const
{
    const QString text = m_settings.value(kAppearance).toString();
    if (text == QStringLiteral("light"))
        return Appearance::Light;
    return text == QStringLiteral("dark") ? Appearance::Dark : Appearance::System;
}

void WindowSettings::set(const QString& key, const QVariant& value)
{
    m_settings.setValue(key, value);
}

void WindowSettings::addRecentFile(const QString& file)
{
    QStringList files = recentFiles();
    files.removeAll(file);
    files.prepend(file);
    m_settings.setValue(kRecent, QStringList(files.mid(0, kMostRecent)));
}

void WindowSettings::setAppearance(Appearance appearance)
{
    const QString words[] = {
        QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")};
    m_settings.setValue(kAppearance, words[static_cast<int>(appearance)]);
}

} // namespace mantissa::ui
