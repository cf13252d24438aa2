// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_actions.h"

#include "core/base/human_text.h"
#include "core/storage/resume_plan.h"
#include "ui/main_window/window_settings.h"
#include "ui/runs/run_columns.h"
#include "ui/runs/run_exporter.h"
#include "ui/runs/store_editor.h"
#include "ui/theme/icons.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QStandardPaths>
#include <algorithm>
#include <utility>

namespace mantissa::ui {

namespace {

const QString kLastFolder = QStringLiteral("runs/exportFolder");

QString runText(const RunRecord& run)
{
    return RunActions::tr("run %1: %2, %3, %4 steps")
        .arg(run.id)
        .arg(toQString(run.experiment), toQString(run.variant),
            toQString(groupedText(run.stepsAttempted)));
}

bool allArchived(const std::vector<RunRecord>& runs)
{
    return !runs.empty()
        && std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run.archived; });
}

bool anyOn(const std::vector<RunRecord>& runs)
{
    return std::any_of(runs.begin(), runs.end(), [](const auto& run) { return !isEnd(run.state); });
}

} // namespace

RunActions::RunActions(
    StoreEditor& editor, RunExporter& exporter, WindowSettings& settings, QWidget& page)
    : QObject(&page)
    , m_editor(editor)
    , m_exporter(exporter)
    , m_settings(settings)
    , m_page(page)
{
    setupActions();
    setupUndo();
    setRuns({});
}

QAction* RunActions::add(
    int iconId, const QString& text, const QString& tip, const QKeySequence& keys)
{
    auto* action = new QAction(icon(static_cast<Icon>(iconId)), text, &m_page);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    const QString withKeys = keys.isEmpty()
        ? tip
        : tip + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText) + QLatin1Char(')');
    action->setToolTip(withKeys);
    action->setData(withKeys); // the tooltip while it can be done
    m_page.addAction(action);
    return action;
}

void RunActions::setupActions()
{
    const auto id = [](Icon icon) { return static_cast<int>(icon); };
    find = add(id(Icon::Search), tr("Filter"), tr("Go to the filter"), QKeySequence::Find);
    note = add(id(Icon::Note), tr("Note"), tr("Edit the run's note"), Qt::Key_F2);
    tags = add(
        id(Icon::Tag), tr("Tags"), tr("Edit the tags of the chosen runs"), Qt::CTRL | Qt::Key_T);
    archive = add(id(Icon::Archive), tr("Archive"), {}, Qt::CTRL | Qt::SHIFT | Qt::Key_A);
    remove = add(id(Icon::Delete), tr("Delete…"), tr("Delete the chosen runs for good"),
        QKeySequence::Delete);
    report = add(id(Icon::Report), tr("Report…"),
        tr("Write a report that compares the chosen runs"), Qt::CTRL | Qt::SHIFT | Qt::Key_R);
    exportCsv = add(
        id(Icon::Export), tr("CSV folder…"), tr("Write all series and events as CSV files"), {});
    exportJson = add(
        id(Icon::Export), tr("JSON file…"), tr("Write all series and events as one JSON file"), {});
    clone = add(id(Icon::Clone), tr("Clone"),
        tr("Open the run's experiment in the Experiment page"), Qt::CTRL | Qt::Key_D);
    connect(archive, &QAction::triggered, this, &RunActions::toggleArchived);
    connect(remove, &QAction::triggered, this, &RunActions::askAndRemove);
    connect(report, &QAction::triggered, this, &RunActions::askForReport);
    connect(exportCsv, &QAction::triggered, this, &RunActions::askForCsv);
    connect(exportJson, &QAction::triggered, this, &RunActions::askForJson);
    resume = add(id(Icon::Start), tr("Resume"), tr("Go on with the run from its newest checkpoint"),
        Qt::CTRL | Qt::SHIFT | Qt::Key_E);
    connect(clone, &QAction::triggered, this, [this] { Q_EMIT cloneRequested(m_runs.front()); });
    connect(
        resume, &QAction::triggered, this, [this] { Q_EMIT resumeRequested(m_runs.front().id); });
}

void RunActions::setupUndo()
{
    const auto setup = [this](QAction* action, Icon iconId, const QKeySequence& keys) {
        action->setIcon(icon(iconId));
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        m_page.addAction(action);
    };
    undo = m_editor.undoStack().createUndoAction(&m_page, tr("Undo"));
    redo = m_editor.undoStack().createRedoAction(&m_page, tr("Redo"));
    setup(undo, Icon::Undo, QKeySequence::Undo);
    setup(redo, Icon::Redo, QKeySequence::Redo);
}

void RunActions::setUsable(QAction* action, const QString& whyNot)
{
    action->setEnabled(whyNot.isEmpty());
    const QString tip = action->data().toString();
    action->setToolTip(whyNot.isEmpty() ? tip : tip + QStringLiteral("\n") + whyNot);
}

