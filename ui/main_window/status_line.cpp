// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/status_line.h"

#include "core/base/human_text.h"
#include "ui/session/run_session.h"
#include "ui/theme/colours.h"
#include "ui/theme/fonts.h"
#include "ui/theme/value_text.h"

#include <QLabel>
#include <QProgressBar>
#include <algorithm>
#include <cmath>
#include <map>

namespace mantissa::ui {

namespace {

QString variantName(const RunSession& session, int run)
{
    if (run < 0)
        return {};
    return QString::fromStdString(session.plan().at(static_cast<std::size_t>(run)).variant.name);
}

/// "Finished", or how many ended in which way.
QString endText(const RunSession& session)
{
    std::map<RunState, int> counts;
    for (const PlannedRun& run : session.plan())
        ++counts[session.buffer().status(run.index).outcome.state];
    if (counts.size() == 1 && counts.begin()->first == RunState::Finished)
        return QObject::tr("Finished");
    QStringList parts;
    for (const auto& [state, count] : counts)
        parts << QString::number(count) + QLatin1Char(' ')
                + QString::fromStdString(std::string(toString(state)));
    return QObject::tr("Ended: %1").arg(parts.join(QStringLiteral(", ")));
}

QString stateText(const RunSession* session)
{
    if (!session)
        return QObject::tr("Idle");
    switch (session->state()) {
    case SessionState::Running:
        return session->activeRun() < 0
            ? QObject::tr("Loading")
            : QObject::tr("Running: %1").arg(variantName(*session, session->activeRun()));
    case SessionState::Pausing:
        return QObject::tr("Pausing after this step");
    case SessionState::Paused:
        return QObject::tr("Paused");
    case SessionState::Stopping:
        return QObject::tr("Stopping after this step");
    case SessionState::Ended:
        return endText(*session);
    }
    return {};
}

} // namespace

StatusLine::StatusLine(const std::filesystem::path& storeFile, QWidget* parent)
    : QStatusBar(parent)
    , m_storeFile(storeFile)
{
    setFont(tableFont(font()));
    setSizeGripEnabled(false);
    m_state = addLabel(tr("State"));
    m_steps = addLabel(tr("Steps"));
    m_bar = new QProgressBar(this);
    m_bar->setTextVisible(false);
    m_bar->setFixedSize(120, 8);
    m_bar->setAccessibleName(tr("Steps done"));
    addWidget(m_bar);
    m_elapsed = addLabel(tr("Elapsed"));
    m_left = addLabel(tr("Time left"));
    m_page = addLabel(tr("Page"));
    m_store = addLabel(tr("Store"), true);
    update(nullptr);
}

QLabel* StatusLine::addLabel(const QString& name, bool permanent)
{
    auto* label = new QLabel(this);
    label->setAccessibleName(name);
    label->setContentsMargins(6, 0, 6, 0);
    if (permanent)
        addPermanentWidget(label);
    else
        addWidget(label);
    return label;
}

void StatusLine::update(const RunSession* session)
{
    m_state->setText(stateText(session));
    for (QWidget* widget : {static_cast<QWidget*>(m_steps), static_cast<QWidget*>(m_bar),
             static_cast<QWidget*>(m_elapsed), static_cast<QWidget*>(m_left)})
        widget->setVisible(session != nullptr);
    m_store->setText(storeText(session));
    m_store->setToolTip(QString::fromStdString(m_storeFile.string()));
    if (!session)
        return;
    const auto done = session->stepsDone();
    const auto planned = session->stepsPlanned();
    m_bar->setRange(0, static_cast<int>(std::max<std::int64_t>(planned, 1)));
    m_bar->setValue(static_cast<int>(std::min(done, planned)));
    m_steps->setText(planned > 0 ? tr("step %1 of %2")
                                       .arg(formatCount(static_cast<double>(done)),
                                           formatCount(static_cast<double>(planned)))
                                 : tr("step %1").arg(formatCount(static_cast<double>(done))));
    m_elapsed->setText(tr("elapsed %1").arg(formatDuration(std::floor(session->elapsedSeconds()))));
    const double left = session->ended() ? -1 : session->secondsLeft();
    m_left->setVisible(left >= 0);
    m_left->setText(tr("left %1").arg(formatDuration(std::ceil(left))));
}

void StatusLine::setPageTexts(const QStringList& texts)
{
    m_page->setVisible(!texts.isEmpty());
    m_page->setText(texts.join(QStringLiteral("   |   ")));
}

QString StatusLine::storeText(const RunSession* session) const
{
    const QString name = QString::fromStdString(m_storeFile.filename().string());
    QPalette palette = this->palette();
    if (session && (!session->storeError().isEmpty() || session->lostPoints() > 0)) {
        palette.setColor(QPalette::WindowText, colours(palette).error);
        m_store->setPalette(palette);
        return tr("%1: %2 points not stored: %3")
            .arg(name, formatCount(static_cast<double>(session->lostPoints())),
                session->storeError());
    }
    m_store->setPalette(palette);
    std::error_code error;
    const auto size = std::filesystem::file_size(m_storeFile, error);
    if (error)
        return name;
    return name + QStringLiteral("  ")
        + QString::fromStdString(bytesText(static_cast<double>(size)))
        + (session ? tr(", all stored") : QString());
}

} // namespace mantissa::ui
