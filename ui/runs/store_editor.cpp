// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/store_editor.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>

namespace mantissa::ui {

namespace {

RunMarks marksOf(const RunRecord& run)
{
    return {run.note, run.tags, run.archived};
}

QString countText(std::size_t count)
{
    return count == 1 ? QStringLiteral("1 run") : QStringLiteral("%1 runs").arg(count);
}

} // namespace

class StoreEditor::Command : public QUndoCommand {
public:
    Command(StoreEditor& editor, std::vector<Change> changes, const QString& text)
        : QUndoCommand(text)
        , m_editor(editor)
        , m_changes(std::move(changes))
    {
    }

    void redo() override { setObsolete(!m_editor.apply(m_changes, true)); }
    void undo() override { setObsolete(!m_editor.apply(m_changes, false)); }

private:
    StoreEditor& m_editor;
    std::vector<Change> m_changes;
};

StoreEditor::StoreEditor(std::filesystem::path file, QObject* parent)
    : QObject(parent)
    , m_file(std::move(file))
{
}

StoreEditor::~StoreEditor() = default;

void StoreEditor::setNote(const RunRecord& run, const QString& note)
{
    Change change{run.id, marksOf(run), marksOf(run)};
    change.after.note = note.trimmed().toStdString();
    push({std::move(change)}, tr("note of run %1").arg(run.id));
}

void StoreEditor::changeTags(
    const std::vector<RunRecord>& runs, const QStringList& added, const QStringList& removed)
{
    std::vector<Change> changes;
    for (const RunRecord& run : runs) {
        Change change{run.id, marksOf(run), marksOf(run)};
        auto& tags = change.after.tags;
        for (const QString& tag : removed)
            std::erase(tags, tag.toStdString());
        for (const QString& tag : added) {
            if (std::find(tags.begin(), tags.end(), tag.toStdString()) == tags.end())
                tags.push_back(tag.toStdString());
        }
        changes.push_back(std::move(change));
    }
    push(std::move(changes), tr("tags of %1").arg(countText(runs.size())));
}

void StoreEditor::setArchived(const std::vector<RunRecord>& runs, bool archived)
{
    std::vector<Change> changes;
    for (const RunRecord& run : runs) {
        Change change{run.id, marksOf(run), marksOf(run)};
        change.after.archived = archived;
        changes.push_back(std::move(change));
    }
    push(std::move(changes),
        (archived ? tr("archive %1") : tr("restore %1")).arg(countText(runs.size())));
}

void StoreEditor::remove(const std::vector<std::int64_t>& runs)
{
    bool any = false;
    for (const auto run : runs) {
        const auto opened = store();
        const Result<void> result =
            opened ? (*opened)->removeRun(run) : tl::unexpected(opened.error());
        if (!report(result))
            break;
        any = true;
    }
    if (!any)
        return;
    m_undo.clear();
    Q_EMIT changed();
}

QStringList StoreEditor::tagsFromText(const QString& text)
{
    QStringList tags;
    for (const QString& part : text.split(QLatin1Char(','))) {
        const QString tag = part.simplified();
        if (!tag.isEmpty() && !tags.contains(tag))
            tags.append(tag);
    }
    return tags;
}

void StoreEditor::push(std::vector<Change> changes, const QString& text)
{
    std::erase_if(changes, [](const Change& change) { return change.before == change.after; });
    if (!changes.empty())
        m_undo.push(new Command(*this, std::move(changes), text));
}

bool StoreEditor::apply(const std::vector<Change>& changes, bool forward)
{
    for (std::size_t done = 0; done < changes.size(); ++done) {
        if (report(applyOne(changes[done], forward)))
            continue;
        // All or nothing: take back what was done, as well as it goes.
        while (done-- > 0)
            static_cast<void>(applyOne(changes[done], !forward));
        return false;
    }
    Q_EMIT changed();
    return true;
}

Result<void> StoreEditor::applyOne(const Change& change, bool forward)
{
    const RunMarks& from = forward ? change.before : change.after;
    const RunMarks& to = forward ? change.after : change.before;
    const auto opened = store();
    if (!opened)
        return tl::unexpected(opened.error());
    Result<void> result;
    if (from.note != to.note)
        result = (*opened)->setNote(change.run, to.note);
    if (result && from.tags != to.tags)
        result = (*opened)->setTags(change.run, to.tags);
    if (result && from.archived != to.archived)
        result = (*opened)->setArchived(change.run, to.archived);
    return result;
}

Result<RunStore*> StoreEditor::store()
{
    if (!m_store) {
        auto opened = RunStore::open(m_file);
        if (!opened)
            return tl::unexpected(opened.error());
        m_store = std::move(*opened);
    }
    return m_store.get();
}

bool StoreEditor::report(const Result<void>& result)
{
    if (!result)
        Q_EMIT failed(QString::fromStdString(result.error().message));
    return result.has_value();
}

} // namespace mantissa::ui