void RunActions::setRuns(std::vector<RunRecord> runs)
{
    m_runs = std::move(runs);
    const QString none = m_runs.empty() ? tr("Choose a run in the table.") : QString();
    const QString writing = m_writing ? tr("Another one is being written.") : none;
    for (QAction* action : {note, tags})
        setUsable(action, none);
    for (QAction* action : {report, exportCsv, exportJson})
        setUsable(action, writing);
    report->setText(m_writing ? tr("Writing…") : tr("Report…"));
    const QString one = m_runs.size() > 1 ? tr("Choose one run only.") : none;
    setUsable(clone, one);
    const bool mayGoOn = m_runs.size() == 1 && isResumable(m_runs.front().state);
    setUsable(resume,
        mayGoOn || !one.isEmpty()
            ? one
            : tr("Only a stopped, failed, killed or interrupted run can go on."));
    if (m_runs.size() > 1)
        setUsable(note, tr("A note belongs to one run."));
    const QString on = anyOn(m_runs) ? tr("A run that is still on cannot be deleted.") : none;
    setUsable(remove, on);
    const bool restore = allArchived(m_runs);
    archive->setText(restore ? tr("Restore") : tr("Archive"));
    archive->setIcon(icon(restore ? Icon::Restore : Icon::Archive));
    const QString tip =
        restore ? tr("Show the chosen runs again") : tr("Hide the chosen runs; nothing is lost");
    archive->setData(QString(tip + QStringLiteral(" (")
        + archive->shortcut().toString(QKeySequence::NativeText) + QLatin1Char(')')));
    setUsable(archive, none);
}

void RunActions::setWriting(bool writing)
{
    m_writing = writing;
    setRuns(std::move(m_runs));
}

std::vector<std::int64_t> RunActions::ids() const
{
    std::vector<std::int64_t> list;
    for (const RunRecord& run : m_runs)
        list.push_back(run.id);
    // Reports and files have the runs in the order in which they were made.
    std::sort(list.begin(), list.end());
    return list;
}

QString RunActions::lastFolder() const
{
    const QString folder = m_settings.word(kLastFolder);
    if (!folder.isEmpty() && QDir(folder).exists())
        return folder;
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QDir(documents).exists() ? documents : QDir::homePath();
}

void RunActions::toggleArchived()
{
    m_editor.setArchived(m_runs, !allArchived(m_runs));
}

QString RunActions::deletionText(const std::vector<RunRecord>& runs)
{
    constexpr std::size_t kNamed = 8;
    QStringList lines;
    for (std::size_t i = 0; i < std::min(runs.size(), kNamed); ++i)
        lines.append(runText(runs[i]));
    if (runs.size() > kNamed)
        lines.append(tr("and %1 more").arg(runs.size() - kNamed));
    return tr("Lost with all curves, events, settings, notes and tags:\n\n%1\n\n"
              "This cannot be undone. Archive hides runs and loses nothing.")
        .arg(lines.join(QLatin1Char('\n')));
}

void RunActions::askAndRemove()
{
    QMessageBox question(&m_page);
    question.setIcon(QMessageBox::Warning);
    question.setWindowTitle(tr("Delete runs"));
    question.setText(m_runs.size() == 1 ? tr("Delete 1 run for good?")
                                        : tr("Delete %1 runs for good?").arg(m_runs.size()));
    question.setInformativeText(deletionText(m_runs));
    auto* deleting = question.addButton(tr("Delete"), QMessageBox::DestructiveRole);
    auto* archiving = question.addButton(tr("Archive instead"), QMessageBox::ActionRole);
    question.setDefaultButton(question.addButton(QMessageBox::Cancel));
    const auto chosen = ids();
    question.exec();
    if (question.clickedButton() == deleting)
        m_editor.remove(chosen);
    else if (question.clickedButton() == archiving)
        m_editor.setArchived(m_runs, true);
}

QString RunActions::fileName(
    const QString& kind, const std::vector<RunRecord>& runs, const QString& suffix)
{
    QString name = kind;
    if (!runs.empty()) {
        const auto [first, last] = std::minmax_element(runs.begin(), runs.end(),
            [](const RunRecord& a, const RunRecord& b) { return a.id < b.id; });
        QString experiment;
        for (const QChar c : toQString(runs.front().experiment))
            experiment += c.isLetterOrNumber() || c == QLatin1Char('_') ? c : QLatin1Char('-');
        name += QLatin1Char('-') + experiment + QStringLiteral("-%1").arg(first->id);
        if (last->id != first->id)
            name += QStringLiteral("-%1").arg(last->id);
    }
    return name + suffix;
}

QString RunActions::askForFile(const QString& title, const QString& name, const QString& filter)
{
    const QString file =
        QFileDialog::getSaveFileName(&m_page, title, QDir(lastFolder()).filePath(name), filter);
    if (!file.isEmpty())
        m_settings.set(kLastFolder, QFileInfo(file).absolutePath());
    return file;
}

void RunActions::askForReport()
{
    const auto runs = ids();
    const QString file = askForFile(tr("Write report"),
        fileName(QStringLiteral("report"), m_runs, QStringLiteral(".html")),
        tr("Web page (*.html)"));
    if (!file.isEmpty())
        m_exporter.writeReport(runs, file);
}

void RunActions::askForJson()
{
    const auto runs = ids();
    const QString file = askForFile(tr("Export runs"),
        fileName(QStringLiteral("runs"), m_runs, QStringLiteral(".json")), tr("JSON (*.json)"));
    if (!file.isEmpty())
        m_exporter.writeJson(runs, file);
}

void RunActions::askForCsv()
{
    const auto runs = ids();
    const QString parent =
        QFileDialog::getExistingDirectory(&m_page, tr("Export runs into"), lastFolder());
    if (parent.isEmpty())
        return;
    m_settings.set(kLastFolder, parent);
    m_exporter.writeCsv(runs, QDir(parent).filePath(fileName(QStringLiteral("runs"), m_runs, {})));
}

} // namespace mantissa::ui
