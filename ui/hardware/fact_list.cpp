// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/fact_list.h"

#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"

#include <QEvent>
#include <QHeaderView>

namespace mantissa::ui {

namespace {

constexpr int kFactSign = 12;

} // namespace

FactList::FactList(const QString& name, QWidget* parent)
    : QTreeWidget(parent)
{
    setAccessibleName(name);
    setColumnCount(2);
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setIndentation(0);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    setFont(tableFont(font()));
    setIconSize(QSize(kFactSign, kFactSign));
    setTextElideMode(Qt::ElideRight);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    header()->setMinimumSectionSize(40);
    header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    header()->setSectionResizeMode(1, QHeaderView::Stretch);
    header()->setStretchLastSection(true);
}

void FactList::set(std::vector<Fact> facts, bool valuesAtRight)
{
    m_facts = std::move(facts);
    m_valuesAtRight = valuesAtRight;
    rebuild();
}

void FactList::changeEvent(QEvent* event)
{
    QTreeWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild(); // signs and muted words keep the colour they were made with
}

void FactList::rebuild()
{
    const Colours& c = colours(palette());
    clear();
    for (const Fact& fact : m_facts) {
        auto* item = new QTreeWidgetItem(this, {fact.name, fact.value});
        item->setToolTip(0, fact.name);
        item->setToolTip(1, fact.value);
        item->setTextAlignment(
            1, (m_valuesAtRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        if (fact.sign) {
            item->setIcon(0,
                QIcon(*fact.sign
                        ? iconPixmap(Icon::Good, kFactSign, c.good, devicePixelRatioF())
                        : iconPixmap(Icon::Close, kFactSign, c.mutedText, devicePixelRatioF())));
            item->setData(0, Qt::AccessibleTextRole,
                *fact.sign ? tr("%1, there").arg(fact.name) : tr("%1, missing").arg(fact.name));
        } else {
            item->setForeground(0, c.mutedText);
        }
        if (fact.unknown || (fact.sign && !fact.strong))
            item->setForeground(1, c.mutedText);
        if (fact.strong)
            item->setFont(1, semibold(font()));
    }
}

} // namespace mantissa::ui
