// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/variant_editor.h"

#include "ui/experiment/experiment_form.h"
#include "ui/experiment/field_editor.h"
#include "ui/experiment/field_text.h"
#include "ui/experiment/problem_label.h"
#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/value_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QRadioButton>
#include <QToolButton>

namespace mantissa::ui {

namespace {

QToolButton* flatButton(QWidget* parent, Icon sign, const QString& what)
{
    auto* button = new QToolButton(parent);
    button->setIcon(icon(sign));
    button->setAutoRaise(true);
    button->setToolTip(what);
    button->setAccessibleName(what);
    return button;
}

} // namespace

VariantEditor::VariantEditor(ExperimentForm& form, std::size_t index, QWidget* parent)
    : QFrame(parent)
    , m_form(form)
    , m_index(index)
{
    setObjectName(QStringLiteral("variant%1").arg(index));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 8, 8);
    layout->setSpacing(4);
    setupHead(*layout);
    setupBaseline(*layout);
    setupOverrides(*layout);
    refresh(true);
}

void VariantEditor::setupHead(QVBoxLayout& layout)
{
    auto* row = new QHBoxLayout;
    m_name = new QLineEdit(this);
    m_name->setAccessibleName(tr("Name of the variant"));
    m_name->setToolTip(toolTipText(variantKeys()[0]));
    m_precision = new QComboBox(this);
    for (const auto word : variantKeys()[1].choices)
        m_precision->addItem(toQString(word));
    m_precision->setAccessibleName(tr("Precision"));
    m_precision->setToolTip(toolTipText(variantKeys()[1]));
    auto* duplicate = flatButton(this, Icon::Clone, tr("Duplicate this variant"));
    m_remove = flatButton(this, Icon::Close, tr("Remove this variant"));
    row->addWidget(m_name, 1);
    row->addWidget(m_precision);
    row->addWidget(duplicate);
    row->addWidget(m_remove);
    layout.addLayout(row);
    layout.addWidget(m_nameProblem = new ProblemLabel(this));
    layout.addWidget(m_precisionProblem = new ProblemLabel(this));
    connect(m_name, &QLineEdit::textEdited, this,
        [this](const QString& text) { m_form.setVariantName(m_index, text); });
    connect(m_precision, &QComboBox::activated, this,
        [this](int choice) { m_form.setPrecision(m_index, static_cast<Precision>(choice)); });
    connect(duplicate, &QToolButton::clicked, this, [this] { m_form.duplicateVariant(m_index); });
    connect(m_remove, &QToolButton::clicked, this, [this] { m_form.removeVariant(m_index); });
}

void VariantEditor::setupBaseline(QVBoxLayout& layout)
{
    auto* row = new QHBoxLayout;
    m_baseline = new QRadioButton(tr("baseline"), this);
    m_baseline->setAutoExclusive(false);
    m_baseline->setToolTip(
        tr("The others are compared with the baseline; it is the first variant"));
    m_add = new QToolButton(this);
    m_add->setText(tr("override"));
    m_add->setIcon(icon(Icon::Add));
    m_add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_add->setAutoRaise(true);
    m_add->setPopupMode(QToolButton::InstantPopup);
    m_add->setToolTip(tr("Give this variant its own value of a setting"));
    m_add->setMenu(new QMenu(m_add));
    row->addWidget(m_baseline);
    row->addStretch();
    row->addWidget(m_add);
    layout.addLayout(row);
    connect(m_baseline, &QRadioButton::clicked, this, [this] {
        m_baseline->setChecked(true);
        if (m_index > 0)
            m_form.makeBaseline(m_index);
    });
    connect(m_add->menu(), &QMenu::aboutToShow, this, &VariantEditor::fillMenu);
}

void VariantEditor::setupOverrides(QVBoxLayout& layout)
{
    const auto& overrides = m_form.variants()[m_index].overrides;
    for (std::size_t i = 0; i < overrides.size(); ++i)
        addOverrideRow(layout, i);
}

