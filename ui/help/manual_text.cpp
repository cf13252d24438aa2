// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help/manual_text.h"

#include "ui/help/manual_page.h"
#include "ui/theme/colours.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr int kLeastWidth = 200;
constexpr int kResizedMs = 150;

} // namespace

ManualText::ManualText(const QString& folder, QWidget* parent)
    : QTextBrowser(parent)
    , m_folder(folder)
{
    m_resized.setSingleShot(true);
    m_resized.setInterval(kResizedMs);
    connect(&m_resized, &QTimer::timeout, this, &ManualText::widthChanged);
}

QVariant ManualText::loadResource(int type, const QUrl& name)
{
    if (type != QTextDocument::ImageResource || !name.isRelative())
        return QTextBrowser::loadResource(type, name);
    const QDir folder(m_folder);
    QString file = folder.filePath(name.path());
    if (isDark(palette()) && QFile::exists(darkPicture(file)))
        file = darkPicture(file);
    QImage picture(file);
    if (picture.isNull())
        return {};
    const int margin = 2 * static_cast<int>(document()->documentMargin());
    const int room = std::max(kLeastWidth, viewport()->width() - margin);
    const qreal ratio = devicePixelRatioF();
    if (picture.width() > room * ratio) // smaller by averaging: letters stay letters
        picture = picture.scaledToWidth(static_cast<int>(room * ratio), Qt::SmoothTransformation);
    picture.setDevicePixelRatio(ratio);
    return picture;
}

void ManualText::resizeEvent(QResizeEvent* event)
{
    QTextBrowser::resizeEvent(event);
    if (viewport()->width() == m_width)
        return;
    m_width = viewport()->width();
    m_resized.start();
}

} // namespace mantissa::ui
