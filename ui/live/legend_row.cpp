// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/legend_row.h"

#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"
#include "ui/widgets/swatch.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

namespace mantissa::ui {

LegendRow::LegendRow(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QHBoxLayout(this))
{
    setFixedHeight(27);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_layout->setContentsMargins(10, 0, 8, 0);
    m_layout->setSpacing(24);
    m_layout->addStretch();
}

void LegendRow::setVariants(const std::vector<LiveVariant>& variants)
{
    for (const Entry& entry : m_entries)
        delete entry.widget;
    m_entries.clear();
    for (std::size_t i = 0; i < variants.size(); ++i)
        addEntry(variants[i], static_cast<int>(i));
}

void LegendRow::addEntry(const LiveVariant& variant, int index)
{
    Entry entry;
    entry.widget = new QWidget(this);
    auto* row = new QHBoxLayout(entry.widget);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    entry.box = new QCheckBox(entry.widget);
    entry.box->setChecked(true);
    entry.box->setAccessibleName(tr("Show %1").arg(variant.name));
    entry.box->setToolTip(tr("Hides the variant; a double click on its name shows it alone"));
    entry.name = new QLabel(variant.name, entry.widget);
    QFont bold = tableFont(font());
    bold.setBold(true);
    entry.name->setFont(bold);
    entry.text = new QLabel(entry.widget);
    entry.text->setFont(tableFont(font()));
    row->addWidget(entry.box);
    row->addWidget(new Swatch(variant.colour, entry.widget));
    row->addWidget(entry.name);
    row->addWidget(entry.text);
    m_layout->insertWidget(index, entry.widget);
    entry.widget->installEventFilter(this);
    connect(entry.box, &QCheckBox::toggled, this,
        [this, index](bool shown) { Q_EMIT shownChanged(index, shown); });
    m_entries.push_back(entry);
}

void LegendRow::update(
    int variant, const std::optional<double>& smoothedLoss, const RunTrace& trace)
{
    const QString skipped = tr("skipped %1 of %2")
                                .arg(formatCount(static_cast<double>(trace.skipped())),
                                    formatCount(static_cast<double>(trace.steps())));
    const QString loss =
        smoothedLoss ? tr("loss %1  \u00b7  ").arg(formatLoss(*smoothedLoss)) : QString();
    m_entries.at(static_cast<std::size_t>(variant)).text->setText(loss + skipped);
}

bool LegendRow::isShown(int variant) const
{
    return m_entries.at(static_cast<std::size_t>(variant)).box->isChecked();
}

void LegendRow::addAtEnd(QWidget* widget)
{
    m_layout->addWidget(widget);
}

bool LegendRow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseButtonDblClick) {
        const auto found = std::ranges::find(m_entries, watched, &Entry::widget);
        if (found != m_entries.end())
            showAlone(static_cast<std::size_t>(found - m_entries.begin()));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void LegendRow::showAlone(std::size_t variant)
{
    // A second double click on the only one shown brings all back.
    const bool alone = m_entries[variant].box->isChecked()
        && std::ranges::count_if(m_entries, [](const Entry& e) { return e.box->isChecked(); }) == 1;
    for (std::size_t i = 0; i < m_entries.size(); ++i)
        m_entries[i].box->setChecked(alone || i == variant);
}

} // namespace mantissa::ui
