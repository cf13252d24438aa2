// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace mantissa::ui {

/// A title with an arrow over a content that it shows or hides, and a muted line beside the title
/// that stays readable while folded. Begins folded. GUI thread.
class FoldRow : public QWidget {
    Q_OBJECT
public:
    /// Takes `content` over.
    FoldRow(const QString& title, QWidget* content, QWidget* parent = nullptr);

    bool isFolded() const;
    void setFolded(bool folded);
    void setDetail(const QString& detail);
    QToolButton* button() const { return m_button; }

Q_SIGNALS:
    void foldedChanged(bool folded);

private:
    void showState();

    QWidget* m_content;
    QToolButton* m_button;
    QLabel* m_detail;
};

} // namespace mantissa::ui
