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

QImage plotImage(SeriesPlot& plot)
{
    QImage image(plot.size() * kPngScale, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPngScale);
    plot.renderTo(image, plot.size());
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

Result<void> writeSvg(SeriesPlot& plot, const QString& file)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(plot.size());
    svg.setViewBox(QRect(QPoint(0, 0), plot.size()));
    svg.setTitle(plot.title());
    plot.renderTo(svg, plot.size());
    return writeBytes(file, bytes);
}

Result<void> writePdf(SeriesPlot& plot, const QString& file)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter pdf(&buffer);
        pdf.setResolution(96);
        pdf.setTitle(plot.title());
        pdf.setPageSize(QPageSize(QSizeF(plot.size()) * 72 / 96, QPageSize::Point));
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0));
        plot.renderTo(pdf, plot.size());
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

Result<void> exportPlot(SeriesPlot& plot, XAxisKind xKind, const QString& file)
{
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix == QStringLiteral("png")) {
        QByteArray bytes;
        QBuffer buffer(&bytes);
        plotImage(plot).save(&buffer, "PNG");
        return writeBytes(file, bytes);
    }
    if (suffix == QStringLiteral("svg"))
        return writeSvg(plot, file);
    if (suffix == QStringLiteral("pdf"))
        return writePdf(plot, file);
    if (suffix == QStringLiteral("csv"))
        return writeBytes(file, plotCsv(plot, xKind).toUtf8());
    return cannotWrite(file, QStringLiteral("its suffix must be .png, .svg, .pdf or .csv"));
}

void copyPlot(SeriesPlot& plot)
{
    QGuiApplication::clipboard()->setImage(plotImage(plot));
}

void exportPlotWithDialog(SeriesPlot& plot, XAxisKind xKind, QWidget* parent)
{
    const QString name = plot.title().toLower().replace(QLatin1Char(' '), QLatin1Char('-'));
    QString file = QFileDialog::getSaveFileName(parent,
        QObject::tr("Export the %1 plot").arg(plot.title()), name + QStringLiteral(".png"),
        QObject::tr("Picture (*.png);;Vector graphic (*.svg);;PDF (*.pdf);;Values (*.csv)"));
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += QStringLiteral(".png");
    if (const auto written = exportPlot(plot, xKind, file); !written)
        QMessageBox::warning(
            parent, QObject::tr("Export"), QString::fromStdString(written.error().message));
}

} // namespace mantissa::ui
