// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/schema.h"

#include <QAbstractSpinBox>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;

namespace mantissa::ui {

/// A spin box that takes any text: what is no value is shown as a problem, not prevented.
class NumberEdit : public QAbstractSpinBox {
    Q_OBJECT
public:
    explicit NumberEdit(const KeySpec& key, QWidget* parent = nullptr);

    QLineEdit* edit() const { return lineEdit(); }
    void stepBy(int steps) override;
    QValidator::State validate(QString& input, int& position) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    StepEnabled stepEnabled() const override;

private:
    const KeySpec& m_key;
};

/// The editor of one key: check box, list, spin box, line (of a file or folder with a button that
/// browses) or, for the description, a text of several lines. Shows and gives text; a red or amber
/// frame marks a problem.
class FieldEditor : public QWidget {
    Q_OBJECT
public:
    enum class Mark { None, Warning, Error };

    FieldEditor(const KeySpec& key, QWidget* parent = nullptr);

    QString text() const;
    /// Shows the text without edited().
    void setText(const QString& text);
    void setMark(Mark mark);
    bool isBeingEdited() const; ///< has the focus: its text is the person's
    QWidget* input() const { return m_input; } ///< the widget that takes the focus

Q_SIGNALS:
    void edited(const QString& text);
    void left(); ///< lost the focus

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* makeInput(const KeySpec& key);
    QWidget* makeChoice(const KeySpec& key);
    QWidget* makeLine(const KeySpec& key);
    QWidget* makeText();
    QWidget* makeBrowse(const KeySpec& key);
    void browse(const KeySpec& key);

    QCheckBox* m_check = nullptr;
    QComboBox* m_choice = nullptr;
    QLineEdit* m_line = nullptr;
    QPlainTextEdit* m_text = nullptr;
    QWidget* m_input = nullptr;
    Mark m_mark = Mark::None;
};

} // namespace mantissa::ui
