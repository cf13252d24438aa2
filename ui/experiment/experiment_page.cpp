// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/experiment_page.h"

#include "ui/experiment/command_line.h"
#include "ui/experiment/experiment_form.h"
#include "ui/experiment/problem_model.h"
#include "ui/experiment/settings_group.h"
#include "ui/experiment/variants_panel.h"
#include "ui/main_window/experiment_document.h"
#include "ui/session/run_session.h"
#include "ui/widgets/dock.h"
#include "ui/widgets/dock_area.h"
#include "ui/widgets/table.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

namespace mantissa::ui {

namespace {

constexpr int kLayoutVersion = 2;
/// In a page smaller than this the docks of a side are tabs.
constexpr QSize kRoomyDocks(1320, 640);
/// In a page narrower than this the form is one column.
constexpr int kRoomyForm = 1060;
constexpr int kPanelWidth = 360;

QToolButton* stripButton(QWidget* parent, Icon sign, const QString& text, const QString& what)
{
    auto* button = new QToolButton(parent);
    button->setIcon(icon(sign));
    button->setText(text);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setToolTip(what);
    return button;
}

QScrollArea* scrolled(QWidget* content)
{
    auto* area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(content);
    area->viewport()->setBackgroundRole(QPalette::Base);
    content->setBackgroundRole(QPalette::Base);
    content->setAutoFillBackground(true);
    return area;
}

} // namespace

ExperimentPage::ExperimentPage(ExperimentDocument& document, MachineAccess machine, QWidget* parent)
    : Page(parent)
    , m_document(document)
    , m_form(new ExperimentForm(document, this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    setupStrip();
    layout->addWidget(m_strip);
    m_docks = new DockArea(kLayoutVersion, this);
    layout->addWidget(m_docks, 1);
    setupCentre();
    setupVariants();
    setupMachine(std::move(machine));
    setupCommandLine();
    setupProblems();
    connect(m_form, &ExperimentForm::changed, this, [this] { refresh(false); });
    connect(m_form, &ExperimentForm::variantsChanged, this, [this] { refresh(true); });
    connect(&document, &ExperimentDocument::changed, this, &ExperimentPage::refreshStrip);
    refresh(true);
}

void ExperimentPage::setupStrip()
{
    m_strip = new QWidget(this);
    m_strip->setFixedHeight(36);
    auto* row = new QHBoxLayout(m_strip);
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(8);
    m_file = new QLabel(m_strip);
    m_file->setTextFormat(Qt::PlainText);
    m_open = stripButton(m_strip, Icon::Open, tr("Open..."),
        tr("Open an experiment file; dropping one does the same"));
    m_revert = stripButton(m_strip, Icon::Undo, tr("Revert"), tr("Back to what the file holds"));
    m_save = stripButton(
        m_strip, Icon::Save, tr("Save as TOML..."), tr("Write the experiment to a file"));
    auto* copy = stripButton(m_strip, Icon::Copy, tr("Copy command line"),
        tr("Copy the command that does what Start does"));
    copy->setObjectName(QStringLiteral("copyCommandLine"));
    m_notice = new QLabel(m_strip);
    m_notice->setForegroundRole(QPalette::PlaceholderText);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_file, m_open, m_revert, m_save, copy})
        row->addWidget(widget);
    row->addStretch();
    row->addWidget(m_notice);
    connect(m_open, &QToolButton::clicked, this, &ExperimentPage::openRequested);
    connect(m_save, &QToolButton::clicked, this, &ExperimentPage::saveRequested);
    connect(m_revert, &QToolButton::clicked, this, [this] { m_document.revert(); });
    connect(copy, &QToolButton::clicked, this, &ExperimentPage::copyCommandLine);
}

QWidget* ExperimentPage::makeColumn(std::initializer_list<std::string_view> groups)
{
    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (const auto name : groups) {
        const bool isHead = name.empty();
        std::vector<const KeySpec*> keys;
        QString title = tr("Experiment");
        if (isHead) {
            for (const auto& key : experimentKeys())
                keys.push_back(&key);
        } else {
            keys = keysOf(name);
            const auto group = std::ranges::find(schemaGroups(), name, &GroupSpec::name);
            title = QString::fromUtf8(group->title.data(), qsizetype(group->title.size()));
        }
        auto* box = new SettingsGroup(*m_form, title, keys, column);
        layout->addWidget(box);
        m_groups.push_back(box);
    }
    layout->addStretch();
    return column;
}

void ExperimentPage::setupCentre()
{
    auto* columns = new QWidget;
    m_columns = new QBoxLayout(QBoxLayout::LeftToRight, columns);
    m_columns->setContentsMargins(0, 0, 0, 0);
    m_columns->setSpacing(0);
    m_columns->addWidget(makeColumn({"", "model", "data", "eval", "device", "debug"}), 1);
    m_columns->addWidget(makeColumn({"train", "run", "autocast", "watch"}), 1);
    m_unreadable = new QLabel;
    m_unreadable->setAlignment(Qt::AlignCenter);
    m_unreadable->setWordWrap(true);
    m_unreadable->setForegroundRole(QPalette::PlaceholderText);
    m_centre = new QStackedWidget;
    m_centre->addWidget(scrolled(columns));
    m_centre->addWidget(m_unreadable);
    m_docks->setCentralWidget(m_centre);
}

void ExperimentPage::setupVariants()
{
    m_variants = new VariantsPanel(*m_form);
    auto* area = scrolled(m_variants);
    area->setMinimumWidth(kPanelWidth);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_variantDock =
        m_docks->addDock(QStringLiteral("variants"), tr("Variants"), area, Qt::RightDockWidgetArea);
    m_variantDock->setDetail(tr("same data and seeds for all"));
}

