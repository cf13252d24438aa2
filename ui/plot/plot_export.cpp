// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_export.h"

#include "core/base/number_text.h"
#include "ui/plot/series_plot.h"

#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QImage>
#include <QMessageBox>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace mantissa::ui {

namespace {

constexpr double kPngScale = 2;

QImage imageOf(const Drawing& drawing)
{
    QImage image(drawing.size * kPngScale, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPngScale);
    drawing.render(image);
    return image;
}

tl::unexpected<Error> cannotWrite(const QString& file, const QString& why)
{
    return fail("cannot write " + file.toStdString() + ": " + why.toStdString());
}

Result<void> writeBytes(const QString& file, const QByteArray& bytes)
{
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
        return cannotWrite(file, out.errorString());
    return {};
}

Result<void> writeSvg(const Drawing& drawing, const QString& file)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(drawing.size);
    svg.setViewBox(QRect(QPoint(0, 0), drawing.size));
    svg.setTitle(drawing.title);
    drawing.render(svg);
    return writeBytes(file, bytes);
}

Result<void> writePdf(const Drawing& drawing, const QString& file)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter pdf(&buffer);
        pdf.setResolution(96);
        pdf.setTitle(drawing.title);
        pdf.setPageSize(QPageSize(QSizeF(drawing.size) * 72 / 96, QPageSize::Point));
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0));
        drawing.render(pdf);
    }
    return writeBytes(file, bytes);
}

QString csvField(const QString& text)
{
    if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"')))
        return text;
    QString escaped = text;
    escaped.replace(QLatin1Char('"'), QStringLiteral("\"\""));
    return QLatin1Char('"') + escaped + QLatin1Char('"');
}

QString number(double value)
{
    return QString::fromStdString(toText(value));
}

Drawing drawingOf(SeriesPlot& plot, XAxisKind xKind)
{
    return {plot.title(), plot.size(),
        [&plot](QPaintDevice& device) { plot.renderTo(device, plot.size()); },
        [&plot, xKind] { return plotCsv(plot, xKind); }};
}

} // namespace

QString plotCsv(const SeriesPlot& plot, XAxisKind xKind)
{
    const QString x = xKind == XAxisKind::Step ? QStringLiteral("step")
        : xKind == XAxisKind::RelativeTime     ? QStringLiteral("time_s")
                                               : QStringLiteral("unix_time_s");
    QString text = QStringLiteral("curve,") + x + QStringLiteral(",value,smoothed\n");
    for (int i = 0; i < plot.curveCount(); ++i) {
        const PlotCurve& curve = plot.curve(i);
        if (!curve.visible)
            continue;
        const QString name = csvField(curve.spec().name);
        for (std::size_t k = 0; k < curve.size(); ++k) {
            text += name + QLatin1Char(',') + number(curve.raw().x()[k]) + QLatin1Char(',')
                + number(curve.raw().y()[k]) + QLatin1Char(',');
            if (curve.isSmoothed())
                text += number(curve.shown().y()[k]);
            text += QLatin1Char('\n');
        }
    }
    return text;
}

Result<void> exportDrawing(const Drawing& drawing, const QString& file)
{
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix == QStringLiteral("png")) {
        QByteArray bytes;
        QBuffer buffer(&bytes);
        imageOf(drawing).save(&buffer, "PNG");
        return writeBytes(file, bytes);
    }
    if (suffix == QStringLiteral("svg"))
        return writeSvg(drawing, file);
    if (suffix == QStringLiteral("pdf"))
        return writePdf(drawing, file);
    if (suffix == QStringLiteral("csv"))
        return writeBytes(file, drawing.csv().toUtf8());
    return cannotWrite(file, QStringLiteral("its suffix must be .png, .svg, .pdf or .csv"));
}

void copyDrawing(const Drawing& drawing)
{
    QGuiApplication::clipboard()->setImage(imageOf(drawing));
}

void exportDrawingWithDialog(const Drawing& drawing, QWidget* parent)
{
    const QString name = drawing.title.toLower().replace(QLatin1Char(' '), QLatin1Char('-'));
    QString file = QFileDialog::getSaveFileName(parent,
        QObject::tr("Export the %1 plot").arg(drawing.title), name + QStringLiteral(".png"),
        QObject::tr("Picture (*.png);;Vector graphic (*.svg);;PDF (*.pdf);;Values (*.csv)"));
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += QStringLiteral(".png");
    if (const auto written = exportDrawing(drawing, file); !written)
        QMessageBox::warning(
            parent, QObject::tr("Export"), QString::fromStdString(written.error().message));
}

Result<void> exportPlot(SeriesPlot& plot, XAxisKind xKind, const QString& file)
{
    return exportDrawing(drawingOf(plot, xKind), file);
}

void copyPlot(SeriesPlot& plot)
{
    copyDrawing(drawingOf(plot, XAxisKind::Step));
}

void exportPlotWithDialog(SeriesPlot& plot, XAxisKind xKind, QWidget* parent)
{
    exportDrawingWithDialog(drawingOf(plot, xKind), parent);
}

} // namespace mantissa::ui
