// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/run_tool_bar.h"

#include "core/hardware/machine.h"
#include "ui/main_window/experiment_document.h"
#include "ui/session/run_session.h"
#include "ui/theme/icons.h"
#include "ui/theme/value_text.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QThread>

namespace mantissa::ui {

namespace {

/// Item data of the entry that stands for an experiment without a listed file.
const QString kUnlisted = QStringLiteral("?");

QString cpuText(std::int64_t threads)
{
    return threads == 1 ? QObject::tr("CPU, 1 thread")
                        : QObject::tr("CPU, %1 threads").arg(threads);
}

QString pathText(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

} // namespace

RunToolBar::RunToolBar(ExperimentDocument& document, QWidget* parent)
    : QToolBar(tr("Run"), parent)
    , m_document(document)
{
    setObjectName(QStringLiteral("run"));
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setMinimumHeight(40);
    setupActions();
    addSeparator();
    setupExperiment();
    setupDevice();
    auto* space = new QWidget(this);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(space);
    m_text = new QLabel(this);
    m_text->setForegroundRole(QPalette::PlaceholderText);
    m_text->setContentsMargins(8, 0, 8, 0);
    m_text->setAccessibleName(tr("State of the run"));
    addWidget(m_text);
    connect(&m_document, &ExperimentDocument::changed, this, &RunToolBar::showDocument);
}

void RunToolBar::setupActions()
{
    m_start = addAction(icon(Icon::Start), tr("Start"));
    m_start->setShortcut(QKeySequence(Qt::Key_F5));
    m_pause = addAction(icon(Icon::Pause), tr("Pause"));
    m_pause->setShortcut(QKeySequence(Qt::Key_F6));
    m_stop = addAction(icon(Icon::Stop), tr("Stop"));
    m_stop->setShortcut(QKeySequence(Qt::Key_F7));
}

void RunToolBar::setupExperiment()
{
    auto* label = new QLabel(tr("Experiment"), this);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setContentsMargins(4, 0, 6, 0);
    addWidget(label);
    m_experiment = new QComboBox(this);
    m_experiment->setAccessibleName(tr("Experiment"));
    m_experiment->setObjectName(QStringLiteral("experiment_picker"));
    m_experiment->setMinimumWidth(230);
    m_experiment->setPlaceholderText(tr("Choose an experiment"));
    addWidget(m_experiment);
    connect(m_experiment, &QComboBox::activated, this, [this](int index) {
        const QString file = m_experiment->itemData(index).toString();
        if (file != kUnlisted)
            Q_EMIT fileChosen(file.toStdString());
    });
}

void RunToolBar::setupDevice()
{
    auto* label = new QLabel(tr("Device"), this);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setContentsMargins(12, 0, 6, 0);
    addWidget(label);
    m_device = new QComboBox(this);
    m_device->setAccessibleName(tr("Device"));
    m_device->setMinimumWidth(140);
    addDevice(QStringLiteral("auto"));
    addDevice(QStringLiteral("cpu"));
    std::error_code error;
    if (std::filesystem::exists("/proc/driver/nvidia/version", error))
        addDevice(QStringLiteral("cuda:0"));
    m_device->setToolTip(tr("auto takes the first GPU that LibTorch sees, else the CPU"));
    addWidget(m_device);
    connect(m_device, &QComboBox::activated, this, &RunToolBar::chooseDevice);
}

void RunToolBar::addDevice(const QString& kind)
{
    QString text = kind;
    if (kind == QStringLiteral("auto"))
        text = tr("Automatic");
    else if (kind == QStringLiteral("cpu"))
        text = cpuText(readMachine().usableCores);
    m_device->addItem(text, kind);
}

void RunToolBar::setFiles(
    const std::vector<std::filesystem::path>& shipped, const QStringList& recent)
{
    const QSignalBlocker blocker(m_experiment);
    m_experiment->clear();
    for (const auto& file : shipped) {
        m_experiment->addItem(QString::fromStdString(file.stem().string()), pathText(file));
        m_experiment->setItemData(m_experiment->count() - 1, pathText(file), Qt::ToolTipRole);
    }
    bool first = true;
    for (const QString& file : recent) {
        if (m_experiment->findData(file) >= 0)
            continue;
        if (first)
            m_experiment->insertSeparator(m_experiment->count());
        first = false;
        const std::filesystem::path path(file.toStdString());
        m_experiment->addItem(pathText(path.stem()), file);
        m_experiment->setItemData(m_experiment->count() - 1, file, Qt::ToolTipRole);
    }
    showDocument();
}

void RunToolBar::showDocument()
{
    const auto& draft = m_document.draft();
    int index = m_experiment->findData(pathText(m_document.file()));
    if (index < 0 && (draft || !m_document.file().empty())) {
        // An unsaved or unlisted experiment is the entry without a file, at the end.
        index = m_experiment->findData(kUnlisted);
        if (index < 0) {
            m_experiment->addItem(QString(), kUnlisted);
            index = m_experiment->count() - 1;
        }
        m_experiment->setItemText(index,
            draft ? QString::fromStdString(draft->name) : pathText(m_document.file().stem()));
    }
    m_experiment->setCurrentIndex(index);
    m_device->setEnabled(m_document.experiment() && !m_locked);
    if (!draft)
        return;
    const QString kind = QString::fromStdString(draft->settings.device.kind);
    const std::int64_t threads = draft->settings.device.threads;
    m_device->setItemText(m_device->findData(QStringLiteral("cpu")),
        cpuText(threads > 0 ? threads : readMachine().usableCores));
    if (m_device->findData(kind) < 0)
        addDevice(kind);
    m_device->setCurrentIndex(m_device->findData(kind));
}

void RunToolBar::chooseDevice(int index)
{
    if (!m_document.experiment())
        return;
    ExperimentConfig config = *m_document.experiment();
    config.settings.device.kind = m_device->itemData(index).toString().toStdString();
    m_document.edit(config);
}

void RunToolBar::explain(QAction* action, const QString& what, const QString& whyNot)
{
    action->setEnabled(whyNot.isEmpty());
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(whyNot.isEmpty() ? what + QStringLiteral(" (") + keys + QLatin1Char(')')
                                        : tr("%1: %2").arg(action->text(), whyNot));
}

void RunToolBar::update(const RunSession* session, const QString& block)
{
    m_block = block;
    const bool on = session && !session->ended();
    const SessionState state = session ? session->state() : SessionState::Ended;
    const bool paused = state == SessionState::Paused || state == SessionState::Pausing;
    m_pause->setText(on && paused ? tr("Resume") : tr("Pause"));
    m_pause->setIcon(icon(on && paused ? Icon::Start : Icon::Pause));
    QString noStart = m_document.startProblem().isEmpty() ? block : m_document.startProblem();
    if (on)
        noStart = tr("a run is on");
    explain(m_start, tr("Trains every variant of the experiment"), noStart);
    QString noPause;
    if (!on)
        noPause = tr("no run is on");
    else if (state == SessionState::Stopping)
        noPause = tr("the run is stopping");
    explain(m_pause, paused ? tr("Goes on with the run") : tr("Pauses at the end of the step"),
        noPause);
    explain(m_stop,
        state == SessionState::Stopping ? tr("Ends the worker processes now")
                                        : tr("Ends every run after its step and stores it"),
        on ? QString() : tr("no run is on"));
    m_experiment->setEnabled(!on);
    m_experiment->setToolTip(on ? tr("The experiment is locked during a run") : QString());
    m_locked = on;
    m_device->setEnabled(!on && m_document.experiment());
    m_text->setText(summary(session));
}

QString RunToolBar::summary(const RunSession* session) const
{
    if (session && !session->acknowledgement().isEmpty())
        return session->acknowledgement();
    const bool on = session && !session->ended();
    if (!on && !m_document.startProblem().isEmpty())
        return tr("Start waits: %1").arg(m_document.startProblem());
    if (!on && !m_block.isEmpty())
        return tr("Start waits: %1").arg(m_block);
    const auto& shown = on ? std::optional(session->config()) : m_document.experiment();
    if (!shown)
        return {};
    QStringList names;
    for (const Variant& variant : shown->variants)
        names << QString::fromStdString(variant.name);
    const RunConfig& run = shown->settings.run;
    const QString schedule = run.schedule == RunSchedule::Interleaved
        ? tr("interleaved, blocks of %1 steps").arg(run.block)
        : tr("one after the other");
    const QString seeds = run.repeat > 1
        ? tr("seeds %1 to %2")
              .arg(run.seed)
              .arg(run.seed + static_cast<std::uint64_t>(run.repeat) - 1)
        : tr("seed %1").arg(run.seed);
    const QString dot = QStringLiteral("  \u00b7  ");
    return names.join(QStringLiteral(", ")) + dot + schedule + dot + seeds;
}

} // namespace mantissa::ui
