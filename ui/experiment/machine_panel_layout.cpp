// SPDX-License-Identifier: GPL-3.0-or-later
// How the panel "This machine" is put together.
#include "ui/experiment/experiment_form.h"
#include "ui/experiment/fit_panel.h"
#include "ui/experiment/machine_panel.h"
#include "ui/experiment/memory_table.h"
#include "ui/experiment/outcome_table.h"
#include "ui/experiment/prediction_table.h"
#include "ui/experiment/problem_label.h"
#include "ui/experiment/whole_table.h"
#include "ui/theme/fonts.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>

namespace mantissa::ui {

namespace {

QLabel* titleLabel(const QString& text)
{
    auto* label = new QLabel(text);
    label->setFont(semibold(label->font()));
    label->setContentsMargins(12, 8, 12, 2);
    return label;
}

QLabel* mutedLabel(const char* name)
{
    auto* label = new QLabel;
    label->setObjectName(QString::fromLatin1(name));
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setWordWrap(true);
    label->setFont(tableFont(label->font()));
    label->setContentsMargins(12, 2, 12, 2);
    return label;
}

ProblemLabel* problemLabel(const char* name)
{
    auto* label = new ProblemLabel;
    label->setObjectName(QString::fromLatin1(name));
    label->setContentsMargins(10, 2, 12, 0);
    return label;
}

} // namespace

void MachinePanel::setupButtons(QVBoxLayout& layout)
{
    m_measure = new QPushButton(tr("Measure"));
    m_measure->setObjectName(QStringLiteral("machine_measure"));
    m_cancel = new QPushButton(tr("Cancel"));
    m_cancel->setObjectName(QStringLiteral("machine_cancel"));
    m_progress = mutedLabel("machine_progress");
    m_progress->setContentsMargins(0, 0, 0, 0);
    m_progress->setAccessibleName(tr("Progress"));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 8, 12, 4);
    row->setSpacing(8);
    row->addWidget(m_measure);
    row->addWidget(m_cancel);
    row->addWidget(m_progress, 1);
    layout.addLayout(row);
    layout.addWidget(m_notice = problemLabel("machine_notice"));
    layout.addWidget(m_slow = problemLabel("machine_slow"));
    layout.addWidget(m_stale = problemLabel("machine_stale"));
}

void MachinePanel::setupResult(QVBoxLayout& layout)
{
    m_empty = mutedLabel("machine_empty");
    m_empty->setText(tr("Not measured yet. A few real steps of each precision tell what the whole "
                        "run will take here; some seconds each."));
    m_predictions = new PredictionTable(this);
    m_predictionView = new WholeTable(*m_predictions, tr("Predicted for each variant"));
    m_predictionView->setObjectName(QStringLiteral("predictions"));
    m_memoryTitle = titleLabel(tr("Peak memory by role, MiB"));
    m_memory = new MemoryTable(this);
    m_memoryView = new WholeTable(*m_memory, tr("Peak memory by role"));
    m_memoryView->setObjectName(QStringLiteral("memory_roles"));
    for (QWidget* widget : {static_cast<QWidget*>(m_empty), static_cast<QWidget*>(m_predictionView),
             static_cast<QWidget*>(m_memoryTitle), static_cast<QWidget*>(m_memoryView)})
        layout.addWidget(widget);
}

void MachinePanel::setupFit(QVBoxLayout& layout)
{
    layout.addWidget(titleLabel(tr("Largest batch that fits")));
    layout.addWidget(m_fit = new FitPanel);
    connect(m_fit, &FitPanel::fitWanted, this, &MachinePanel::fit);
    connect(m_fit, &FitPanel::matchWanted, this, &MachinePanel::match);
    connect(m_fit, &FitPanel::batchChosen, this,
        [this](std::int64_t batch) { m_form.setText("data.batch_size", QString::number(batch)); });
}

void MachinePanel::setupOutcomes(QVBoxLayout& layout)
{
    layout.addWidget(titleLabel(tr("How good past predictions were")));
    layout.addWidget(m_outcomeText = mutedLabel("machine_outcomes"));
    m_outcomes = new OutcomeTable(this);
    m_outcomeView = new WholeTable(*m_outcomes, tr("Past predictions and their runs"));
    m_outcomeView->setObjectName(QStringLiteral("outcomes"));
    layout.addWidget(m_outcomeView);
    layout.addStretch();
}

} // namespace mantissa::ui
