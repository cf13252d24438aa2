// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/run_session.h"

#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr int kPollMs = 100;
constexpr int kFastPollMs = 33;
/// Requests of other programs are counted from 1: the window's are told apart by their size.
constexpr std::int64_t kFirstRequest = std::int64_t{1} << 40;

} // namespace

RunSession::RunSession(const ExperimentConfig& config, ControllerOptions options,
    const std::filesystem::path& storeFile, QObject* parent)
    : RunSession(config, std::make_unique<ExperimentController>(config, std::move(options)),
        StoreWriter::create(storeFile, config, planRuns(config)), storeFile, parent)
{
}

RunSession::RunSession(const ExperimentConfig& config,
    std::unique_ptr<ExperimentController> controller, Writer writer,
    const std::filesystem::path& storeFile, QObject* parent)
    : QObject(parent)
    , m_config(config)
    , m_controller(std::move(controller))
    , m_lastRequest(kFirstRequest)
{
    m_buffer = std::make_unique<LiveBuffer>(m_controller->plan());
    if (writer)
        m_writer = std::move(*writer);
    else
        m_openError = QString::fromStdString(writer.error().message);
    // The writer first: what the window shows as ended is then already on its way to the store.
    if (m_writer) {
        m_controller->addObserver(*m_writer);
        for (const PlannedRun& run : plan())
            m_controller->setCheckpointFolder(run.index, m_writer->checkpointFolder(run.index));
    }
    m_controller->addObserver(*m_buffer);
    listenForOthers(storeFile);
    m_clock.start();
    m_controller->start();
    connect(&m_timer, &QTimer::timeout, this, &RunSession::poll);
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.start(kPollMs);
}

Result<std::unique_ptr<RunSession>> RunSession::make(const ResumePlan& plan,
    ControllerOptions options, Writer writer, const std::filesystem::path& storeFile)
{
    if (!writer)
        return tl::unexpected(writer.error());
    auto controller = std::make_unique<ExperimentController>(
        std::vector{plan.run}, plan.config.settings.run, std::move(options));
    return std::unique_ptr<RunSession>(
        new RunSession(plan.config, std::move(controller), std::move(writer), storeFile, nullptr));
}

Result<std::unique_ptr<RunSession>> RunSession::resumeRun(const ResumePlan& plan, std::int64_t run,
    ControllerOptions options, const std::filesystem::path& storeFile)
{
    return make(plan, std::move(options), StoreWriter::resume(storeFile, run, plan.run), storeFile);
}

Result<std::unique_ptr<RunSession>> RunSession::beginFrom(
    const ResumePlan& plan, ControllerOptions options, const std::filesystem::path& storeFile)
{
    return make(plan, std::move(options), StoreWriter::create(storeFile, plan.config, {plan.run}),
        storeFile);
}

RunSession::~RunSession()
{
    if (m_control)
        m_control->close();
    m_controller.reset();
}

/// `mantissa-cli set` reaches the window's runs too. Without a place for the socket it does not,
/// and says so itself.
void RunSession::listenForOthers(const std::filesystem::path& storeFile)
{
    if (!m_writer)
        return;
    auto control = ControlServer::listen(
        storeFile, *m_controller, [this](int run) { return m_writer->runId(run); });
    if (!control)
        return;
    m_control = std::move(*control);
    m_controller->addObserver(*m_control);
}

void RunSession::pause()
{
    m_pauseWanted = true;
    m_controller->pause();
    setState(stateFromRuns());
}

void RunSession::resume()
{
    m_pauseWanted = false;
    m_controller->resume();
    setState(stateFromRuns());
}

void RunSession::stop()
{
    ++m_stops;
    m_controller->stop();
    setState(stateFromRuns());
}

std::int64_t RunSession::setScaler(int run, std::vector<SettingChange> changes)
{
    m_controller->set(run, std::move(changes), ++m_lastRequest);
    return m_lastRequest;
}

