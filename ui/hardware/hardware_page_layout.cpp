// SPDX-License-Identifier: GPL-3.0-or-later
// How the page Hardware is put together.
#include "ui/hardware/advice_panel.h"
#include "ui/hardware/change_table.h"
#include "ui/hardware/check_controls.h"
#include "ui/hardware/fact_list.h"
#include "ui/hardware/format_view.h"
#include "ui/hardware/hardware_page.h"
#include "ui/hardware/peak_table.h"
#include "ui/hardware/rate_chart.h"
#include "ui/hardware/roofline_plot.h"
#include "ui/plot/plot_export.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/dock_area.h"
#include "ui/widgets/notice.h"
#include "ui/widgets/table.h"

#include <QDataStream>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace mantissa::ui {

namespace {

constexpr qint32 kLayoutVersion = 1;
/// In a page smaller than this the docks of a side are tabs.
constexpr QSize kRoomyDocks(1060, 640);
/// In a page narrower than this some buttons are icons alone.
constexpr int kRoomyStrip = 1240;
constexpr int kNarrowStrip = 860;

QLabel* mutedLabel()
{
    auto* label = new QLabel;
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setWordWrap(true);
    label->setFont(tableFont(label->font()));
    label->setContentsMargins(10, 6, 10, 6);
    return label;
}

/// A panel's content on the panel colour.
QWidget* onPanel(QLayout* layout)
{
    auto* widget = new QWidget;
    widget->setAutoFillBackground(true);
    widget->setBackgroundRole(QPalette::Base);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    widget->setLayout(layout);
    return widget;
}

/// A list with some air around it.
QWidget* padded(QWidget* list)
{
    auto* column = new QVBoxLayout;
    QWidget* result = onPanel(column);
    column->setContentsMargins(4, 5, 4, 5);
    column->addWidget(list);
    return result;
}

} // namespace

void HardwarePage::setupLayout()
{
    m_controls = new CheckControls;
    // Else the wide strip would keep the page from ever getting narrow.
    m_controls->setMinimumWidth(kNarrowStrip);
    m_docks = new DockArea(kLayoutVersion, this);
    m_docks->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    m_docks->setCentralWidget(setupCentre());
    setupDocks();
    setupExport();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_controls);
    m_notice = new Notice;
    m_notice->setObjectName(QStringLiteral("hardware_notice"));
    m_notice->setTextFormat(Qt::PlainText);
    m_notice->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(m_notice);
    layout->addWidget(m_docks, 1);
}

QWidget* HardwarePage::setupCentre()
{
    m_formats = new FormatTable(this);
    m_formatView = new FormatView(*m_formats);
    m_tableOrEmpty = new QStackedWidget;
    m_tableOrEmpty->addWidget(m_formatView);
    m_tableOrEmpty->addWidget(setupEmptyState());
    m_rates = new RateChart;
    m_roofline = new RooflinePlot;
    m_plots = new QSplitter(Qt::Horizontal);
    m_plots->setChildrenCollapsible(false);
    m_plots->addWidget(m_rates);
    m_plots->addWidget(m_roofline);
    m_plots->setSizes({530, 500});
    m_splitter = new QSplitter(Qt::Vertical);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_tableOrEmpty);
    m_splitter->addWidget(m_plots);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({m_formatView->wholeHeight(), 330});
    m_tableOrEmpty->setMinimumHeight(110);
    return m_splitter;
}

QWidget* HardwarePage::setupEmptyState()
{
    m_emptyText = new QLabel(tr("Not measured yet. Takes at most 15 s."));
    m_emptyText->setForegroundRole(QPalette::PlaceholderText);
    m_emptyButton = new QPushButton(tr("Run check"));
    m_emptyButton->setObjectName(QStringLiteral("check_first"));
    auto* column = new QVBoxLayout;
    QWidget* empty = onPanel(column);
    column->setSpacing(8);
    column->addStretch(1);
    column->addWidget(m_emptyText, 0, Qt::AlignCenter);
    column->addWidget(m_emptyButton, 0, Qt::AlignCenter);
    column->addStretch(1);
    return empty;
}

QWidget* HardwarePage::setupPeaks()
{
    m_peaks = new PeakTable(this);
    m_peakView = new QTableView;
    m_peakView->setModel(m_peaks);
    m_peakView->setAccessibleName(tr("Peak, measured and in theory"));
    setupTable(*m_peakView);
    m_peakView->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_peakView->horizontalHeader()->setSectionResizeMode(PeakTable::Format, QHeaderView::Stretch);
    m_peakNote = mutedLabel();
    auto* column = new QVBoxLayout;
    column->addWidget(m_peakView, 1);
    column->addWidget(m_peakNote);
    return onPanel(column);
}

