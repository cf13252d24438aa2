// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStatusBar>
#include <filesystem>

class QLabel;
class QProgressBar;

namespace mantissa::ui {

class RunSession;

/// The line at the bottom: state, step of all steps, times, and whether everything is stored.
class StatusLine : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusLine(const std::filesystem::path& storeFile, QWidget* parent = nullptr);

    /// `session` may be null: idle.
    void update(const RunSession* session);
    /// What the shown page has to say.
    void setPageTexts(const QStringList& texts);

private:
    QLabel* addLabel(const QString& name, bool permanent = false);
    QString storeText(const RunSession* session) const;

    std::filesystem::path m_storeFile;
    QLabel* m_state;
    QLabel* m_steps;
    QProgressBar* m_bar;
    QLabel* m_elapsed;
    QLabel* m_left;
    QLabel* m_page;
    QLabel* m_store;
};

} // namespace mantissa::ui