void VariantEditor::addOverrideRow(QVBoxLayout& layout, std::size_t position)
{
    const auto& path = m_form.variants()[m_index].overrides[position].first;
    const auto* key = findKey(path);
    auto* row = new QHBoxLayout;
    row->addWidget(new QLabel(QString::fromStdString(path), this), 1);
    Override entry{path, nullptr, new ProblemLabel(this)};
    if (key) {
        entry.editor = new FieldEditor(*key, this);
        row->addWidget(entry.editor);
        connect(entry.editor, &FieldEditor::edited, this,
            [this, position](const QString& text) { m_form.setOverride(m_index, position, text); });
    }
    auto* remove = flatButton(this, Icon::Close, tr("Use the shared value again"));
    row->addWidget(remove);
    connect(remove, &QToolButton::clicked, this,
        [this, position] { m_form.removeOverride(m_index, position); });
    layout.addLayout(row);
    layout.addWidget(entry.problem);
    m_overrides.push_back(entry);
}

void VariantEditor::fillMenu()
{
    m_add->menu()->clear();
    QMenu* group = nullptr;
    for (const auto* key : m_form.freeKeys(m_index)) {
        const auto name = toQString(key->group());
        if (!group || group->title() != name)
            group = m_add->menu()->addMenu(name);
        auto* action = group->addAction(toQString(key->key()));
        action->setToolTip(toQString(key->help));
        connect(
            action, &QAction::triggered, this, [this, key] { m_form.addOverride(m_index, *key); });
    }
}

bool VariantEditor::fits() const
{
    if (m_index >= m_form.variants().size())
        return false;
    const auto& overrides = m_form.variants()[m_index].overrides;
    return std::equal(overrides.begin(), overrides.end(), m_overrides.begin(), m_overrides.end(),
        [](const auto& item, const Override& shown) { return item.first == shown.path; });
}

void VariantEditor::refresh(bool force)
{
    const auto& variant = m_form.variants()[m_index];
    const auto problemOf = [this](const std::string& path) {
        return m_form.problem("variant[" + std::to_string(m_index) + "]." + path);
    };
    const auto name = QString::fromStdString(variant.name);
    if ((force || !m_name->hasFocus()) && m_name->text() != name)
        m_name->setText(name);
    m_precision->setCurrentIndex(static_cast<int>(variant.precision));
    m_baseline->setChecked(m_index == 0);
    m_remove->setEnabled(m_form.variants().size() > 1);
    m_nameProblem->setProblem(problemOf("name"));
    m_precisionProblem->setProblem(problemOf("precision"));
    for (std::size_t i = 0; i < m_overrides.size(); ++i) {
        const auto& shown = m_overrides[i];
        const auto problem = problemOf(shown.path);
        shown.problem->setProblem(problem);
        if (!shown.editor)
            continue;
        if (force || !shown.editor->isBeingEdited())
            shown.editor->setText(m_form.overrideText(m_index, i));
        const bool isError = problem && problem->severity == Severity::Error;
        shown.editor->setMark(isError ? FieldEditor::Mark::Error : FieldEditor::Mark::None);
    }
    update();
}

bool VariantEditor::jumpTo(const std::string& path)
{
    QWidget* target = path == "name" ? static_cast<QWidget*>(m_name) : nullptr;
    if (path == "precision")
        target = m_precision;
    for (const auto& shown : m_overrides) {
        if (shown.path == path && shown.editor)
            target = shown.editor->input();
    }
    if (target)
        target->setFocus(Qt::ShortcutFocusReason);
    return target != nullptr;
}

QColor VariantEditor::colour() const
{
    std::vector<Precision> precisions;
    for (const auto& variant : m_form.variants())
        precisions.push_back(variant.precision);
    const auto all = variantColours(precisions);
    return m_index < all.size() ? colours(palette()).series(all[m_index]) : QColor();
}

void VariantEditor::paintEvent(QPaintEvent* event)
{
    Q_UNUSED(event);
    const auto& set = colours(palette());
    QPainter painter(this);
    painter.fillRect(rect(), set.panel);
    painter.setPen(set.border);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.fillRect(QRect(0, 0, 4, height()), colour());
}

} // namespace mantissa::ui
