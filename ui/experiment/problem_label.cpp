// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/problem_label.h"

#include "ui/experiment/problem_model.h"
#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>

namespace mantissa::ui {

ProblemLabel::ProblemLabel(QWidget* parent)
    : QWidget(parent)
    , m_sign(new QLabel(this))
    , m_text(new QLabel(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2, 0, 0, 4);
    layout->setSpacing(6);
    layout->addWidget(m_sign, 0, Qt::AlignTop);
    layout->addWidget(m_text, 1);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setFont(tableFont(font()));
    hide();
}

void ProblemLabel::setProblem(const std::optional<ConfigProblem>& problem)
{
    setVisible(problem.has_value());
    if (!problem)
        return;
    m_isError = problem->severity == Severity::Error;
    m_text->setText(problemSentence(*problem));
    m_sign->setAccessibleName(m_isError ? tr("error") : tr("warning"));
    applyColours();
}

QString ProblemLabel::text() const
{
    return isHidden() ? QString() : m_text->text();
}

void ProblemLabel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !isHidden())
        applyColours();
}

void ProblemLabel::applyColours()
{
    const auto& set = colours(palette());
    const auto colour = m_isError ? set.error : set.warn;
    m_sign->setPixmap(
        iconPixmap(m_isError ? Icon::Error : Icon::Warning, 14, colour, devicePixelRatioF()));
    auto own = m_text->palette();
    // On a panel's colour a label takes the role Text.
    own.setColor(QPalette::WindowText, colour);
    own.setColor(QPalette::Text, colour);
    m_text->setPalette(own);
}

} // namespace mantissa::ui
