// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/details_panel.h"

#include "core/base/human_text.h"
#include "ui/main_window/window_settings.h"
#include "ui/runs/run_columns.h"
#include "ui/runs/run_curves.h"
#include "ui/runs/run_details.h"
#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <utility>

namespace mantissa::ui {

namespace {

const QString kEqualToo = QStringLiteral("runs/showEqualKeys");

QTreeWidgetItem* sectionItem(const QString& title, const QFont& font)
{
    auto* item = new QTreeWidgetItem({title});
    item->setFont(0, semibold(font));
    item->setFirstColumnSpanned(true);
    item->setFlags(Qt::ItemIsEnabled);
    return item;
}

QTreeWidgetItem* rowItem(const DetailRow& row, const QColor& muted)
{
    auto* item = new QTreeWidgetItem(QStringList(row.key) + row.values);
    item->setToolTip(0, row.key);
    for (int i = 0; i < row.values.size(); ++i) {
        item->setToolTip(i + 1, row.values.at(i));
        if (row.values.at(i) == QStringLiteral("none"))
            item->setForeground(i + 1, muted);
    }
    return item;
}

} // namespace

DetailsPanel::DetailsPanel(WindowSettings& settings, QWidget* parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_empty(new QLabel(tr("Choose a run, or several to see what differs.")))
    , m_tree(new QTreeWidget)
    , m_equalToo(new QCheckBox(tr("Show equal keys")))
{
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_tree->setAccessibleName(tr("Details of the chosen runs"));
    m_tree->setRootIsDecorated(false);
    m_tree->setIndentation(12);
    m_tree->setAlternatingRowColors(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setFont(tableFont(font()));
    m_equalToo->setChecked(m_settings.flag(kEqualToo, false));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_tree, 1);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(8, 4, 8, 4);
    below->addWidget(m_equalToo);
    layout->addLayout(below);
    connect(m_equalToo, &QCheckBox::toggled, this, [this](bool on) {
        m_settings.set(kEqualToo, on);
        rebuild();
    });
    rebuild();
}

void DetailsPanel::setRuns(std::vector<RunRecord> runs)
{
    m_runs = std::move(runs);
    rebuild();
}

QString DetailsPanel::summary() const
{
    return m_summary;
}

void DetailsPanel::sizeColumns()
{
    constexpr int kKeyWidth = 136;
    constexpr int kLeastValue = 70;
    QHeaderView* header = m_tree->header();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(kLeastValue);
    header->setSectionResizeMode(QHeaderView::Stretch);
    header->setSectionResizeMode(0, QHeaderView::Interactive);
    header->resizeSection(0, kKeyWidth);
}

void DetailsPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild(); // the muted words keep the colour they were made with
}

void DetailsPanel::rebuild()
{
    const int scrolled = m_tree->verticalScrollBar()->value();
    m_tree->clear();
    const bool several = m_runs.size() > 1;
    const auto sections = runDetails(m_runs);
    QStringList headers{tr("Key")};
    headers += several ? runLabels(m_runs) : QStringList(tr("Value"));
    m_tree->setColumnCount(static_cast<int>(headers.size()));
    m_tree->setHeaderLabels(headers);
    const bool all = !several || m_equalToo->isChecked();
    const QColor muted = colours(palette()).mutedText;
    for (const DetailSection& section : sections) {
        auto* top = sectionItem(section.title, m_tree->font());
        for (const DetailRow& row : section.rows) {
            if (all || row.differs)
                top->addChild(rowItem(row, muted));
        }
        if (top->childCount() == 0) {
            delete top;
            continue;
        }
        m_tree->addTopLevelItem(top);
        top->setFirstColumnSpanned(true);
        top->setExpanded(true);
    }
    sizeColumns();
    m_tree->verticalScrollBar()->setValue(scrolled);

    const auto [differing, equal] = differenceCounts(sections);
    m_summary = several ? tr("%1 keys differ, %2 are equal").arg(differing).arg(equal) : QString();
    m_equalToo->setVisible(several);
    m_empty->setVisible(m_runs.empty());
    m_tree->setVisible(!m_runs.empty());
    Q_EMIT summaryChanged(m_summary);
}

} // namespace mantissa::ui
