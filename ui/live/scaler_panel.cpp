// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/scaler_panel.h"

#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/run/series_info.h"
#include "ui/experiment/field_editor.h"
#include "ui/experiment/field_text.h"
#include "ui/session/run_session.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <cmath>

namespace mantissa::ui {

namespace {

/// What was typed, as a request has it: a word, a number, or null for an empty optional field.
nlohmann::json jsonOf(const KeySpec& spec, const QString& typed)
{
    const std::string text = typed.trimmed().toStdString();
    if (spec.type == ValueType::Choice)
        return text;
    if (spec.optional && text.empty())
        return nullptr;
    const auto number = parseDouble(fileText(spec, typed));
    if (!number)
        return text; // refused with the words the person wrote
    const bool isWhole = std::abs(*number) < 9e15 && *number == std::floor(*number);
    if (spec.type == ValueType::Integer && isWhole)
        return static_cast<std::int64_t>(*number);
    return *number;
}

float scaleOf(const RunTrace& trace)
{
    const auto scale = trace.last(series::kScale);
    return static_cast<float>(scale.value_or(trace.variant().settings.scaler.initScale));
}

bool hasCheckpoint(const RunTrace& trace)
{
    return std::ranges::any_of(trace.events(),
        [](const LifecycleEvent& event) { return event.kind == event_kind::kCheckpoint; });
}

} // namespace

void ScalerPanel::setVariants(RunSession* session, const std::vector<LiveVariant>& variants)
{
    m_session = session;
    m_subjects.clear();
    const QSignalBlocker blocker(m_chooser);
    m_chooser->clear();
    for (std::size_t i = 0; i < variants.size(); ++i) {
        const Variant& variant = variants[i].trace->variant();
        if (!variant.usesScaler())
            continue;
        m_subjects.push_back(
            {variants[i], static_cast<int>(i), ScalerEdits(variant.settings.scaler), 0});
        m_chooser->addItem(variants[i].name);
    }
    m_chooser->setEnabled(m_subjects.size() > 1);
    for (Row& row : m_rows)
        row.typed = false;
    refresh();
    showRows(true);
}

bool ScalerPanel::hasScaler(int variant) const
{
    return std::ranges::find(m_subjects, variant, &Subject::index) != m_subjects.end();
}

ScalerPanel::Subject* ScalerPanel::shown()
{
    const int at = m_chooser->currentIndex();
    return at >= 0 && at < static_cast<int>(m_subjects.size())
        ? &m_subjects[static_cast<std::size_t>(at)]
        : nullptr;
}

void ScalerPanel::choose(int variant)
{
    const auto found = std::ranges::find(m_subjects, variant, &Subject::index);
    if (found != m_subjects.end())
        m_chooser->setCurrentIndex(static_cast<int>(found - m_subjects.begin()));
    m_rows.front().editor->input()->setFocus(Qt::OtherFocusReason);
}

void ScalerPanel::refresh()
{
    for (Subject& subject : m_subjects) {
        const RunTrace& trace = *subject.variant.trace;
        for (; subject.eventsSeen < trace.events().size(); ++subject.eventsSeen) {
            const LifecycleEvent& event = trace.events()[subject.eventsSeen];
            const bool wasPending = subject.edits.isPending();
            subject.edits.take(event);
            // What is in force now is shown; what was refused stays as typed, with the reason.
            if (&subject == shown() && wasPending && event.kind == event_kind::kSettingChanged) {
                for (Row& row : m_rows)
                    row.typed = row.typed && event.text("key") != row.key;
            }
        }
        if (isEnd(trace.status().outcome.state))
            subject.edits.end();
    }
    showRows(false);
}

QString ScalerPanel::valueText(const Subject& subject, const Row& row) const
{
    if (row.key == "scale")
        return fieldText(*row.spec, SettingValue(double{scaleOf(*subject.variant.trace)}));
    Settings settings;
    settings.scaler = subject.edits.config();
    return fieldText(*row.spec, row.spec->get(settings));
}

void ScalerPanel::takeTyped(Row& row, const QString& text)
{
    const Subject* subject = shown();
    row.typed = subject && text != valueText(*subject, row);
    showRows(false);
}

std::vector<SettingChange> ScalerPanel::typedChanges() const
{
    std::vector<SettingChange> changes;
    for (const Row& row : m_rows) {
        if (row.typed)
            changes.push_back({row.key, jsonOf(*row.spec, row.editor->text())});
    }
    return changes;
}

ScalerConfig ScalerPanel::typedConfig(const Subject& subject) const
{
    ScalerConfig config = subject.edits.config();
    float scale = scaleOf(*subject.variant.trace);
    // Refused changes leave the config as it is: the buttons are off then.
    static_cast<void>(changeScalerSettings(config, scale, typedChanges()));
    return config;
}

/// Why what is typed cannot be, as the run would say it.
std::optional<SettingRefusal> ScalerPanel::typedRefusal(const Subject& subject) const
{
    ScalerConfig config = subject.edits.config();
    float scale = scaleOf(*subject.variant.trace);
    const auto changes = typedChanges();
    if (changes.empty())
        return std::nullopt;
    const auto checked = changeScalerSettings(config, scale, changes);
    return checked ? std::nullopt : std::optional(checked.error());
}

void ScalerPanel::showRows(bool force)
{
    const Subject* subject = shown();
    m_form->setVisible(subject != nullptr);
    m_none->setVisible(subject == nullptr);
    if (!subject)
        return showButtons(true);
    const auto wrong = typedRefusal(*subject);
    const auto& refusal = wrong ? wrong : subject->edits.refusal();
    Settings settings;
    settings.scaler = typedConfig(*subject);
    const bool isOn = m_session && !isEnd(subject->variant.trace->status().outcome.state);
    for (Row& row : m_rows) {
        if (!row.typed && (force || !row.editor->isBeingEdited()))
            row.editor->setText(valueText(*subject, row));
        const QString unused = QString::fromStdString(
            row.key == "scale" ? std::string() : whyUnused(*row.spec, settings, Precision::Fp16));
        const bool isWrong = refusal && refusal->key == row.key;
        QString note = isWrong                  ? QString::fromStdString(refusal->reason)
            : subject->edits.isPending(row.key) ? tr("pending: at the next update")
                                                : unused;
        row.editor->setEnabled(isOn && (unused.isEmpty() || row.typed));
        row.editor->setMark(isWrong ? FieldEditor::Mark::Error : FieldEditor::Mark::None);
        QFont font = row.label->font();
        font.setBold(row.typed);
        row.label->setFont(font);
        row.note->setVisible(!note.isEmpty());
        row.note->setText(note);
        QPalette own = palette();
        own.setColor(QPalette::WindowText,
            isWrong ? colours(palette()).error : colours(palette()).mutedText);
        row.note->setPalette(own);
    }
    showButtons(wrong.has_value());
}

void ScalerPanel::showButtons(bool isWrong)
{
    const Subject* subject = shown();
    const bool isOn =
        subject && m_session && !isEnd(subject->variant.trace->status().outcome.state);
    const bool isFree = isOn && !subject->edits.isPending();
    m_apply->setEnabled(isFree && !isWrong && !typedChanges().empty());
    m_undo->setEnabled(isFree && !subject->edits.undoChanges().empty());
    m_undoButton->setEnabled(m_undo->isEnabled());
    if (!subject)
        return;
    const QString last = subject->edits.lastEdit();
    m_undoButton->setToolTip(
        last.isEmpty() ? tr("Nothing has been changed yet") : tr("Takes back: %1").arg(last));
    m_state->setText(subject->edits.isPending() ? tr("Asked for; takes effect at the next update.")
            : !isOn                             ? tr("The run has ended.")
            : last.isEmpty() ? tr("Bold: differs from the run. Apply takes effect at the next "
                                  "update and is marked in the plot.")
                             : tr("Last edit: %1").arg(last));
    const bool checkpoint = hasCheckpoint(*subject->variant.trace);
    const bool idle = m_session && m_session->ended();
    m_variant->setEnabled(checkpoint && idle);
    m_variant->setToolTip(!checkpoint ? tr("This run has written no checkpoint: set "
                                           "run.checkpoint_every")
            : !idle ? tr("Possible as soon as nothing is running: one comparison at a time")
                    : tr("A new run that goes on from this run's last checkpoint and differs in "
                         "these settings only"));
}

void ScalerPanel::apply()
{
    Subject* subject = shown();
    auto changes = typedChanges();
    if (!subject || !m_apply->isEnabled() || changes.empty())
        return;
    subject->edits.ask(m_session->setScaler(subject->variant.trace->run(), changes), changes);
    showRows(false);
}

void ScalerPanel::undo()
{
    Subject* subject = shown();
    if (!subject || !m_undo->isEnabled())
        return;
    const auto changes = subject->edits.undoChanges();
    subject->edits.askUndo(m_session->setScaler(subject->variant.trace->run(), changes));
    showRows(false);
}

} // namespace mantissa::ui
