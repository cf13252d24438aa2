// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/note_panel.h"

#include "ui/runs/run_columns.h"
#include "ui/runs/store_editor.h"
#include "ui/theme/fonts.h"

#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>
#include <algorithm>

namespace mantissa::ui {

namespace {

QStringList tagsOfAll(const std::vector<RunRecord>& runs)
{
    QStringList shared;
    if (runs.empty())
        return shared;
    for (const auto& tag : runs.front().tags) {
        const bool everywhere = std::all_of(runs.begin(), runs.end(), [&tag](const auto& run) {
            return std::find(run.tags.begin(), run.tags.end(), tag) != run.tags.end();
        });
        if (everywhere)
            shared.append(toQString(tag));
    }
    return shared;
}

bool sameRuns(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
        [](const RunRecord& x, const RunRecord& y) { return x.id == y.id; });
}

} // namespace

NotePanel::NotePanel(StoreEditor& editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_note(new QPlainTextEdit)
    , m_tags(new QLineEdit)
    , m_hint(new QLabel)
{
    m_tags->setPlaceholderText(tr("Tags, separated by commas"));
    m_tags->setAccessibleName(tr("Tags"));
    m_note->setAccessibleName(tr("Note"));
    m_note->setTabChangesFocus(true);
    m_hint->setFont(hintFont(font()));
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    m_hint->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(4);
    layout->addWidget(m_tags);
    layout->addWidget(m_note, 1);
    layout->addWidget(m_hint);
    m_note->installEventFilter(this);
    connect(m_tags, &QLineEdit::editingFinished, this, &NotePanel::commitTags);
    show({});
}

void NotePanel::setRuns(const std::vector<RunRecord>& runs)
{
    if (sameRuns(runs, m_runs)) {
        // A refresh must not overwrite what is being typed.
        const bool typing = m_note->hasFocus() || m_tags->hasFocus();
        m_runs = runs;
        if (!typing)
            show(runs);
        return;
    }
    commit();
    show(runs);
}

void NotePanel::show(const std::vector<RunRecord>& runs)
{
    m_runs = runs;
    m_sharedTags = tagsOfAll(runs);
    m_tags->setText(m_sharedTags.join(QStringLiteral(", ")));
    m_tags->setEnabled(!runs.empty());
    m_note->setEnabled(runs.size() == 1);
    const QString note = runs.size() == 1 ? toQString(runs.front().note) : QString();
    if (m_note->toPlainText() != note)
        m_note->setPlainText(note);
    m_note->setPlaceholderText(
        runs.size() > 1 ? tr("A note belongs to one run") : tr("Note of the run"));
    if (runs.empty())
        m_hint->setText(tr("Choose a run in the table."));
    else if (runs.size() == 1)
        m_hint->setText(tr("Run %1. Stored when you leave the field.").arg(runs.front().id));
    else
        m_hint->setText(tr("%1 runs: the tags that all of them have.").arg(runs.size()));
}

void NotePanel::editNote()
{
    (m_note->isEnabled() ? static_cast<QWidget*>(m_note) : m_tags)
        ->setFocus(Qt::ShortcutFocusReason);
}

void NotePanel::editTags()
{
    m_tags->setFocus(Qt::ShortcutFocusReason);
    m_tags->selectAll();
}

void NotePanel::commit()
{
    commitNote();
    commitTags();
}

void NotePanel::commitNote()
{
    if (m_runs.size() != 1)
        return;
    RunRecord& run = m_runs.front();
    const QString text = m_note->toPlainText().trimmed();
    if (text == toQString(run.note))
        return;
    m_editor.setNote(run, text);
    run.note = text.toStdString();
}

void NotePanel::commitTags()
{
    if (m_runs.empty())
        return;
    const QStringList wanted = StoreEditor::tagsFromText(m_tags->text());
    QStringList added = wanted;
    QStringList removed = m_sharedTags;
    for (const QString& tag : m_sharedTags)
        added.removeAll(tag);
    for (const QString& tag : wanted)
        removed.removeAll(tag);
    if (added.isEmpty() && removed.isEmpty())
        return;
    m_sharedTags = wanted;
    m_editor.changeTags(m_runs, added, removed);
}

bool NotePanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_note && event->type() == QEvent::FocusOut) {
        commitNote();
    } else if (watched == m_note && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::ControlModifier && key->key() == Qt::Key_Return) {
            commitNote();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace mantissa::ui
