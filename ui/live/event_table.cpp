// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/event_table.h"

#include "core/run/system_events.h"
#include "ui/live/scaler_edits.h"
#include "ui/plot/plot_mark.h"
#include "ui/theme/icons.h"
#include "ui/theme/value_text.h"

#include <QGuiApplication>
#include <QPainter>
#include <algorithm>

namespace mantissa::ui {

namespace {

QString scaleChange(const LifecycleEvent& event)
{
    const auto from = event.number("scale");
    const auto to = event.number("new_scale");
    if (!from || !to)
        return {};
    return formatScaleShort(*from) + QStringLiteral(" \u2192 ") + formatScaleShort(*to);
}

std::optional<EventSign> signOf(const std::string& kind)
{
    if (kind == event_kind::kStepSkipped)
        return EventSign::Skipped;
    if (kind == event_kind::kScaleGrew)
        return EventSign::Growth;
    if (kind == event_kind::kNonFiniteLoss)
        return EventSign::NonFinite;
    if (kind == event_kind::kNonFiniteLocated)
        return EventSign::Located;
    if (kind == event_kind::kSettingChanged)
        return EventSign::Edit;
    if (kind == event_kind::kWarning || kind == event_kind::kAlert
        || kind == event_kind::kSettingRefused || kind == event_kind::kThrottled
        || kind == event_kind::kForeignLoad)
        return EventSign::Warning;
    if (kind == event_kind::kHostNote || kind == event_kind::kCheckpoint)
        return EventSign::Note;
    return std::nullopt;
}

QIcon signIcon(const EventRow& row)
{
    const Colours& c = colours(QGuiApplication::palette());
    switch (row.sign) {
    case EventSign::Warning:
        return QIcon(iconPixmap(Icon::Warning, 14, c.warn));
    case EventSign::Error:
        return QIcon(iconPixmap(Icon::Error, 14, c.error));
    case EventSign::Note:
        return QIcon(iconPixmap(Icon::Info, 14, c.mutedText));
    default:
        break;
    }
    constexpr MarkKind kinds[] = {MarkKind::Skipped, MarkKind::Growth, MarkKind::BackOff,
        MarkKind::NonFinite, MarkKind::Edit, MarkKind::NonFinite};
    QPixmap pixmap(14, 14);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    drawMark(painter, kinds[static_cast<int>(row.sign)], QPointF(7, 7), c.series(row.colour));
    return QIcon(pixmap);
}

/// What was seen in the line; what may be behind it, a guess and called so, under the table.
void splitAlert(const LifecycleEvent& event, EventRow& row)
{
    const auto words = [&event](
                           const char* key) { return QString::fromStdString(event.text(key)); };
    if (const QString seen = words("text"); !seen.isEmpty())
        row.text = seen;
    if (const QString guess = words("hypothesis"); !guess.isEmpty())
        row.detail = QObject::tr("Hypothesis: %1").arg(guess);
}

} // namespace

std::optional<EventRow> eventRow(const LifecycleEvent& event)
{
    const auto sign = signOf(event.kind);
    if (!sign)
        return std::nullopt;
    EventRow row;
    row.sign = *sign;
    row.timeS = event.timeS;
    if (event.step)
        row.step = static_cast<double>(*event.step);
    row.text = QString::fromStdString(event.message);
    const QString change = scaleChange(event);
    if (row.sign == EventSign::Skipped)
        row.text = QObject::tr("gradients not finite, step skipped")
            + (change.isEmpty() ? QString() : QObject::tr("; scale ") + change);
    else if (event.kind == event_kind::kAlert)
        splitAlert(event, row);
    else if (row.sign == EventSign::Edit)
        row.text = QObject::tr("changed: ") + settingChangeText(event);
    else if (row.sign == EventSign::Growth && !change.isEmpty())
        row.text = QObject::tr("scale grew ") + change;
    return row;
}

EventTable::EventTable(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void EventTable::clear()
{
    beginResetModel();
    m_rows.clear();
    endResetModel();
}

void EventTable::add(std::vector<EventRow> rows)
{
    if (rows.empty())
        return;
    beginInsertRows({}, 0, static_cast<int>(rows.size()) - 1);
    m_rows.insert(m_rows.end(), rows.begin(), rows.end());
    endInsertRows();
}

const EventRow& EventTable::row(int index) const
{
    return m_rows.at(m_rows.size() - 1 - static_cast<std::size_t>(index));
}

QString EventTable::summary() const
{
    if (m_rows.empty())
        return {};
    const auto count = [this](EventSign sign) {
        return std::ranges::count(m_rows, sign, &EventRow::sign);
    };
    QStringList parts;
    const auto part = [&](EventSign sign, const QString& one, const QString& many) {
        if (const auto n = count(sign); n > 0)
            parts << (n == 1 ? one : many.arg(formatCount(static_cast<double>(n))));
    };
    part(EventSign::Skipped, tr("1 skipped step"), tr("%1 skipped steps"));
    part(EventSign::Growth, tr("1 growth"), tr("%1 growths"));
    part(EventSign::NonFinite, tr("1 non-finite loss"), tr("%1 non-finite losses"));
    part(EventSign::Located, tr("1 tensor named"), tr("%1 tensors named"));
    part(EventSign::Edit, tr("1 edit"), tr("%1 edits"));
    part(EventSign::Warning, tr("1 warning"), tr("%1 warnings"));
    part(EventSign::Error, tr("1 error"), tr("%1 errors"));
    return parts.join(QStringLiteral(", "));
}

int EventTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int EventTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(NumColumns);
}

QVariant EventTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const EventRow& line = row(index.row());
    const int column = index.column();
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::AlignVCenter | (column == Time || column == Step ? Qt::AlignRight : Qt::AlignLeft));
    if (role == Qt::DecorationRole && column == Sign)
        return signIcon(line);
    if (role == Qt::ToolTipRole && column == What)
        return line.detail.isEmpty() ? line.text : line.text + QLatin1Char('\n') + line.detail;
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Time:
        return formatClock(line.timeS);
    case Variant:
        return line.variantName;
    case Step:
        return line.step ? formatCount(*line.step) : QString();
    case What:
        return line.text;
    default:
        return {};
    }
}

QVariant EventTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter
            | (section == Time || section == Step ? Qt::AlignRight : Qt::AlignLeft));
    const QString names[] = {QString(), tr("Time"), tr("Variant"), tr("Step"), tr("What")};
    return role == Qt::DisplayRole && section >= 0 && section < NumColumns ? names[section]
                                                                           : QVariant();
}

} // namespace mantissa::ui
