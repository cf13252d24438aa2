// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/checklist_panel.h"

#include "ui/runs/run_profiler.h"
#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/value_text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace mantissa::ui {

namespace {

constexpr int kIconSize = 14;

QIcon answerIcon(CheckAnswer answer, const Colours& colours)
{
    switch (answer) {
    case CheckAnswer::Found:
        return QIcon(iconPixmap(Icon::Warning, kIconSize, colours.warn));
    case CheckAnswer::NotFound:
        return QIcon(iconPixmap(Icon::Good, kIconSize, colours.good));
    case CheckAnswer::CannotTell:
        break;
    }
    return QIcon(iconPixmap(Icon::Info, kIconSize, colours.mutedText));
}

QString answerWord(CheckAnswer answer)
{
    switch (answer) {
    case CheckAnswer::Found:
        return ChecklistPanel::tr("found");
    case CheckAnswer::NotFound:
        return ChecklistPanel::tr("not found");
    case CheckAnswer::CannotTell:
        break;
    }
    return ChecklistPanel::tr("cannot tell");
}

QTreeWidgetItem* textItem(const QString& text, const QColor& colour)
{
    auto* item = new QTreeWidgetItem({text});
    item->setToolTip(0, text);
    item->setForeground(0, colour);
    item->setFlags(Qt::ItemIsEnabled);
    return item;
}

QTreeWidgetItem* checkItem(const CheckResult& check, const QPalette& palette)
{
    const Colours& c = colours(palette);
    auto* item = new QTreeWidgetItem({toQString(check.question)});
    item->setIcon(0, answerIcon(check.answer, c));
    item->setToolTip(
        0, answerWord(check.answer) + QStringLiteral(": ") + toQString(check.evidence));
    item->setData(0, Qt::AccessibleTextRole,
        QString(toQString(check.question) + QLatin1Char(' ') + answerWord(check.answer)));
    item->addChild(textItem(toQString(check.evidence), c.mutedText));
    if (!check.advice.empty())
        item->addChild(textItem(toQString(check.advice), palette.color(QPalette::Text)));
    return item;
}

} // namespace

ChecklistPanel::ChecklistPanel(Lists lists, QWidget* parent)
    : QWidget(parent)
    , m_lists(lists)
    , m_empty(new QLabel(tr("Choose one run to go through the checklist.")))
    , m_tree(new QTreeWidget)
{
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_tree->setAccessibleName(tr("Checklist of the chosen run"));
    m_tree->setHeaderHidden(true);
    m_tree->setWordWrap(true);
    m_tree->setIndentation(14);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setFont(tableFont(font()));
    m_tree->header()->setSectionResizeMode(QHeaderView::Stretch);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_strip = new QWidget;
    auto* strip = new QHBoxLayout(m_strip);
    strip->setContentsMargins(8, 4, 8, 4);
    m_profile = new QPushButton;
    m_profileText = new QLabel;
    m_profileText->setWordWrap(true);
    m_profileText->setForegroundRole(QPalette::PlaceholderText);
    strip->addWidget(m_profile);
    strip->addWidget(m_profileText, 1);
    connect(m_profile, &QPushButton::clicked, this, [this] {
        if (m_profiling)
            Q_EMIT cancelRequested();
        else if (m_runs && m_runs->size() == 1)
            Q_EMIT profileRequested(m_runs->front().run.id);
    });
    setProfiling(false, {});
    layout->addWidget(m_strip);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_tree, 1);
    rebuild();
}

void ChecklistPanel::setProfiler(RunProfiler& profiler)
{
    connect(this, &ChecklistPanel::profileRequested, &profiler, &RunProfiler::start);
    connect(this, &ChecklistPanel::cancelRequested, &profiler, &RunProfiler::cancel);
    connect(&profiler, &RunProfiler::started, this,
        [this](std::int64_t run) { setProfiling(true, tr("Run %1: starting").arg(run)); });
    connect(&profiler, &RunProfiler::progressed, this,
        [this](const QString& text) { setProfiling(true, text); });
    connect(&profiler, &RunProfiler::ended, this, [this](std::int64_t run, const QString& problem) {
        setProfiling(false,
            problem.isEmpty() ? tr("Run %1 is profiled").arg(run)
                              : tr("Run %1: %2").arg(run).arg(problem));
    });
}

void ChecklistPanel::setEmptyText(const QString& text)
{
    m_empty->setText(text);
}

void ChecklistPanel::setRuns(std::shared_ptr<const RunDataList> runs)
{
    m_runs = std::move(runs);
    rebuild();
}

void ChecklistPanel::setProfiling(bool running, const QString& text)
{
    m_profiling = running;
    m_profile->setText(running ? tr("Cancel") : tr("Profile"));
    m_profile->setToolTip(running
            ? tr("Ends the profile; nothing of it is kept")
            : tr("Trains the run's settings and fp32 for some seconds and keeps with the run "
                 "where the time of a step goes"));
    m_profileText->setText(text);
    m_profileText->setToolTip(text);
    showProfileButton();
}

void ChecklistPanel::showProfileButton()
{
    const bool one = m_runs && m_runs->size() == 1;
    m_strip->setVisible(one || m_profiling);
    m_profile->setEnabled(m_profiling || (one && isEnd(m_runs->front().run.state)));
    if (!m_profiling && one && !isEnd(m_runs->front().run.state))
        m_profile->setToolTip(tr("Possible when the run has ended: a profile would disturb it"));
}

bool ChecklistPanel::isListed(std::string_view list) const
{
    return m_lists == Lists::All || list == "speed";
}

QString ChecklistPanel::summary() const
{
    if (!m_runs || m_runs->size() != 1)
        return {};
    const auto found =
        std::ranges::count_if(m_runs->front().checks, [this](const CheckResult& check) {
            return isListed(check.list) && check.answer == CheckAnswer::Found;
        });
    return tr("%1 found").arg(found);
}

void ChecklistPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild(); // icons and muted words keep the colour they were made with
}

void ChecklistPanel::rebuild()
{
    m_tree->clear();
    const bool one = m_runs && m_runs->size() == 1;
    m_empty->setVisible(!one);
    m_tree->setVisible(one);
    showProfileButton();
    if (!one)
        return;
    const std::pair<std::string_view, QString> lists[]{
        {"nan", tr("When numbers go wrong")}, {"speed", tr("When there is no speed-up")}};
    for (const auto& [list, title] : lists) {
        if (!isListed(list))
            continue;
        auto* top = new QTreeWidgetItem(m_tree, {title});
        top->setFont(0, semibold(m_tree->font()));
        top->setFlags(Qt::ItemIsEnabled);
        for (const auto& check : m_runs->front().checks) {
            if (check.list != list)
                continue;
            auto* item = checkItem(check, palette());
            top->addChild(item);
            item->setExpanded(check.answer == CheckAnswer::Found);
        }
        top->setExpanded(true);
    }
}

} // namespace mantissa::ui
