// SPDX-License-Identifier: GPL-3.0-or-later
// The row of boxes over the plots of the Runs page.
#include "core/base/human_text.h"
#include "ui/plot/plot_group.h"
#include "ui/plot/series_plot.h"
#include "ui/runs/run_columns.h"
#include "ui/runs/run_plots.h"
#include "ui/theme/fonts.h"
#include "ui/widgets/swatch.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

namespace mantissa::ui {

void RunPlots::rebuildLegend(const std::vector<RunRecord>& runs, const QStringList& labels)
{
    while (QLayoutItem* item = m_legendRow->takeAt(0)) {
        if (QWidget* widget = item->widget())
            widget->deleteLater();
        delete item;
    }
    for (std::size_t i = 0; i < runs.size(); ++i)
        m_legendRow->addWidget(legendEntry(i, runs[i], labels.at(static_cast<qsizetype>(i))));
    m_legendRow->addStretch(1);
    m_legend->setVisible(!runs.empty());
}

QWidget* RunPlots::legendEntry(std::size_t index, const RunRecord& run, const QString& label)
{
    auto* entry = new QWidget;
    auto* row = new QHBoxLayout(entry);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    auto* box = new QCheckBox;
    box->setAccessibleName(tr("Show %1").arg(label));
    box->setToolTip(tr("Shows or hides run %1 of %2").arg(run.id).arg(toQString(run.experiment)));
    box->setChecked(std::find(m_hiddenIds.begin(), m_hiddenIds.end(), run.id) == m_hiddenIds.end());
    auto* name = new QLabel(label);
    QFont bold = tableFont(font());
    bold.setBold(true);
    name->setFont(bold);
    const auto skipped = toQString(groupedText(run.stepsSkipped));
    auto* text =
        new QLabel(tr("skipped %1 of %2").arg(skipped, toQString(groupedText(run.stepsAttempted))));
    text->setFont(tableFont(font()));
    row->addWidget(box);
    row->addWidget(new Swatch(m_colours.at(index)));
    row->addWidget(name);
    row->addWidget(text);
    connect(box, &QCheckBox::toggled, this, [this, index](bool on) { setHidden(index, !on); });
    return entry;
}

void RunPlots::setHidden(std::size_t run, bool hidden)
{
    const std::int64_t id = m_shownIds.at(run);
    std::erase(m_hiddenIds, id);
    if (hidden)
        m_hiddenIds.push_back(id);
    for (SeriesPlot* plot : m_plots) {
        plot->setCurveVisible(static_cast<int>(run), !hidden);
        plot->clearMarks();
    }
    m_skipped = m_nonFinite = m_disturbed = 0;
    for (std::size_t i = 0; i < m_shownIds.size(); ++i) {
        if (std::find(m_hiddenIds.begin(), m_hiddenIds.end(), m_shownIds[i]) == m_hiddenIds.end())
            drawMarks(static_cast<int>(i), (*m_runs)[i]);
    }
    setKeysAndNotes();
    m_group->dataChanged();
}

} // namespace mantissa::ui
