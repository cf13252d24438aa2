// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/operators_panel.h"

#include "core/base/human_text.h"
#include "core/report/run_profiles.h"
#include "ui/theme/fonts.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace mantissa::ui {

namespace {

enum Column { Operator, Type, Share, Time, Calls, Kind, NUM_COLUMNS };
constexpr int kNameWidth = 112;

QTreeWidgetItem* rowItem(const StepProfile& profile, const OperatorRow& row)
{
    const double steps = static_cast<double>(std::max<std::int64_t>(1, profile.steps));
    const double ms = row.ms / steps;
    const auto kind = toString(row.kind);
    auto* item = new QTreeWidgetItem({QString::fromStdString(row.name),
        QString::fromStdString(row.dtype), QString::fromStdString(percentText(profile.share(ms))),
        QString::fromStdString(significantText(ms * 1000, 3)),
        QString::fromStdString(significantText(static_cast<double>(row.calls) / steps, 3)),
        QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size()))});
    item->setToolTip(Operator, item->text(Operator));
    for (const auto column : {Calls, Time, Share})
        item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    return item;
}

} // namespace

OperatorsPanel::OperatorsPanel(QWidget* parent)
    : QWidget(parent)
    , m_empty(new QLabel)
    , m_table(new QTreeWidget)
{
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_table->setColumnCount(NUM_COLUMNS);
    m_table->setHeaderLabels(
        {tr("Operator"), tr("Type"), tr("Share"), tr("µs a step"), tr("Calls"), tr("Kind")});
    for (const auto column : {Calls, Time, Share})
        m_table->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    m_table->setAccessibleName(tr("Operators of a step"));
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setFont(tableFont(font()));
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->header()->setSectionResizeMode(Operator, QHeaderView::Interactive);
    m_table->setColumnWidth(Operator, kNameWidth);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_table, 1);
    setRuns({});
}

void OperatorsPanel::setRuns(const RunDataList& runs)
{
    m_table->clear();
    m_summary.clear();
    const auto profiles = runs.size() == 1 ? profilesOf(runs.front().events) : std::nullopt;
    m_empty->setText(runs.size() == 1
            ? tr("Not profiled yet: see Profile in the checklist.")
            : tr("Choose one run to see where the time of its steps goes."));
    m_empty->setVisible(!profiles);
    m_table->setVisible(profiles.has_value());
    if (!profiles)
        return;
    QList<QTreeWidgetItem*> items;
    for (const auto& row : profiles->run.rows)
        items.append(rowItem(profiles->run, row));
    m_table->addTopLevelItems(items);
    m_summary = tr("%1, %2 a step")
                    .arg(QString::fromStdString(profiles->run.precision),
                        QString::fromStdString(durationText(profiles->run.stepMs)));
}

} // namespace mantissa::ui
