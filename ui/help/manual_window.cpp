// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help/manual_window.h"

#include "ui/help/manual_text.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"

#include <QAbstractTextDocumentLayout>
#include <QAction>
#include <QDesktopServices>
#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QTextTable>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace mantissa::ui {

namespace {

constexpr int kTargetRole = Qt::UserRole;
constexpr int kMargin = 8;

QString target(const ManualPage& page, const QString& anchor)
{
    return anchor.isEmpty() ? page.file : page.file + QLatin1Char('#') + anchor;
}

QTreeWidgetItem* addItem(QTreeWidgetItem* parent, const QString& text, const QString& where)
{
    auto* item = new QTreeWidgetItem(parent, {text});
    item->setData(0, kTargetRole, where);
    item->setToolTip(0, text);
    return item;
}

void styleTable(QTextTable& table, const QColor& border)
{
    QTextTableFormat format = table.format();
    format.setCellPadding(4);
    format.setCellSpacing(0);
    format.setBorderCollapse(true);
    format.setBorder(1);
    format.setBorderBrush(border);
    format.setBottomMargin(12);
    table.setFormat(format);
    for (int row = 0; row < table.rows(); ++row) {
        for (int column = 0; column < table.columns(); ++column) {
            QTextTableCell cell = table.cellAt(row, column);
            QTextTableCellFormat cellFormat = cell.format().toTableCellFormat();
            cellFormat.setBorder(1);
            cellFormat.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            cellFormat.setBorderBrush(border);
            cell.setFormat(cellFormat);
        }
    }
}

/// Cell borders and room around tables and headings: Qt's Markdown has neither.
void styleDocument(QTextDocument& document, const QColor& border)
{
    QList<QTextFrame*> frames{document.rootFrame()};
    while (!frames.isEmpty()) {
        QTextFrame* frame = frames.takeFirst();
        frames.append(frame->childFrames());
        if (auto* table = qobject_cast<QTextTable*>(frame))
            styleTable(*table, border);
    }
    for (auto block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0)
            continue;
        QTextBlockFormat format = block.blockFormat();
        format.setTopMargin(16);
        format.setBottomMargin(6);
        QTextCursor(block).setBlockFormat(format);
    }
}

} // namespace

ManualWindow::ManualWindow(const std::filesystem::path& folder, QWidget* parent)
    : QWidget(parent, Qt::Window)
{
    setWindowTitle(tr("Mantissa manual"));
    setWindowIcon(programIcon());
    setupLayout(QString::fromStdString(folder.string()));
    setupKeys();
    auto pages = readManual(folder);
    if (!pages) {
        m_text->setPlainText(QString::fromStdString(pages.error().message));
        return;
    }
    m_pages = std::move(*pages);
    showContents();
    showPage(0);
}

void ManualWindow::setupLayout(const QString& folder)
{
    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("Search all pages (Ctrl+F)"));
    m_search->setAccessibleName(tr("Search the manual"));
    m_search->setClearButtonEnabled(true);
    m_contents = new QTreeWidget;
    m_contents->setHeaderHidden(true);
    m_contents->setAccessibleName(tr("Contents"));
    m_text = new ManualText(folder);
    m_text->setAccessibleName(tr("Manual page"));
    m_text->setOpenLinks(false);
    m_text->document()->setDocumentMargin(16);

    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(kMargin, kMargin, 0, kMargin);
    column->addWidget(m_search);
    column->addWidget(m_contents);
    auto* splitter = new QSplitter;
    splitter->addWidget(left);
    splitter->addWidget(m_text);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({280, 720});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    resize(1000, 720);

    connect(m_text, &QTextBrowser::anchorClicked, this, &ManualWindow::follow);
    connect(m_text, &ManualText::widthChanged, this, &ManualWindow::showAgain);
    connect(m_search, &QLineEdit::textChanged, this, &ManualWindow::search);
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (auto* first = m_contents->topLevelItem(0))
            m_contents->setCurrentItem(first);
    });
    connect(m_contents, &QTreeWidget::currentItemChanged, this, &ManualWindow::openItem);
}

void ManualWindow::setupKeys()
{
    auto* find = new QAction(tr("Search the manual"), this);
    find->setShortcut(QKeySequence::Find);
    connect(find, &QAction::triggered, this, [this] {
        m_search->setFocus();
        m_search->selectAll();
    });
    auto* close = new QAction(tr("Close the manual"), this);
    close->setShortcuts({QKeySequence::Close, QKeySequence(Qt::Key_Escape)});
    connect(close, &QAction::triggered, this, &QWidget::close);
    addActions({find, close});
}