QWidget* HardwarePage::setupChanges()
{
    m_changes = new ChangeTable(this);
    auto* view = new QTableView;
    view->setModel(m_changes);
    view->setAccessibleName(tr("Changes since the earlier check"));
    view->setObjectName(QStringLiteral("changes"));
    setupTable(*view);
    view->horizontalHeader()->setStretchLastSection(true);
    const int widths[] = {260, 220, 220};
    for (int column = 0; column < 3; ++column)
        view->setColumnWidth(column, widths[column]);
    m_changesText = mutedLabel();
    m_changesText->setAlignment(Qt::AlignTop);
    m_changesText->setAutoFillBackground(true);
    m_changesText->setBackgroundRole(QPalette::Base);
    m_changesOrNone = new QStackedWidget;
    m_changesOrNone->addWidget(view);
    m_changesOrNone->addWidget(m_changesText);
    return m_changesOrNone;
}

void HardwarePage::setupDocks()
{
    m_facts = new FactList(tr("Device facts"));
    m_flags = new FactList(tr("CPU flags that decide"));
    m_cuda = mutedLabel();
    m_cuda->setAlignment(Qt::AlignTop);
    m_cuda->setAutoFillBackground(true);
    m_cuda->setBackgroundRole(QPalette::Base);
    m_cuda->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_cuda->setAccessibleName(tr("CUDA"));
    m_advice = new AdvicePanel;
    const auto left = [this](const char* name, const QString& title, QWidget* content) {
        content->setMinimumHeight(40);
        return m_docks->addDock(QString::fromLatin1(name), title, content, Qt::LeftDockWidgetArea);
    };
    Dock* facts = left("facts", tr("Device facts"), padded(m_facts));
    m_flagsDock = left("flags", tr("CPU flags that decide"), padded(m_flags));
    Dock* peaks = left("peaks", tr("Peak, measured and in theory"), setupPeaks());
    Dock* cuda = left("cuda", tr("CUDA"), m_cuda);
    m_adviceDock = m_docks->addDock(
        QStringLiteral("advice"), tr("Advice"), m_advice, Qt::BottomDockWidgetArea);
    m_changesDock = m_docks->addDock(
        QStringLiteral("changes_dock"), tr("Changes"), setupChanges(), Qt::BottomDockWidgetArea);
    m_docks->tabifyDockWidget(m_adviceDock, m_changesDock);
    m_adviceDock->raise();
    m_docks->resizeDocks({facts}, {292}, Qt::Horizontal);
    m_docks->resizeDocks({facts, m_flagsDock, peaks, cuda}, {220, 200, 210, 120}, Qt::Vertical);
    m_docks->resizeDocks({m_adviceDock}, {130}, Qt::Vertical);
}

void HardwarePage::setupExport()
{
    QMenu* menu = m_controls->exportMenu();
    for (const char* suffix : {"json", "html", "md"}) {
        const QString end = QString::fromLatin1(suffix);
        menu->addAction(
            tr("Save the check as .%1…").arg(end), this, [this, end] { askForFile(end); });
    }
    menu->addSeparator();
    for (ChartWidget* plot :
        {static_cast<ChartWidget*>(m_rates), static_cast<ChartWidget*>(m_roofline)}) {
        menu->addAction(tr("Save %1 plot…").arg(plot->title().toLower()), this,
            [this, plot] { exportDrawingWithDialog(plot->drawing(), this); });
        menu->addAction(tr("Copy %1 plot").arg(plot->title().toLower()), this,
            [plot] { copyDrawing(plot->drawing()); });
    }
}

void HardwarePage::askForFile(const QString& suffix)
{
    QString file = QFileDialog::getSaveFileName(this, tr("Export the check"),
        QStringLiteral("hardware-check.") + suffix, tr("Check (*.%1)").arg(suffix));
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += QLatin1Char('.') + suffix;
    exportCard(file);
}

void HardwarePage::showNotice(const QString& text, bool error)
{
    m_notice->tell(text, error ? NoticeKind::Error : NoticeKind::Info);
}

void HardwarePage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    m_docks->setCompact(width() < kRoomyDocks.width() || height() < kRoomyDocks.height());
    m_controls->setNarrow(width() < kRoomyStrip);
}

QByteArray HardwarePage::saveLayout() const
{
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << kLayoutVersion << m_docks->saveLayout() << m_splitter->saveState()
           << m_plots->saveState();
    return bytes;
}

void HardwarePage::restoreLayout(const QByteArray& bytes)
{
    QDataStream stream(bytes);
    qint32 version = 0;
    QByteArray docks;
    QByteArray splitter;
    QByteArray plots;
    stream >> version >> docks >> splitter >> plots;
    if (stream.status() != QDataStream::Ok || version != kLayoutVersion)
        return;
    m_docks->restoreLayout(docks);
    m_splitter->restoreState(splitter);
    m_plots->restoreState(plots);
}

} // namespace mantissa::ui