void ExperimentPage::setupMachine(MachineAccess access)
{
    m_machine = new MachinePanel(*m_form, m_document, std::move(access));
    auto* area = scrolled(m_machine);
    area->setMinimumWidth(300);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* dock = m_docks->addDock(
        QStringLiteral("machine"), tr("This machine"), area, Qt::RightDockWidgetArea);
    // A column of its own; the command line comes below the variants.
    m_docks->splitDockWidget(m_variantDock, dock, Qt::Horizontal);
    const auto detail = [this, dock] { dock->setDetail(m_machine->summary()); };
    connect(m_machine, &MachinePanel::summaryChanged, this, detail);
    detail();
}

void ExperimentPage::setupCommandLine()
{
    m_command = new QPlainTextEdit;
    m_command->setReadOnly(true);
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setAccessibleName(tr("Command line"));
    m_command->setLineWrapMode(QPlainTextEdit::NoWrap);
    auto* dock = m_docks->addDock(
        QStringLiteral("commandLine"), tr("Command line"), m_command, Qt::RightDockWidgetArea);
    m_docks->splitDockWidget(m_variantDock, dock, Qt::Vertical);
    dock->setDetail(tr("the same run, headless"));
    m_docks->resizeDocks({dock}, {120}, Qt::Vertical);
}

void ExperimentPage::setupProblems()
{
    m_problems = new ProblemModel(this);
    m_problemView = new QTableView;
    m_problemView->setModel(m_problems);
    setupTable(*m_problemView);
    m_problemView->setAccessibleName(tr("Problems"));
    m_problemView->setObjectName(QStringLiteral("problems"));
    auto* header = m_problemView->horizontalHeader();
    header->setStretchLastSection(true);
    header->resizeSection(ProblemModel::Sign, 28);
    header->resizeSection(ProblemModel::Place, 190);
    header->resizeSection(ProblemModel::Key, 190);
    m_problemDock = m_docks->addDock(
        QStringLiteral("problemDock"), tr("Problems"), m_problemView, Qt::BottomDockWidgetArea);
    m_docks->resizeDocks({m_problemDock}, {120}, Qt::Vertical);
    connect(m_problemView, &QTableView::activated, this,
        [this](const QModelIndex& index) { jumpTo(m_problems->problem(index.row()).key); });
}

void ExperimentPage::refresh(bool force)
{
    for (auto* group : m_groups)
        group->refresh(force);
    m_variants->refresh(force);
    refreshStrip();
}

void ExperimentPage::refreshStrip()
{
    const bool locked = m_session && !m_session->ended();
    const bool readable = m_form->isEditable();
    auto file = QString::fromStdString(m_document.file().string());
    file = file.isEmpty() ? tr("not saved yet") : file.mid(file.lastIndexOf(u'/') + 1);
    m_file->setText(m_document.isModified() ? tr("%1 (changed)").arg(file) : file);
    m_file->setToolTip(QString::fromStdString(m_document.file().string()));
    m_notice->setText(locked ? tr("locked during a run") : QString());
    m_open->setEnabled(!locked);
    m_revert->setEnabled(!locked && m_document.isModified() && !m_document.file().empty());
    m_save->setEnabled(m_document.experiment().has_value());
    m_save->setToolTip(m_save->isEnabled() ? tr("Write the experiment to a file")
                                           : tr("Not possible: %1").arg(m_document.startProblem()));
    m_unreadable->setText(m_document.file().empty()
            ? tr("Choose an experiment in the tool bar, or open a file.")
            : tr("This file has errors that the form cannot show. Correct them in an editor, "
                 "then open the file again."));
    m_centre->setCurrentIndex(readable ? 0 : 1);
    m_centre->setEnabled(!locked);
    m_variants->setEnabled(!locked && readable);
    m_problems->setProblems(m_document.problems());
    const auto summary = m_problems->summary();
    m_problemDock->setDetail(summary.isEmpty() ? tr("none") : summary);
    const auto command = commandLineText();
    if (m_command->toPlainText() != command)
        m_command->setPlainText(command);
}

QString ExperimentPage::commandLineText() const
{
    if (!m_form->isEditable() && m_document.file().empty())
        return {};
    if (!m_form->isEditable())
        return QString::fromStdString("mantissa-cli run " + shellWord(m_document.file().string()));
    return QString::fromStdString(
        commandLine(m_document.file(), m_document.saved(), m_form->config(), m_form->badTexts()));
}

void ExperimentPage::copyCommandLine()
{
    QGuiApplication::clipboard()->setText(commandLineText());
    Q_EMIT message(tr("Command line copied"));
}

void ExperimentPage::jumpTo(const std::string& key)
{
    for (auto* group : m_groups) {
        if (group->jumpTo(key))
            return;
    }
    m_variants->jumpTo(key);
}

void ExperimentPage::setSession(RunSession* session)
{
    m_session = session;
    if (session)
        connect(session, &RunSession::stateChanged, this, &ExperimentPage::refreshStrip);
    m_machine->setSession(session);
    refreshStrip();
}

void ExperimentPage::pageShown()
{
    m_machine->readHistory();
}

void ExperimentPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    const bool wasRoomy = !m_docks->isCompact();
    m_docks->setCompact(width() < kRoomyDocks.width() || height() < kRoomyDocks.height());
    // What stood side by side is one panel now, and the form needs the rest.
    if (wasRoomy && m_docks->isCompact())
        m_docks->resizeDocks({m_variantDock}, {kPanelWidth}, Qt::Horizontal);
    m_columns->setDirection(
        width() < kRoomyForm ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QByteArray ExperimentPage::saveLayout() const
{
    return m_docks->saveLayout();
}

void ExperimentPage::restoreLayout(const QByteArray& layout)
{
    m_docks->restoreLayout(layout);
}

} // namespace mantissa::ui