void ManualWindow::showContents()
{
    m_contents->clear();
    for (const ManualPage& page : m_pages) {
        auto* top = addItem(nullptr, page.title, page.file);
        m_contents->addTopLevelItem(top);
        QTreeWidgetItem* chapter = top;
        for (const ManualHeading& heading : page.headings) {
            if (heading.level == 2)
                chapter = addItem(top, heading.text, target(page, heading.anchor));
            else if (heading.level == 3)
                addItem(chapter, heading.text, target(page, heading.anchor));
        }
    }
    if (auto* first = m_contents->topLevelItem(0))
        first->setExpanded(true);
}

void ManualWindow::search(const QString& text)
{
    if (text.trimmed().isEmpty()) {
        showContents();
        return;
    }
    m_contents->clear();
    for (const ManualHit& hit : searchManual(m_pages, text)) {
        const ManualPage& page = m_pages.at(static_cast<std::size_t>(hit.page));
        const QString place = hit.heading.isEmpty() ? page.title : hit.heading;
        auto* item =
            addItem(nullptr, place + QStringLiteral(": ") + hit.line, target(page, hit.anchor));
        m_contents->addTopLevelItem(item);
    }
    if (m_contents->topLevelItemCount() == 0) {
        auto* none = new QTreeWidgetItem(m_contents, {tr("No page has “%1”.").arg(text.trimmed())});
        none->setFlags(Qt::NoItemFlags);
    }
}

void ManualWindow::openItem(QTreeWidgetItem* item)
{
    if (item)
        open(item->data(0, kTargetRole).toString());
}

void ManualWindow::follow(const QUrl& link)
{
    if (link.scheme().startsWith(QStringLiteral("http")))
        QDesktopServices::openUrl(link);
    else
        open(link.toString());
}

bool ManualWindow::open(const QString& where)
{
    const QString file = where.section(QLatin1Char('#'), 0, 0);
    const QString anchor = where.section(QLatin1Char('#'), 1);
    int page = m_current;
    if (!file.isEmpty()) {
        const auto found = std::find_if(m_pages.begin(), m_pages.end(),
            [&file](const ManualPage& p) { return p.file == file; });
        page = found == m_pages.end() ? -1 : static_cast<int>(found - m_pages.begin());
    }
    if (page < 0)
        return false;
    const ManualPage& shown = m_pages.at(static_cast<std::size_t>(page));
    const auto heading = std::find_if(shown.headings.begin(), shown.headings.end(),
        [&anchor](const ManualHeading& h) { return h.anchor == anchor; });
    if (!anchor.isEmpty() && heading == shown.headings.end())
        return false;
    showPage(page);
    scrollTo(shown, anchor);
    return true;
}

QString ManualWindow::currentFile() const
{
    return m_current < 0 ? QString() : m_pages.at(static_cast<std::size_t>(m_current)).file;
}

void ManualWindow::showPage(int page)
{
    if (page == m_current)
        return;
    m_current = page;
    m_text->document()->setMarkdown(m_pages.at(static_cast<std::size_t>(page)).markdown);
    applyStyle();
}

void ManualWindow::applyStyle()
{
    styleDocument(*m_text->document(), colours(palette()).border);
    m_text->moveCursor(QTextCursor::Start);
}

void ManualWindow::scrollTo(const ManualPage& page, const QString& anchor)
{
    std::size_t seen = 0;
    for (auto block = m_text->document()->begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0)
            continue;
        if (seen >= page.headings.size())
            return;
        if (page.headings[seen++].anchor != anchor)
            continue;
        m_text->setTextCursor(QTextCursor(block));
        const auto top = m_text->document()->documentLayout()->blockBoundingRect(block).top();
        m_text->verticalScrollBar()->setValue(static_cast<int>(top) - kMargin);
        return;
    }
    m_text->verticalScrollBar()->setValue(0);
}

/// The document keeps the colours and pictures it was made with: makes it anew, at its place.
void ManualWindow::showAgain()
{
    const auto* bar = m_text->verticalScrollBar();
    const double place = bar->maximum() > 0 ? double(bar->value()) / bar->maximum() : 0;
    const int page = m_current;
    if (page < 0)
        return;
    m_current = -1;
    showPage(page);
    m_text->verticalScrollBar()->setValue(static_cast<int>(place * bar->maximum()));
}

void ManualWindow::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showAgain();
}

} // namespace mantissa::ui
