// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/variants_panel.h"

#include "ui/experiment/experiment_form.h"
#include "ui/experiment/problem_label.h"
#include "ui/experiment/settings_group.h"
#include "ui/experiment/variant_editor.h"
#include "ui/theme/icons.h"

#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace mantissa::ui {

VariantsPanel::VariantsPanel(ExperimentForm& form, QWidget* parent)
    : QWidget(parent)
    , m_form(form)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    m_cards = new QVBoxLayout;
    m_cards->setSpacing(8);
    layout->addLayout(m_cards);
    layout->addWidget(m_problem = new ProblemLabel(this));
    m_add = new QPushButton(icon(Icon::Add), tr("Add variant"), this);
    m_add->setObjectName(QStringLiteral("addVariant"));
    layout->addWidget(m_add, 0, Qt::AlignLeft);
    m_scaler = new SettingsGroup(form, tr("Scaler"), keysOf("scaler"), this);
    layout->addWidget(m_scaler);
    layout->addStretch();
    connect(m_add, &QPushButton::clicked, this, [this] { m_form.addVariant(); });
}

void VariantsPanel::refresh(bool force)
{
    const bool fits = m_shown.size() == m_form.variants().size()
        && std::ranges::all_of(m_shown, [](const auto* card) { return card->fits(); });
    if (!fits)
        rebuildCards();
    for (auto* card : m_shown)
        card->refresh(force);
    m_problem->setProblem(m_form.problem("variant"));
    m_scaler->refresh(force);
}

void VariantsPanel::rebuildCards()
{
    for (auto* card : m_shown) {
        card->hide();
        card->deleteLater(); // it may be the sender of the change
    }
    m_shown.clear();
    for (std::size_t i = 0; i < m_form.variants().size(); ++i) {
        auto* card = new VariantEditor(m_form, i, this);
        m_cards->addWidget(card);
        m_shown.push_back(card);
    }
}

bool VariantsPanel::jumpTo(const std::string& key)
{
    if (key == "variant") {
        m_add->setFocus(Qt::ShortcutFocusReason);
        return true;
    }
    const auto close = key.find("].");
    if (key.starts_with("variant[") && close != std::string::npos) {
        const auto index = QString::fromStdString(key.substr(8, close - 8)).toUInt();
        return index < m_shown.size() && m_shown[index]->jumpTo(key.substr(close + 2));
    }
    return m_scaler->jumpTo(key);
}

} // namespace mantissa::ui
