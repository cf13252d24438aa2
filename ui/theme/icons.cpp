// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <array>
#include <utility>

// Outside the namespace, as Qt's macro asks. A static library's resources are not there else.
static void registerIcons()
{
    Q_INIT_RESOURCE(icons);
}

namespace mantissa::ui {

namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Icon::Count)> kFiles{"experiment",
    "live", "runs", "hardware", "start", "pause", "stop", "report", "open", "export", "save",
    "help", "info", "warning", "error", "good", "close", "add", "search", "fit", "note", "tag",
    "archive", "restore", "delete", "undo", "redo", "clone", "copy", "refresh", "convert",
    "chevron-down", "chevron-right"};

QString filePath(Icon id)
{
    return QStringLiteral(":/icons/line/")
        + QString::fromLatin1(kFiles.at(static_cast<std::size_t>(id))) + QStringLiteral(".svg");
}

QByteArray tintedSvg(Icon id, const QColor& colour)
{
    registerIcons();
    QFile file(filePath(id));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QByteArray svg = file.readAll();
    svg.replace("currentColor", colour.name(QColor::HexRgb).toLatin1());
    return svg;
}

QPixmap render(Icon id, const QSize& deviceSize, const QColor& colour)
{
    const QString key = QStringLiteral("mantissa-icon-%1-%2x%3-%4")
                            .arg(static_cast<int>(id))
                            .arg(deviceSize.width())
                            .arg(deviceSize.height())
                            .arg(colour.rgba(), 0, 16);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    pixmap = QPixmap(deviceSize);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer renderer(tintedSvg(id, colour));
    renderer.setAspectRatioMode(Qt::KeepAspectRatio);
    renderer.render(&painter);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class LineIconEngine : public QIconEngine {
public:
    LineIconEngine(Icon id, std::function<QColor()> colour)
        : m_id(id)
        , m_colour(std::move(colour))
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const qreal ratio = painter->device()->devicePixelRatioF();
        QPixmap image = pixmap((QSizeF(rect.size()) * ratio).toSize(), mode, state);
        image.setDevicePixelRatio(ratio);
        painter->drawPixmap(rect.topLeft(), image);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override
    {
        return render(m_id, size, colourOf(mode));
    }

    QIconEngine* clone() const override { return new LineIconEngine(*this); }

private:
    QColor colourOf(QIcon::Mode mode) const
    {
        const QPalette palette = QGuiApplication::palette();
        if (mode == QIcon::Disabled)
            return palette.color(QPalette::Disabled, QPalette::ButtonText);
        if (m_colour)
            return m_colour();
        return palette.color(QPalette::Active,
            mode == QIcon::Selected ? QPalette::HighlightedText : QPalette::ButtonText);
    }

    Icon m_id;
    std::function<QColor()> m_colour;
};

} // namespace

QIcon icon(Icon id)
{
    return icon(id, nullptr);
}

QIcon icon(Icon id, std::function<QColor()> colour)
{
    return QIcon(new LineIconEngine(id, std::move(colour)));
}

QPixmap iconPixmap(Icon id, int size, const QColor& colour, qreal devicePixelRatio)
{
    QPixmap pixmap = render(id, (QSizeF(size, size) * devicePixelRatio).toSize(), colour);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    return pixmap;
}

QIcon programIcon()
{
    registerIcons();
    QIcon result;
    for (const int size : {48, 128, 256})
        result.addFile(QStringLiteral(":/icons/mantissa-%1.png").arg(size), QSize(size, size));
    return result;
}

} // namespace mantissa::ui
