// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/run_store.h"

#include <QObject>
#include <QStringList>
#include <QUndoStack>
#include <filesystem>
#include <memory>
#include <vector>

namespace mantissa::ui {

/// What a person may change of a stored run.
struct RunMarks {
    std::string note;
    std::vector<std::string> tags;
    bool archived = false;

    bool operator==(const RunMarks&) const = default;
};

/// Changes notes, tags and the archived mark of stored runs, each with undo, and deletes runs,
/// without undo. The store is opened for writing at the first change. GUI thread only.
class StoreEditor : public QObject {
    Q_OBJECT

public:
    explicit StoreEditor(std::filesystem::path file, QObject* parent = nullptr);
    ~StoreEditor() override;

    QUndoStack& undoStack() { return m_undo; }

    void setNote(const RunRecord& run, const QString& note);
    /// Takes `removed` from and gives `added` to every run.
    void changeTags(
        const std::vector<RunRecord>& runs, const QStringList& added, const QStringList& removed);
    void setArchived(const std::vector<RunRecord>& runs, bool archived);
    /// For good: the undo stack is emptied, its older steps may speak of these runs.
    void remove(const std::vector<std::int64_t>& runs);

    /// Tags as written by a person, separated by commas: trimmed, none empty, none twice.
    static QStringList tagsFromText(const QString& text);

Q_SIGNALS:
    /// After every change that was stored.
    void changed();
    /// A sentence for a person; nothing was changed.
    void failed(const QString& message);

private:
    struct Change {
        std::int64_t run = 0;
        RunMarks before, after;
    };
    class Command;

    void push(std::vector<Change> changes, const QString& text);
    bool apply(const std::vector<Change>& changes, bool forward);
    Result<void> applyOne(const Change& change, bool forward);
    Result<RunStore*> store();
    bool report(const Result<void>& result);

    std::filesystem::path m_file;
    std::unique_ptr<RunStore> m_store;
    QUndoStack m_undo;
};

} // namespace mantissa::ui
