// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/field_editor.h"

#include "ui/experiment/field_text.h"
#include "ui/theme/colours.h"
#include "ui/theme/icons.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QToolButton>

namespace mantissa::ui {

NumberEdit::NumberEdit(const KeySpec& key, QWidget* parent)
    : QAbstractSpinBox(parent)
    , m_key(key)
{
}

void NumberEdit::stepBy(int steps)
{
    const auto next = steppedText(m_key, lineEdit()->text(), steps);
    if (next == lineEdit()->text())
        return;
    lineEdit()->setText(next);
    Q_EMIT lineEdit()->textEdited(next);
}

QValidator::State NumberEdit::validate(QString& input, int& position) const
{
    Q_UNUSED(input);
    Q_UNUSED(position);
    return QValidator::Acceptable;
}

QSize NumberEdit::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(QStringLiteral("00000000000")) + 24, 26};
}

QAbstractSpinBox::StepEnabled NumberEdit::stepEnabled() const
{
    return StepUpEnabled | StepDownEnabled;
}

FieldEditor::FieldEditor(const KeySpec& key, QWidget* parent)
    : QWidget(parent)
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    m_input = makeInput(key);
    m_input->setObjectName(QString::fromUtf8(key.path.data(), qsizetype(key.path.size())));
    layout->addWidget(m_input);
    if (m_check)
        layout->addStretch();
    if (pathKind(key) != PathKind::None)
        layout->addWidget(makeBrowse(key));
    m_input->setAccessibleName(m_input->objectName());
    m_input->setToolTip(toolTipText(key));
    m_input->setFocusPolicy(Qt::StrongFocus);
    m_input->installEventFilter(this);
    if (m_line)
        m_line->installEventFilter(this);
    setFocusProxy(m_input);
}

QWidget* FieldEditor::makeInput(const KeySpec& key)
{
    if (key.type == ValueType::Bool) {
        m_check = new QCheckBox(this);
        connect(m_check, &QCheckBox::toggled, this, [this] { Q_EMIT edited(text()); });
        return m_check;
    }
    if (key.path == "description")
        return makeText();
    return key.choices.empty() ? makeLine(key) : makeChoice(key);
}

QWidget* FieldEditor::makeText()
{
    constexpr int kLines = 4;
    m_text = new QPlainTextEdit(this);
    m_text->setTabChangesFocus(true);
    m_text->setFixedHeight(kLines * m_text->fontMetrics().lineSpacing() + 12);
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] { Q_EMIT edited(text()); });
    return m_text;
}

QWidget* FieldEditor::makeBrowse(const KeySpec& key)
{
    auto* button = new QToolButton(this);
    button->setIcon(icon(Icon::Open));
    button->setObjectName(m_input->objectName() + QStringLiteral(".browse"));
    const bool isFolder = pathKind(key) == PathKind::Folder;
    button->setToolTip(isFolder ? tr("Choose the folder...") : tr("Choose the file..."));
    button->setAccessibleName(button->toolTip());
    connect(button, &QToolButton::clicked, this, [this, &key] { browse(key); });
    return button;
}

void FieldEditor::browse(const KeySpec& key)
{
    const QString title = QString::fromUtf8(key.path.data(), qsizetype(key.path.size()));
    const QFileInfo now(m_line->text());
    const QString start = m_line->text().isEmpty() ? QDir::currentPath() : now.absoluteFilePath();
    const QString chosen = pathKind(key) == PathKind::Folder
        ? QFileDialog::getExistingDirectory(this, title, start)
        : QFileDialog::getOpenFileName(this, title, start);
    if (chosen.isEmpty() || chosen == m_line->text())
        return;
    m_line->setText(chosen);
    Q_EMIT edited(chosen);
}

QWidget* FieldEditor::makeChoice(const KeySpec& key)
{
    m_choice = new QComboBox(this);
    for (const auto word : key.choices)
        m_choice->addItem(QString::fromUtf8(word.data(), qsizetype(word.size())));
    // A text of a fixed form has examples, not an exhaustive list.
    m_choice->setEditable(key.type == ValueType::Text);
    m_choice->setInsertPolicy(QComboBox::NoInsert);
    if (m_choice->isEditable())
        m_line = m_choice->lineEdit();
    connect(m_choice, &QComboBox::currentTextChanged, this, &FieldEditor::edited);
    return m_choice;
}

QWidget* FieldEditor::makeLine(const KeySpec& key)
{
    const bool isNumber = key.type == ValueType::Integer || key.type == ValueType::Number;
    QWidget* widget = nullptr;
    if (isNumber) {
        auto* number = new NumberEdit(key, this);
        m_line = number->edit();
        widget = number;
    } else {
        m_line = new QLineEdit(this);
        widget = m_line;
    }
    if (key.optional)
        m_line->setPlaceholderText(tr("none"));
    connect(m_line, &QLineEdit::textEdited, this, &FieldEditor::edited);
    return widget;
}

QString FieldEditor::text() const
{
    if (m_check)
        return m_check->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
    if (m_text)
        return m_text->toPlainText();
    return m_choice ? m_choice->currentText() : m_line->text();
}

void FieldEditor::setText(const QString& text)
{
    if (text == this->text())
        return;
    const QSignalBlocker blockedInput(m_input);
    if (m_check) {
        m_check->setChecked(text == u"true");
    } else if (m_choice) {
        const int known = m_choice->findText(text);
        // A word that is not in the list is shown all the same, as the problem says it.
        if (known < 0 && !m_choice->isEditable())
            m_choice->addItem(text);
        m_choice->setCurrentText(text);
    } else if (m_text) {
        m_text->setPlainText(text);
    } else {
        m_line->setText(text);
        m_line->setCursorPosition(0);
    }
}

void FieldEditor::setMark(Mark mark)
{
    m_mark = mark;
    update();
}

bool FieldEditor::isBeingEdited() const
{
    return m_input->hasFocus() || (m_line && m_line->hasFocus());
}

bool FieldEditor::eventFilter(QObject* watched, QEvent* event)
{
    // The wheel scrolls the page; it changes a value only where the person has put the focus.
    if (event->type() == QEvent::Wheel && !isBeingEdited()) {
        event->ignore();
        return true;
    }
    if (event->type() == QEvent::FocusOut)
        Q_EMIT left();
    return QWidget::eventFilter(watched, event);
}

void FieldEditor::paintEvent(QPaintEvent* event)
{
    QWidget::paintEvent(event);
    if (m_mark == Mark::None)
        return;
    const auto& set = colours(palette());
    QPainter painter(this);
    painter.setPen(QPen(m_mark == Mark::Error ? set.error : set.warn, 2));
    painter.drawRect(QRectF(m_input->geometry()).adjusted(0, 0, 0, 0));
}

} // namespace mantissa::ui
