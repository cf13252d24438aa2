// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/main_window.h"

#include "core/base/paths.h"
#include "core/storage/slow_formats.h"
#include "ui/main_window/experiment_document.h"
#include "ui/main_window/page.h"
#include "ui/main_window/page_list.h"
#include "ui/main_window/run_tool_bar.h"
#include "ui/main_window/status_line.h"
#include "ui/session/run_session.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDeadlineTimer>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QStackedWidget>
#include <algorithm>

namespace mantissa::ui {

namespace {

constexpr int kStopOnCloseMs = 3000;
const QString kGeometry = QStringLiteral("window/geometry");
const QString kPage = QStringLiteral("window/page");
const QString kExperiment = QStringLiteral("window/experiment");

QString layoutKey(const Page& page)
{
    return QStringLiteral("layout/") + page.name().toLower();
}

} // namespace

MainWindow::MainWindow(Options options, Theme& theme, ExperimentDocument& document)
    : m_options(std::move(options))
    , m_theme(theme)
    , m_document(document)
    , m_settings(m_options.settingsFile.isEmpty() ? WindowSettings()
                                                  : WindowSettings(m_options.settingsFile))
{
    setWindowTitle(QStringLiteral("Mantissa"));
    setWindowIcon(programIcon());
    setAcceptDrops(true);
    resize(1440, 900);
    m_bar = new RunToolBar(document, this);
    setupMenus();
    addToolBar(m_bar);
    setupCentre();
    m_status = new StatusLine(m_options.store, this);
    setStatusBar(m_status);
    connect(m_bar->startAction(), &QAction::triggered, this, &MainWindow::startRun);
    connect(m_bar->pauseAction(), &QAction::triggered, this, &MainWindow::pauseOrResume);
    connect(m_bar->stopAction(), &QAction::triggered, this, &MainWindow::stopRun);
    connect(m_bar, &RunToolBar::fileChosen, this, &MainWindow::openExperiment);
    connect(&document, &ExperimentDocument::changed, this, &MainWindow::showState);
    m_bar->setFiles(shippedExperiments(), m_settings.recentFiles());
    showState();
}

MainWindow::~MainWindow()
{
    // The pages use the settings and the session up to their end: they go before the members.
    delete takeCentralWidget();
}

QAction* MainWindow::startAction() const
{
    return m_bar->startAction();
}

void MainWindow::setupCentre()
{
    auto* centre = new QWidget(this);
    auto* layout = new QHBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_list = new PageList(centre);
    m_stack = new QStackedWidget(centre);
    layout->addWidget(m_list);
    layout->addWidget(m_stack, 1);
    setCentralWidget(centre);
    connect(m_list, &PageList::chosen, this, &MainWindow::choosePage);
}

void MainWindow::addPage(Page* page)
{
    const int index = static_cast<int>(m_pages.size());
    const QKeySequence keys(QStringLiteral("Ctrl+%1").arg(index + 1));
    m_pages.push_back(page);
    m_stack->addWidget(page);
    m_list->add(page->name(), page->pageIcon(),
        page->description() + QStringLiteral(" (") + keys.toString(QKeySequence::NativeText)
            + QLatin1Char(')'));
    auto* action = new QAction(icon(page->pageIcon()), page->name(), this);
    action->setShortcut(keys);
    m_view->insertAction(m_viewEnd, action);
    connect(action, &QAction::triggered, this, [this, index] { choosePage(index); });
    connect(page, &Page::message, this,
        [this](const QString& text) { m_status->showMessage(text, 5000); });
    connect(page, &Page::statusChanged, this, &MainWindow::showPageStatus);
    if (index == 0)
        choosePage(0);
}

void MainWindow::choosePage(int index)
{
    m_stack->setCurrentIndex(index);
    m_list->setCurrent(index);
    m_pages[static_cast<std::size_t>(index)]->pageShown();
    showPageStatus();
}

void MainWindow::showPageStatus()
{
    m_status->setPageTexts(m_pages[static_cast<std::size_t>(m_stack->currentIndex())]->status());
}

void MainWindow::showPage(const QString& name)
{
    const auto found =
        std::ranges::find_if(m_pages, [&](const Page* page) { return page->name() == name; });
    if (found != m_pages.end())
        choosePage(static_cast<int>(found - m_pages.begin()));
}

void MainWindow::restore()
{
    restoreGeometry(m_settings.bytes(kGeometry));
    for (Page* page : m_pages)
        page->restoreLayout(m_settings.bytes(layoutKey(*page)));
    showPage(m_settings.word(kPage));
    if (!m_document.file().empty() || m_document.draft())
        return;
    const std::filesystem::path last(m_settings.word(kExperiment).toStdString());
    std::error_code error;
    if (std::filesystem::is_regular_file(last, error))
        m_document.open(last);
    else if (const auto shipped = shippedExperiments(); !shipped.empty())
        openExperiment(*std::ranges::find_if(shipped, [&](const auto& file) {
            return file.stem() == "fashion-mnist-quick" || file == shipped.back();
        }));
}

void MainWindow::saveSettings()
{
    m_settings.set(kGeometry, saveGeometry());
    for (const Page* page : m_pages)
        m_settings.set(layoutKey(*page), page->saveLayout());
    if (!m_pages.empty())
        m_settings.set(kPage, m_pages[static_cast<std::size_t>(m_stack->currentIndex())]->name());
    m_settings.set(kExperiment, QString::fromStdString(m_document.file().string()));
}

/// Nothing, and a message, if there is no worker.
std::optional<ControllerOptions> MainWindow::workerOptions()
{
    ControllerOptions options = m_options.controller;
    if (!options.worker.empty())
        return options;
    const auto worker = findWorker();
    if (!worker) {
        QMessageBox::critical(this, tr("Start"), QString::fromStdString(worker.error().message));
        return std::nullopt;
    }
    options.worker = *worker;
    return options;
}

Result<WorkerProgram> MainWindow::workerProgram() const
{
    WorkerProgram program;
    program.program = m_options.controller.worker;
    program.torchFolder = torchFolder();
    if (!program.program.empty())
        return program;
    const auto found = findWorker();
    if (!found)
        return tl::unexpected(found.error());
    program.program = *found;
    return program;
}

void MainWindow::endSession()
{
    for (Page* page : m_pages)
        page->setSession(nullptr);
    m_session.reset();
}

void MainWindow::startRun()
{
    if (!m_document.experiment() || !busyWith().isEmpty())
        return;
    const auto options = workerOptions();
    if (!options)
        return;
    endSession();
    begin(std::make_unique<RunSession>(*m_document.experiment(), *options, m_options.store),
        tr("Start"));
    if (!m_session->storeError().isEmpty())
        QMessageBox::warning(this, tr("Nothing will be stored"), m_session->storeError());
    tellSlowFormats();
}

/// A line that stays a while, not a question: the run is on.
void MainWindow::tellSlowFormats()
{
    QStringList lines;
    for (const auto& warning : slowFormatWarnings(*m_document.experiment(), m_options.store))
        lines << QString::fromStdString(warning);
    if (!lines.isEmpty())
        m_status->showMessage(lines.join(QLatin1Char(' ')), 30'000);
}

void MainWindow::resumeRun(std::int64_t run)
{
    const auto options = isBusy(tr("Resume")) ? std::nullopt : workerOptions();
    if (!options)
        return;
    endSession();
    auto session = RunStore::open(m_options.store, RunStore::Mode::ReadWrite)
                       .and_then([&](const std::unique_ptr<RunStore>& store) {
                           return planResume(*store, run);
                       })
                       .and_then([&](const ResumePlan& plan) {
                           return RunSession::resumeRun(plan, run, *options, m_options.store);
                       });
    begin(std::move(session), tr("Resume"));
}

void MainWindow::startFromCheckpoint(std::int64_t run, const ScalerConfig& scaler)
{
    const QString what = tr("New variant");
    const auto options = isBusy(what) ? std::nullopt : workerOptions();
    if (!options)
        return;
    endSession();
    auto session =
        RunStore::open(m_options.store, RunStore::Mode::ReadWrite)
            .and_then([&](const std::unique_ptr<RunStore>& store) {
                return store->run(run).and_then([&](const RunRecord& record) {
                    return planFromCheckpoint(*store, run, scaler, record.variant + "-scaler");
                });
            })
            .and_then([&](const ResumePlan& plan) {
                return RunSession::beginFrom(plan, *options, m_options.store);
            });
    begin(std::move(session), what);
}

void MainWindow::begin(Result<std::unique_ptr<RunSession>> session, const QString& what)
{
    if (!session) {
        QMessageBox::warning(this, what, QString::fromStdString(session.error().message));
        return showState();
    }
    m_session = std::move(*session);
    connect(m_session.get(), &RunSession::stateChanged, this, &MainWindow::showState);
    connect(
        m_session.get(), &RunSession::updated, this, [this] { m_status->update(m_session.get()); });
    for (Page* page : m_pages)
        page->setSession(m_session.get());
    showPage(QStringLiteral("Live"));
    showState();
    Q_EMIT sessionChanged();
}

void MainWindow::pauseOrResume()
{
    if (!m_session || m_session->ended())
        return;
    const SessionState state = m_session->state();
    if (state == SessionState::Paused || state == SessionState::Pausing)
        m_session->resume();
    else
        m_session->pause();
    showState();
}

void MainWindow::stopRun()
{
    if (m_session && !m_session->ended())
        m_session->stop();
    showState();
}

void MainWindow::openExperiment(const std::filesystem::path& file)
{
    if (m_session && !m_session->ended()) {
        m_status->showMessage(tr("The experiment is locked during a run"), 5000);
        return;
    }
    if (!mayDropChanges()) {
        // The picker goes back to what stays open.
        m_bar->setFiles(shippedExperiments(), m_settings.recentFiles());
        return;
    }
    m_document.open(file);
    m_settings.addRecentFile(QString::fromStdString(file.string()));
    m_bar->setFiles(shippedExperiments(), m_settings.recentFiles());
    if (!m_document.experiment() && !m_document.problems().empty())
        m_status->showMessage(QString::fromStdString(m_document.problems().front().text()), 20000);
}

void MainWindow::showState()
{
    m_bar->update(m_session.get(), otherWork());
    m_status->update(m_session.get());
    m_save->setEnabled(m_document.experiment().has_value());
    m_save->setToolTip(m_document.startProblem());
}

bool MainWindow::mayDropChanges()
{
    if (!m_document.isModified())
        return true;
    const auto answer = QMessageBox::question(this, tr("Unsaved changes"),
        tr("The experiment has changes that no file holds."),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Cancel);
    if (answer == QMessageBox::Save)
        saveWithDialog();
    return answer == QMessageBox::Discard || !m_document.isModified();
}

/// One question at most: a run that is on matters more than a changed form.
bool MainWindow::confirmClose()
{
    if (!m_session || m_session->ended())
        return mayDropChanges();
    const auto answer = QMessageBox::question(this, tr("A run is on"),
        tr("Closing the window stops the run after its step. What it has done is stored."),
        QMessageBox::Close | QMessageBox::Cancel, QMessageBox::Cancel);
    return answer == QMessageBox::Close;
}

/// Lets the runs end after their step; what takes longer is ended with the session.
void MainWindow::stopAndWait()
{
    if (!m_session || m_session->ended())
        return;
    m_session->stop();
    const QDeadlineTimer deadline(kStopOnCloseMs);
    while (!m_session->ended() && !deadline.hasExpired())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!confirmClose())
        return event->ignore();
    saveSettings();
    hide();
    stopAndWait();
    endSession();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.front().toLocalFile().endsWith(QStringLiteral(".toml")))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    openExperiment(event->mimeData()->urls().front().toLocalFile().toStdString());
    event->acceptProposedAction();
}

} // namespace mantissa::ui
