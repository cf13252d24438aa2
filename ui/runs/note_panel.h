// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/storage/run_store.h"

#include <QWidget>
#include <vector>

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace mantissa::ui {

class StoreEditor;

/// Note and tags of the chosen runs, stored when the field is left (or with Ctrl+Return). Of
/// several runs only the tags can be edited: those that all of them have.
class NotePanel : public QWidget {
    Q_OBJECT

public:
    explicit NotePanel(StoreEditor& editor, QWidget* parent = nullptr);

    /// Stores what was typed for the runs before.
    void setRuns(const std::vector<RunRecord>& runs);
    void editNote();
    void editTags();
    /// Stores what was typed.
    void commit();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void commitNote();
    void commitTags();
    void show(const std::vector<RunRecord>& runs);

    StoreEditor& m_editor;
    std::vector<RunRecord> m_runs;
    QStringList m_sharedTags;
    QPlainTextEdit* m_note = nullptr;
    QLineEdit* m_tags = nullptr;
    QLabel* m_hint = nullptr;
};

} // namespace mantissa::ui
