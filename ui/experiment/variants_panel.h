// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <string>
#include <vector>

class QPushButton;
class QVBoxLayout;

namespace mantissa::ui {

class ExperimentForm;
class ProblemLabel;
class SettingsGroup;
class VariantEditor;

/// The variants as cards, and below them the scaler's settings.
class VariantsPanel : public QWidget {
    Q_OBJECT
public:
    explicit VariantsPanel(ExperimentForm& form, QWidget* parent = nullptr);

    void refresh(bool force);
    /// `key` as in problems: "variant[1].name", "scaler.init_scale", "variant".
    bool jumpTo(const std::string& key);

private:
    void rebuildCards();

    ExperimentForm& m_form;
    QVBoxLayout* m_cards = nullptr;
    std::vector<VariantEditor*> m_shown;
    ProblemLabel* m_problem = nullptr;
    QPushButton* m_add = nullptr;
    SettingsGroup* m_scaler = nullptr;
};

} // namespace mantissa::ui