void RunSession::poll()
{
    if (tellNews())
        setState(stateFromRuns());
}

bool RunSession::tellNews()
{
    const std::uint64_t revision = m_buffer->revision();
    if (revision == m_revision)
        return false;
    m_revision = revision;
    for (const PlannedRun& run : plan()) {
        const LiveRunStatus status = m_buffer->status(run.index);
        if (status.outcome.state == RunState::Running && status.activity == "training")
            m_activeRun = run.index;
    }
    Q_EMIT updated();
    return true;
}

SessionState RunSession::stateFromRuns() const
{
    if (m_buffer->ended())
        return SessionState::Ended;
    if (m_stops > 0)
        return SessionState::Stopping;
    if (!m_pauseWanted)
        return SessionState::Running;
    const bool training = std::ranges::any_of(plan(), [this](const PlannedRun& run) {
        return m_buffer->status(run.index).outcome.state == RunState::Running;
    });
    return training ? SessionState::Pausing : SessionState::Paused;
}

void RunSession::setState(SessionState state)
{
    if (state == m_state)
        return;
    m_state = state;
    if (state == SessionState::Ended) {
        // No poll follows: what came in since the last one goes out before the end is told.
        tellNews();
        m_endedMs = m_clock.elapsed();
        m_timer.stop();
        flush();
    }
    Q_EMIT stateChanged();
}

QString RunSession::acknowledgement() const
{
    if (m_state == SessionState::Pausing)
        return tr("pausing after this step");
    if (m_state == SessionState::Stopping)
        return m_stops > 1 ? tr("ending the workers") : tr("stopping after this step");
    return {};
}

double RunSession::elapsedSeconds() const
{
    return static_cast<double>(ended() ? m_endedMs : m_clock.elapsed()) / 1000.0;
}

double RunSession::secondsLeft() const
{
    double left = 0;
    for (const PlannedRun& run : plan()) {
        const LiveRunStatus status = m_buffer->status(run.index);
        if (isEnd(status.outcome.state))
            continue;
        if (status.step < 1 || status.totalSteps == 0 || status.trainSeconds <= 0)
            return -1;
        const double perStep = status.trainSeconds / static_cast<double>(status.step);
        double mine = perStep * static_cast<double>(status.totalSteps - status.step);
        if (const double limit = run.variant.settings.run.maxSeconds; limit > 0)
            mine = std::min(mine, limit - status.trainSeconds);
        left += std::max(0.0, mine);
    }
    return left;
}

std::int64_t RunSession::stepsDone() const
{
    std::int64_t steps = 0;
    for (const PlannedRun& run : plan())
        steps += m_buffer->status(run.index).step;
    return steps;
}

std::int64_t RunSession::stepsPlanned() const
{
    std::int64_t steps = 0;
    for (const PlannedRun& run : plan()) {
        const LiveRunStatus status = m_buffer->status(run.index);
        if (isEnd(status.outcome.state)) {
            steps += status.step;
            continue;
        }
        if (status.totalSteps == 0)
            return 0;
        steps += status.totalSteps;
    }
    return steps;
}

std::int64_t RunSession::comparisonId() const
{
    return m_writer ? m_writer->comparisonId() : 0;
}

std::int64_t RunSession::runId(int run) const
{
    return m_writer ? m_writer->runId(run) : 0;
}

QString RunSession::storeError() const
{
    return m_writer ? QString::fromStdString(m_writer->storeError()) : m_openError;
}

std::size_t RunSession::lostPoints() const
{
    return m_writer ? m_writer->lostPoints() : 0;
}

void RunSession::flush()
{
    if (m_writer)
        m_writer->flush();
}

void RunSession::setFast(bool fast)
{
    const int interval = fast ? kFastPollMs : kPollMs;
    if (m_timer.interval() != interval)
        m_timer.setInterval(interval);
}

} // namespace mantissa::ui
