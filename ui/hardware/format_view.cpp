// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/format_view.h"

#include "ui/hardware/card_text.h"
#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"
#include "ui/widgets/table.h"

#include <QHeaderView>
#include <QPainter>
#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr int kRow = 42;
constexpr int kPadding = 7;
constexpr int kClassSign = 12;

/// Text at the left; returns its width.
int drawLeft(
    QPainter& painter, const QRect& line, const QString& text, const QFont& font, const QColor& ink)
{
    painter.setFont(font);
    painter.setPen(ink);
    const QFontMetrics metrics(font);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(text, Qt::ElideRight, line.width()));
    return std::min(metrics.horizontalAdvance(text), line.width());
}

void drawRight(
    QPainter& painter, const QRect& line, const QString& text, const QFont& font, const QColor& ink)
{
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
        QFontMetrics(font).elidedText(text, Qt::ElideRight, line.width()));
}

QFont bold(QFont font)
{
    font.setBold(true);
    return font;
}

QRect upper(const QRect& place)
{
    return {place.left() + kPadding, place.top() + 3, place.width() - 2 * kPadding, 18};
}

QRect lower(const QRect& place)
{
    return {place.left() + kPadding, place.top() + 21, place.width() - 2 * kPadding, 17};
}

} // namespace

FormatDelegate::FormatDelegate(const FormatTable& table, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_table(table)
{
}

void FormatDelegate::paint(
    QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Colours& c = colours(option.palette);
    painter->save();
    painter->setClipRect(option.rect);
    painter->fillRect(option.rect, c.panel);
    painter->setFont(option.font);
    const CheckCell* cell = m_table.cellAt(index);
    const QString reason = m_table.unsupportedReason(index.column());
    if (index.column() == FormatTable::Work)
        paintWork(*painter, option.rect, index.row());
    else if (!reason.isEmpty())
        paintUnsupported(*painter, option.rect, reason);
    else if (cell)
        paintCell(*painter, option.rect, *cell, m_table.rowShape(index.row()));
    else
        drawLeft(*painter, upper(option.rect), m_table.missingText(), option.font, c.mutedText);
    painter->setPen(c.border);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    painter->drawLine(option.rect.topRight(), option.rect.bottomRight());
    if ((option.state & QStyle::State_HasFocus) != 0) {
        painter->setPen(QPen(c.accent, 1));
        painter->drawRect(option.rect.adjusted(1, 1, -3, -3));
    }
    painter->restore();
}

void FormatDelegate::paintWork(QPainter& painter, const QRect& place, int row) const
{
    const QFont font = painter.font();
    const auto* view = static_cast<const QWidget*>(parent());
    const Colours& c = colours(view->palette());
    drawLeft(painter, upper(place), toQString(title(kCheckWorks.at(static_cast<std::size_t>(row)))),
        font, c.text);
    drawLeft(painter, lower(place), m_table.rowShape(row), hintFont(view->font()), c.mutedText);
}

void FormatDelegate::paintCell(
    QPainter& painter, const QRect& place, const CheckCell& cell, const QString& rowShape) const
{
    const QFont font = painter.font();
    const auto* view = static_cast<const QWidget*>(parent());
    const QFont hint = hintFont(view->font());
    const Colours& c = colours(view->palette());
    const ClassLook look = classLook(cell.formatClass, c);
    const bool reference = cell.format == CheckFormat::Fp64 && !cell.points.empty();
    if (!reference)
        painter.fillRect(place, look.ground);
    QRect line = upper(place);
    if (!cell.points.empty()) {
        const CheckPoint& point = cell.largest();
        const RateWords rate = rateWords(point.rate(), isBandwidth(cell.work));
        line.setLeft(line.left() + drawLeft(painter, line, rate.number, bold(font), c.text) + 4);
        line.setLeft(line.left() + drawLeft(painter, line, rate.unit, font, c.text) + 6);
        // A time is comparable along the row only at the row's size.
        const bool sameShape = toQString(point.shape) == rowShape;
        drawRight(painter, line,
            sameShape ? formatMs(point.ms.median)
                      : FormatTable::tr("at %1").arg(toQString(point.shape)),
            font, sameShape ? c.text : c.mutedText);
        line = lower(place);
    }
    if (reference) {
        drawLeft(painter, line, cellDetail(cell), hint, c.mutedText);
        return;
    }
    painter.drawPixmap(line.left(), line.center().y() - kClassSign / 2,
        iconPixmap(look.sign, kClassSign, look.ink, painter.device()->devicePixelRatioF()));
    line.setLeft(line.left() + kClassSign + 4);
    line.setLeft(line.left() + drawLeft(painter, line, look.word, hint, look.ink) + 6);
    if (!cell.points.empty())
        drawRight(painter, line, cellDetail(cell), hint, c.text);
    else
        drawLeft(painter, lower(place), toQString(cell.reason), hint, c.mutedText);
}

void FormatDelegate::paintUnsupported(
    QPainter& painter, const QRect& place, const QString& reason) const
{
    const auto* view = static_cast<const QWidget*>(parent());
    const Colours& c = colours(view->palette());
    const ClassLook look = classLook(FormatClass::Unsupported, c);
    const QFont hint = hintFont(view->font());
    const QFontMetrics metrics(hint);
    painter.fillRect(place, look.ground);
    const QRect inner = place.adjusted(kPadding, kPadding, -kPadding, -kPadding);
    const int flags = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;
    const QSize needed =
        metrics.boundingRect(QRect(0, 0, inner.width(), 10'000), flags, reason).size();
    const int top = std::max(inner.top(), inner.center().y() - (needed.height() + 24) / 2);
    const int width = kClassSign + 4 + metrics.horizontalAdvance(look.word);
    const QRect head(inner.center().x() - width / 2, top, width + 2, 18);
    painter.drawPixmap(head.left(), head.center().y() - kClassSign / 2,
        iconPixmap(look.sign, kClassSign, look.ink, painter.device()->devicePixelRatioF()));
    drawLeft(painter, head.adjusted(kClassSign + 4, 0, 0, 0), look.word, hint, look.ink);
    painter.setPen(c.mutedText);
    painter.drawText(
        QRect(inner.left(), top + 24, inner.width(), inner.bottom() - top - 24), flags, reason);
}

FormatView::FormatView(FormatTable& table, QWidget* parent)
    : QTableView(parent)
    , m_table(table)
{
    setModel(&table);
    setupTable(*this);
    setItemDelegate(new FormatDelegate(table, this));
    setAccessibleName(tr("Formats by kind of work"));
    setObjectName(QStringLiteral("formats"));
    setAlternatingRowColors(false);
    setSelectionBehavior(SelectItems);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    verticalHeader()->setMinimumSectionSize(kRow);
    verticalHeader()->setDefaultSectionSize(kRow);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    connect(&table, &QAbstractItemModel::dataChanged, this, [this] {
        updateSpans();
        sizeColumns();
        horizontalHeader()->viewport()->update();
    });
    updateSpans();
}

int FormatView::wholeHeight() const
{
    return horizontalHeader()->height() + kRow * m_table.rowCount() + 2;
}

void FormatView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    sizeColumns();
}

void FormatView::updateSpans()
{
    clearSpans();
    for (int column = FormatTable::FirstFormat; column < m_table.columnCount(); ++column) {
        if (!m_table.unsupportedReason(column).isEmpty())
            setSpan(0, column, m_table.rowCount(), 1);
    }
}

/// The columns share the width; one with a reason in place of figures needs less.
void FormatView::sizeColumns()
{
    const int character = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    std::vector<int> least;
    for (int column = 0; column < m_table.columnCount(); ++column) {
        // The reference and the baseline are compared with nothing: their second line is short.
        constexpr int kCharacters[] = {21, 20, 20, 24, 32, 32};
        const bool reason = !m_table.unsupportedReason(column).isEmpty();
        least.push_back(character * (reason ? 15 : kCharacters[column]));
    }
    int sum = 0;
    for (const int width : least)
        sum += width;
    const double factor = std::max(1.0, static_cast<double>(viewport()->width()) / sum);
    int used = 0;
    for (int column = 0; column < m_table.columnCount(); ++column) {
        const int width = static_cast<int>(least[static_cast<std::size_t>(column)] * factor);
        setColumnWidth(column, width);
        used += width;
    }
    if (factor > 1)
        setColumnWidth(m_table.columnCount() - 1,
            columnWidth(m_table.columnCount() - 1) + viewport()->width() - used);
}

} // namespace mantissa::ui
