// SPDX-License-Identifier: GPL-3.0-or-later
// How the scaler panel is put together.
#include "ui/experiment/field_editor.h"
#include "ui/experiment/field_text.h"
#include "ui/live/scaler_panel.h"
#include "ui/session/run_session.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"

#include <QAction>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>
#include <limits>

namespace mantissa::ui {

namespace {

/// "scale" is no key of a file: the scale itself.
const KeySpec& scaleSpec()
{
    static const KeySpec spec = [] {
        KeySpec made;
        made.path = "scale";
        made.type = ValueType::Number;
        made.range = {0, double{std::numeric_limits<float>::max()}, true, false};
        made.help = "The loss scale itself, from the next update on";
        return made;
    }();
    return spec;
}

} // namespace

ScalerPanel::ScalerPanel(QWidget* parent)
    : QScrollArea(parent)
    , m_form(new QWidget)
    , m_chooser(new QComboBox)
    , m_state(new QLabel)
    , m_apply(new QPushButton(tr("Apply")))
    , m_undoButton(new QPushButton(icon(Icon::Undo), tr("Undo edit")))
    , m_variant(new QPushButton(tr("New variant from the last checkpoint")))
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    content->setAutoFillBackground(true);
    content->setBackgroundRole(QPalette::Base);
    m_none = new QLabel(tr("No variant here has a scaler: only fp16 has one."));
    m_none->setAlignment(Qt::AlignCenter);
    m_none->setWordWrap(true);
    m_none->setForegroundRole(QPalette::PlaceholderText);
    m_none->setFont(tableFont(font()));
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_form);
    column->addWidget(m_none);
    column->addStretch();
    auto* grid = new QGridLayout(m_form);
    grid->setContentsMargins(10, 8, 10, 8);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    m_undo = new QAction(icon(Icon::Undo), tr("Undo scaler edit"), this);
    m_undo->setShortcut(QKeySequence::Undo);
    m_undo->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(m_undo, &QAction::triggered, this, &ScalerPanel::undo);
    setupRows(*grid);
    setupButtons(*grid);
    setWidget(content);
    setMinimumWidth(sizeHint().width());
    setVariants(nullptr, {});
}

void ScalerPanel::setupRows(QGridLayout& grid)
{
    auto* name = new QLabel(tr("Variant"));
    name->setBuddy(m_chooser);
    grid.addWidget(name, 0, 0);
    grid.addWidget(m_chooser, 0, 1);
    m_chooser->setAccessibleName(tr("Variant whose scaler is shown"));
    connect(m_chooser, &QComboBox::currentIndexChanged, this, [this] {
        for (Row& row : m_rows)
            row.typed = false;
        showRows(true);
    });
    for (const std::string_view key : liveScalerKeys()) {
        const KeySpec* spec = key == "scale" ? &scaleSpec() : findKey("scaler." + std::string(key));
        if (!spec)
            continue;
        Row row;
        row.key = key;
        row.spec = spec;
        row.label = new QLabel(QString::fromStdString(row.key));
        row.label->setToolTip(toolTipText(*spec));
        row.editor = new FieldEditor(*spec);
        row.editor->input()->setObjectName(
            QStringLiteral("live.") + QString::fromStdString(row.key));
        row.label->setBuddy(row.editor->input());
        row.note = new QLabel;
        row.note->setFont(hintFont(font()));
        row.note->setWordWrap(true);
        row.note->setObjectName(
            QStringLiteral("live.") + QString::fromStdString(row.key) + QStringLiteral(".note"));
        const int at = grid.rowCount();
        grid.addWidget(row.label, at, 0);
        grid.addWidget(row.editor, at, 1);
        grid.addWidget(row.note, at + 1, 0, 1, 2);
        m_rows.push_back(row);
    }
    for (Row& row : m_rows) {
        connect(row.editor, &FieldEditor::edited, this,
            [this, &row](const QString& text) { takeTyped(row, text); });
    }
}

void ScalerPanel::setupButtons(QGridLayout& grid)
{
    m_apply->setObjectName(QStringLiteral("live.apply"));
    m_undoButton->setObjectName(QStringLiteral("live.undo"));
    m_variant->setObjectName(QStringLiteral("live.variant"));
    m_apply->setToolTip(tr("Changes the scaler at its next update (Enter in a field)"));
    m_state->setObjectName(QStringLiteral("live.state"));
    m_state->setWordWrap(true);
    m_state->setFont(hintFont(font()));
    m_state->setForegroundRole(QPalette::PlaceholderText);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_apply);
    buttons->addWidget(m_undoButton);
    const int at = grid.rowCount();
    grid.addWidget(m_state, at, 0, 1, 2);
    grid.addLayout(buttons, at + 1, 0, 1, 2);
    grid.addWidget(m_variant, at + 2, 0, 1, 2);
    connect(m_apply, &QPushButton::clicked, this, &ScalerPanel::apply);
    connect(m_undoButton, &QPushButton::clicked, this, &ScalerPanel::undo);
    connect(m_variant, &QPushButton::clicked, this, [this] {
        if (const Subject* subject = shown())
            Q_EMIT variantRequested(subject->variant.trace->run(), typedConfig(*subject));
    });
    for (const auto key : {Qt::Key_Return, Qt::Key_Enter}) {
        auto* enter = new QShortcut(key, m_form);
        enter->setContext(Qt::WidgetWithChildrenShortcut);
        connect(enter, &QShortcut::activated, this, &ScalerPanel::apply);
    }
}

} // namespace mantissa::ui
