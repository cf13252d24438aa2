// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/settings_group.h"

#include "ui/experiment/experiment_form.h"
#include "ui/experiment/field_editor.h"
#include "ui/experiment/field_text.h"
#include "ui/experiment/problem_label.h"
#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr int kLabelWidth = 104;
constexpr int kEditorWidth = 92;
constexpr int kHintWidth = 64;

} // namespace

bool isOfAnotherKind(const KeySpec& key, const QString& whyUnused)
{
    return !whyUnused.isEmpty() && (key.group() == "model" || key.group() == "data");
}

std::vector<const KeySpec*> keysOf(std::string_view group)
{
    std::vector<const KeySpec*> keys;
    for (const auto& key : schemaKeys()) {
        if (key.group() == group)
            keys.push_back(&key);
    }
    return keys;
}

SettingsGroup::SettingsGroup(ExperimentForm& form, const QString& title,
    const std::vector<const KeySpec*>& keys, QWidget* parent)
    : QWidget(parent)
    , m_form(form)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(12, 8, 8, 8);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(1);
    grid->setColumnMinimumWidth(0, kLabelWidth);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(2, 1);
    auto* heading = new QLabel(title, this);
    heading->setFont(semibold(font()));
    grid->addWidget(heading, 0, 0, 1, 3);
    grid->setRowMinimumHeight(0, 24);
    for (const auto* key : keys)
        addRow(*grid, *key);
}

void SettingsGroup::addRow(QGridLayout& grid, const KeySpec& key)
{
    Row row;
    row.key = &key;
    const int at = grid.rowCount();
    row.label = new QLabel(toQString(key.key()), this);
    row.label->setToolTip(toolTipText(key));
    row.editor = new FieldEditor(key, this);
    // A word to choose is shown whole.
    const int words = key.choices.empty() ? 0 : row.editor->minimumSizeHint().width();
    row.editor->setMinimumWidth(std::max(kEditorWidth, words));
    row.label->setBuddy(row.editor->input());
    row.hint = new QLabel(this);
    row.hint->setFont(hintFont(font()));
    row.hint->setForegroundRole(QPalette::PlaceholderText);
    // A long hint takes a second line rather than making the column wider.
    row.hint->setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    row.hint->setSizePolicy(policy);
    row.hint->setMinimumWidth(kHintWidth);
    row.problem = new ProblemLabel(this);
    grid.addWidget(row.label, at, 0);
    // Name and description need no hint and get its place.
    row.hint->setVisible(key.get != nullptr);
    grid.addWidget(row.editor, at, 1, 1, key.get ? 1 : 2);
    if (key.get)
        grid.addWidget(row.hint, at, 2);
    grid.addWidget(row.problem, at + 1, 1, 1, 2);
    connect(row.editor, &FieldEditor::edited, this,
        [this, path = key.path](const QString& text) { m_form.setText(path, text); });
    connect(row.editor, &FieldEditor::left, this,
        [this, row] { row.editor->setText(m_form.text(row.key->path)); });
    m_rows.push_back(row);
}

void SettingsGroup::refresh(bool force)
{
    for (const auto& row : m_rows)
        refreshRow(row, force);
}

void SettingsGroup::refreshRow(const Row& row, bool force)
{
    if (force || !row.editor->isBeingEdited())
        row.editor->setText(m_form.text(row.key->path));
    const auto why = row.key->get ? m_form.whyUnused(*row.key) : QString();
    const auto problem = m_form.problem(row.key->path);
    // A wrong value stays reachable even where it has no effect.
    const bool isUsable = why.isEmpty() || problem.has_value();
    const bool isShown = isUsable || !isOfAnotherKind(*row.key, why);
    row.label->setVisible(isShown);
    row.editor->setVisible(isShown);
    row.hint->setVisible(isShown && row.key->get);
    row.label->setEnabled(isUsable);
    row.editor->setEnabled(isUsable);
    row.hint->setText(why.isEmpty() ? hintText(*row.key) : why);
    row.hint->setToolTip(row.hint->text());
    row.problem->setProblem(problem);
    using Mark = FieldEditor::Mark;
    row.editor->setMark(!problem                   ? Mark::None
            : problem->severity == Severity::Error ? Mark::Error
                                                   : Mark::Warning);
}

bool SettingsGroup::jumpTo(const std::string& path)
{
    for (const auto& row : m_rows) {
        if (row.key->path != path)
            continue;
        row.editor->input()->setFocus(Qt::ShortcutFocusReason);
        return true;
    }
    return false;
}

} // namespace mantissa::ui
