// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/advice_panel.h"

#include "ui/hardware/card_text.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr int kAdviceSign = 14;

struct SignLook {
    Icon icon;
    QColor ink;
    QString word;
};

SignLook lookOf(Advice::Sign sign, const Colours& c)
{
    switch (sign) {
    case Advice::Sign::Good:
        return {Icon::Good, c.good, AdvicePanel::tr("recommended")};
    case Advice::Sign::Warn:
        return {Icon::Warning, c.warn, AdvicePanel::tr("warning")};
    case Advice::Sign::Info:
        break;
    }
    return {Icon::Info, c.mutedText, AdvicePanel::tr("note")};
}

} // namespace

AdvicePanel::AdvicePanel(QWidget* parent)
    : QScrollArea(parent)
{
    setAccessibleName(tr("Advice"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    content->setAutoFillBackground(true);
    content->setBackgroundRole(QPalette::Base);
    m_lines = new QVBoxLayout(content);
    m_lines->setContentsMargins(12, 8, 12, 8);
    m_lines->setSpacing(6);
    setWidget(content);
    rebuild();
}

void AdvicePanel::set(std::vector<Advice> advice)
{
    m_advice = std::move(advice);
    rebuild();
}

QString AdvicePanel::summary() const
{
    if (m_advice.empty())
        return {};
    return std::ranges::any_of(m_advice, &Advice::againstRule)
        ? tr("follows the measurement, which contradicts the rule for this device")
        : tr("follows the measurement; the rule for this device agrees");
}

void AdvicePanel::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild(); // the signs keep the colour they were made with
}

QWidget* AdvicePanel::line(const Advice& advice)
{
    const SignLook look = lookOf(advice.sign, colours(palette()));
    auto* result = new QWidget;
    auto* row = new QHBoxLayout(result);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    auto* sign = new QLabel;
    sign->setPixmap(iconPixmap(look.icon, kAdviceSign, look.ink, devicePixelRatioF()));
    sign->setAccessibleName(look.word);
    auto* text = new QLabel(QStringLiteral("<b>%1</b>&nbsp; %2")
                                .arg(toQString(advice.headline).toHtmlEscaped(),
                                    toQString(advice.reason).toHtmlEscaped()));
    text->setTextFormat(Qt::RichText);
    text->setWordWrap(true);
    text->setAccessibleName(
        look.word + QStringLiteral(": ") + toQString(advice.headline + " " + advice.reason));
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    row->addWidget(sign, 0, Qt::AlignTop);
    row->addWidget(text, 1);
    return result;
}

void AdvicePanel::rebuild()
{
    while (QLayoutItem* item = m_lines->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const Advice& advice : m_advice)
        m_lines->addWidget(line(advice));
    if (m_advice.empty()) {
        auto* none = new QLabel(tr("Advice follows from a check of this device."));
        none->setForegroundRole(QPalette::PlaceholderText);
        m_lines->addWidget(none);
    }
    m_lines->addStretch(1);
}

} // namespace mantissa::ui
