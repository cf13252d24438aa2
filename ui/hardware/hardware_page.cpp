// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardware/hardware_page.h"

#include "core/hardware/capability_diff.h"
#include "core/report/capability_export.h"
#include "core/storage/host_identity.h"
#include "ui/hardware/advice_panel.h"
#include "ui/hardware/card_text.h"
#include "ui/hardware/change_table.h"
#include "ui/hardware/check_controls.h"
#include "ui/hardware/facts.h"
#include "ui/hardware/format_view.h"
#include "ui/hardware/peak_table.h"
#include "ui/hardware/rate_chart.h"
#include "ui/hardware/roofline_plot.h"
#include "ui/session/run_session.h"
#include "ui/widgets/dock.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <algorithm>
#include <filesystem>

namespace mantissa::ui {

namespace {

bool isCpu(const CheckDevice& device)
{
    return device.id == "cpu";
}

} // namespace

HardwarePage::HardwarePage(const std::filesystem::path& store, WindowSettings& settings,
    FindWorker worker, RunCheck run, QWidget* parent)
    : Page(parent)
    , m_settings(settings)
    , m_findWorker(std::move(worker))
    , m_runner(new CheckRunner(std::move(run), this))
    , m_history(new CheckHistory(store, this))
    , m_host(currentHost().hostName)
{
    setAccessibleName(tr("Hardware"));
    setupLayout();
    connectParts();
    m_controls->setDevices(devices());
    loadOptions();
    chooseCard();
    m_history->read();
}

HardwarePage::~HardwarePage()
{
    // The children live a little longer than this part of the page: nobody hears them any more.
    for (QObject* child : findChildren<QObject*>())
        child->disconnect(this);
}

QString HardwarePage::name() const
{
    return tr("Hardware");
}

Icon HardwarePage::pageIcon() const
{
    return Icon::Hardware;
}

QString HardwarePage::description() const
{
    return tr("What this machine does in each number format, measured");
}

void HardwarePage::pageShown()
{
    // The command line may have stored a check meanwhile.
    if (!m_runner->isOn())
        m_history->read();
}

void HardwarePage::setSession(RunSession* session)
{
    m_session = session;
    if (session) {
        m_runIsOn = [session] { return !session->ended(); };
        connect(session, &RunSession::stateChanged, this, &HardwarePage::updateControls);
    }
    updateControls();
}

void HardwarePage::setExperiment(const QString& name)
{
    if (name == m_experiment)
        return;
    m_experiment = name;
    showRoofline();
}

void HardwarePage::setOtherWork(const QString& what)
{
    m_otherWork = what;
    updateControls();
}

void HardwarePage::connectParts()
{
    connect(m_history, &CheckHistory::listed, this, &HardwarePage::takeList);
    connect(m_history, &CheckHistory::failed, this,
        [this](const QString& text) { showNotice(text, true); });
    connect(m_runner, &CheckRunner::progressed, this, &HardwarePage::takeProgress);
    connect(m_runner, &CheckRunner::finished, this, &HardwarePage::finish);
    connect(m_runner, &CheckRunner::failed, this,
        [this](const QString& text) { endCheck(tr("The check failed: %1").arg(text), true); });
    connect(m_runner, &CheckRunner::cancelled, this,
        [this] { endCheck(tr("Cancelled: nothing of this check is kept."), false); });
    connect(m_controls, &CheckControls::deviceChosen, this, [this] {
        m_wantedEarlier.reset();
        chooseCard();
    });
    connect(m_controls, &CheckControls::checkWanted, this, &HardwarePage::startCheck);
    connect(m_controls, &CheckControls::cancelWanted, this, [this] {
        m_runner->cancel();
        updateControls();
    });
    connect(m_controls, &CheckControls::earlierChosen, this, [this](std::int64_t id) {
        m_wantedEarlier = id;
        showEarlier();
        m_changesDock->raise();
    });
    connect(m_controls, &CheckControls::theoryToggled, this, &HardwarePage::showTheory);
    connect(m_controls, &CheckControls::copyWanted, this, [this] {
        QGuiApplication::clipboard()->setText(toQString(cardMarkdown(*m_card)));
        Q_EMIT message(tr("The check is on the clipboard as Markdown"));
    });
    connect(m_emptyButton, &QPushButton::clicked, this, [this] { startCheck(false); });
}

QString HardwarePage::startProblem() const
{
    const QString on = m_session && m_runIsOn() ? tr("a run is on") : m_otherWork;
    return on.isEmpty() ? QString() : tr("%1, and a check would disturb its figures").arg(on);
}

void HardwarePage::startCheck(bool quick)
{
    if (m_runner->isOn() || !startProblem().isEmpty())
        return;
    const auto worker = m_findWorker();
    if (!worker)
        return showNotice(QString::fromStdString(worker.error().message), true);
    showNotice({}, false);
    CheckRequest request;
    request.device = m_controls->device().toStdString();
    request.quick = quick;
    // The old figures would stand between the new ones.
    CapabilityCard empty;
    empty.device.id = request.device;
    m_formats->set(empty, true);
    m_rates->set(empty);
    m_tableOrEmpty->setCurrentIndex(0);
    m_controls->setProgress(0, 0, {});
    m_runner->start(*worker, request);
    updateControls();
    Q_EMIT busyChanged(tr("a hardware check is on"));
    Q_EMIT statusChanged();
}

void HardwarePage::takeProgress(const CheckProgress& progress)
{
    m_formats->add(progress.cell);
    m_rates->set(m_formats->card());
    m_controls->setProgress(progress.done, progress.total,
        tr("%1 in %2").arg(toQString(title(progress.cell.work)), formatName(progress.cell.format)));
}

void HardwarePage::finish(const CapabilityCard& card)
{
    m_fresh = card;
    m_wantedEarlier.reset();
    m_history->add(card);
    endCheck(disturbance(card), true);
}

void HardwarePage::endCheck(const QString& notice, bool error)
{
    chooseCard();
    updateControls();
    showNotice(notice, error);
    Q_EMIT busyChanged({});
}

void HardwarePage::takeList(const std::shared_ptr<const CheckList>& list)
{
    m_list = list;
    m_controls->setDevices(devices());
    if (!m_runner->isOn())
        chooseCard();
}

std::vector<CheckDevice> HardwarePage::devices() const
{
    std::vector<CheckDevice> result{unmeasuredCpu().device};
    for (const StoredCheck& check : m_list->checks) {
        if (check.machine != m_host || check.card.devices.empty())
            continue;
        result = check.card.devices;
        break; // the newest knows what is there now
    }
    if (std::ranges::none_of(result, isCpu))
        result.insert(result.begin(), unmeasuredCpu().device);
    std::error_code error;
    if (result.size() == 1 && std::filesystem::exists("/proc/driver/nvidia/version", error))
        result.push_back({"cuda:0", {}});
    return result;
}

std::vector<const StoredCheck*> HardwarePage::checksHere() const
{
    const std::string device = m_controls->device().toStdString();
    std::vector<const StoredCheck*> result;
    for (const StoredCheck& check : m_list->checks) {
        if (check.machine == m_host && check.card.device.id == device)
            result.push_back(&check);
    }
    return result;
}

std::vector<const StoredCheck*> HardwarePage::earlierChecks() const
{
    std::vector<const StoredCheck*> result;
    for (const StoredCheck& check : m_list->checks) {
        const bool same = check.machine == m_host && check.card.device.id == m_card->device.id
            && check.card.measuredMs == m_card->measuredMs;
        if (!same && isCpu(check.card.device) == isCpu(m_card->device))
            result.push_back(&check);
    }
    return result;
}

const StoredCheck* HardwarePage::findCheck(std::int64_t id) const
{
    const auto found = std::ranges::find(m_list->checks, id, &StoredCheck::id);
    return found == m_list->checks.end() ? nullptr : &*found;
}

/// The newest check of the chosen device on this machine.
void HardwarePage::chooseCard()
{
    m_card.reset();
    if (const auto here = checksHere(); !here.empty())
        m_card = here.front()->card;
    const bool freshCounts = m_fresh && m_fresh->device.id == m_controls->device().toStdString()
        && (!m_card || m_card->measuredMs < m_fresh->measuredMs);
    if (freshCounts)
        m_card = m_fresh;
    showCard();
}

void HardwarePage::showCard()
{
    const CapabilityCard none;
    const CapabilityCard& shown = m_card ? *m_card : none;
    m_tableOrEmpty->setCurrentIndex(m_card ? 0 : 1);
    m_formats->set(shown, false);
    m_rates->set(shown);
    m_peaks->set(shown.theory);
    m_peakNote->setText(m_peaks->note());
    showTheory(m_controls->theoryShown());
    m_advice->set(m_card ? adviceFor(*m_card) : std::vector<Advice>());
    m_adviceDock->setDetail(m_advice->summary());
    m_controls->setCardThere(m_card.has_value());
    showFacts();
    showRoofline();
    showEarlier();
    updateControls();
    Q_EMIT statusChanged();
}

void HardwarePage::updateControls()
{
    const auto state = m_runner->isCancelling() ? CheckControls::State::Cancelling
        : m_runner->isOn()                      ? CheckControls::State::Running
                                                : CheckControls::State::Idle;
    const QString why = startProblem();
    m_controls->setState(state, why);
    m_emptyButton->setEnabled(state == CheckControls::State::Idle && why.isEmpty());
    m_emptyButton->setToolTip(why);
}

void HardwarePage::exportCard(const QString& file)
{
    if (!m_card)
        return;
    const auto written = writeCard(*m_card, file.toStdString());
    if (written)
        showNotice(tr("Written: %1").arg(file), false);
    else
        showNotice(QString::fromStdString(written.error().message), true);
}

} // namespace mantissa::ui
