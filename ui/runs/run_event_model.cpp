// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_event_model.h"

#include "core/base/human_text.h"
#include "core/run/system_events.h"
#include "ui/runs/run_columns.h"
#include "ui/runs/run_curves.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"

#include <QGuiApplication>
#include <algorithm>
#include <utility>

namespace mantissa::ui {

namespace {

const Colours& themeColours()
{
    return colours(QGuiApplication::palette());
}

/// The kind in words, for a message and for counting.
QString kindWords(const std::string& kind)
{
    return toQString(kind).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString scaleChange(const LifecycleEvent& event)
{
    const auto text = [&event](const char* key) -> QString {
        const auto number = event.number(key);
        return number ? toQString(scaleText(*number)) : QString();
    };
    const QString before = text("scale");
    const QString after = text("new_scale");
    if (before.isEmpty() || after.isEmpty())
        return {};
    return RunEventModel::tr("scale %1 → %2").arg(before, after);
}

QString whatText(const LifecycleEvent& event)
{
    QStringList parts;
    if (!event.message.empty())
        parts.append(toQString(event.message));
    else
        parts.append(kindWords(event.kind));
    const QString change = scaleChange(event);
    if (!change.isEmpty() && event.message.empty())
        parts.append(change);
    return parts.join(QStringLiteral(": "));
}

QIcon kindIcon(const std::string& kind)
{
    if (kind == event_kind::kStepSkipped || kind == event_kind::kNonFiniteLoss
        || kind == event_kind::kNonFiniteLocated)
        return icon(Icon::Error, [] { return themeColours().error; });
    if (kind == event_kind::kWarning || kind == event_kind::kAlert || kind == event_kind::kHostNote
        || kind == event_kind::kThrottled || kind == event_kind::kForeignLoad)
        return icon(Icon::Warning, [] { return themeColours().warn; });
    if (kind == event_kind::kPaused)
        return icon(Icon::Pause);
    if (kind == event_kind::kResumed)
        return icon(Icon::Start);
    return icon(Icon::Info);
}

} // namespace

RunEventModel::RunEventModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void RunEventModel::setRuns(std::shared_ptr<const RunDataList> runs)
{
    beginResetModel();
    m_runs = std::move(runs);
    m_rows.clear();
    if (m_runs) {
        std::vector<RunRecord> records;
        for (const RunData& data : *m_runs)
            records.push_back(data.run);
        const QStringList labels = runLabels(records);
        for (std::size_t i = 0; i < m_runs->size(); ++i) {
            for (const LifecycleEvent& event : (*m_runs)[i].events) {
                if (event.kind != event_kind::kBlockStarted)
                    m_rows.push_back({records[i].id, labels.at(static_cast<qsizetype>(i)), &event});
            }
        }
        std::stable_sort(m_rows.begin(), m_rows.end(),
            [](const Row& a, const Row& b) { return a.event->timeS < b.event->timeS; });
    }
    endResetModel();
}

QString RunEventModel::summary() const
{
    if (m_rows.empty())
        return {};
    const auto count = [this](std::string_view kind) {
        return std::count_if(m_rows.begin(), m_rows.end(),
            [kind](const Row& row) { return row.event->kind == kind; });
    };
    QString text = QString::number(m_rows.size());
    if (const auto skipped = count(event_kind::kStepSkipped); skipped > 0)
        text += tr(", %1 skipped").arg(skipped);
    if (const auto warnings = count(event_kind::kWarning); warnings == 1)
        text += tr(", 1 warning");
    else if (warnings > 1)
        text += tr(", %1 warnings").arg(warnings);
    return text;
}

int RunEventModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RunEventModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : NUM_COLUMNS;
}

QVariant RunEventModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = m_rows.at(static_cast<std::size_t>(index.row()));
    const LifecycleEvent& event = *row.event;
    if (role == Qt::TextAlignmentRole) {
        const bool right = index.column() == Time || index.column() == Step;
        return QVariant::fromValue(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role == Qt::DecorationRole && index.column() == What)
        return kindIcon(event.kind);
    if (role == Qt::ToolTipRole && index.column() == What)
        return whatText(event);
    if (role == RunIdRole)
        return QVariant::fromValue(row.id);
    if (role == StepRole)
        return event.step ? QVariant::fromValue(*event.step) : QVariant();
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Time:
        return toQString(durationText(event.timeS * 1000.0));
    case Run:
        return row.run;
    case Step:
        return event.step ? toQString(groupedText(*event.step)) : QString();
    case What:
        return whatText(event);
    default:
        return {};
    }
}

QVariant RunEventModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole) {
        const bool right = section == Time || section == Step;
        return QVariant::fromValue(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Time:
        return tr("Time");
    case Run:
        return tr("Run");
    case Step:
        return tr("Step");
    case What:
        return tr("What");
    default:
        return {};
    }
}

} // namespace mantissa::ui
