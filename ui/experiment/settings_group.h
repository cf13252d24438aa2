// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/schema.h"

#include <QWidget>
#include <vector>

class QGridLayout;
class QLabel;

namespace mantissa::ui {

class ExperimentForm;
class FieldEditor;
class ProblemLabel;

/// A title and the fields of one group of the schema, made from its keys.
class SettingsGroup : public QWidget {
    Q_OBJECT
public:
    SettingsGroup(ExperimentForm& form, const QString& title,
        const std::vector<const KeySpec*>& keys, QWidget* parent = nullptr);

    /// Shows the form's state. A field that has the focus keeps its text unless `force`.
    void refresh(bool force);
    /// Moves the focus to the field of this key; false if it is not here.
    bool jumpTo(const std::string& path);

private:
    struct Row {
        const KeySpec* key = nullptr;
        QLabel* label = nullptr;
        FieldEditor* editor = nullptr;
        QLabel* hint = nullptr;
        ProblemLabel* problem = nullptr;
    };
    void addRow(QGridLayout& grid, const KeySpec& key);
    void refreshRow(const Row& row, bool force);

    ExperimentForm& m_form;
    std::vector<Row> m_rows;
};

/// Whether the field is hidden: model and data have many keys, each for some kinds only. Elsewhere
/// a field without effect is shown, disabled and with the reason.
bool isOfAnotherKind(const KeySpec& key, const QString& whyUnused);

/// All keys of a group of the schema.
std::vector<const KeySpec*> keysOf(std::string_view group);

} // namespace mantissa::ui
