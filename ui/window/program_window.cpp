// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/program_window.h"

#include "core/base/paths.h"
#include "ui/experiment/experiment_page.h"
#include "ui/hardware/hardware_page.h"
#include "ui/help/help_menu.h"
#include "ui/live/live_page.h"
#include "ui/main_window/experiment_document.h"
#include "ui/runs/run_profiler.h"
#include "ui/runs/runs_page.h"

#include <QAction>

namespace mantissa::ui {

namespace {

void connectRuns(RunsPage& runs, MainWindow& window, ExperimentDocument& document)
{
    QObject::connect(&runs, &RunsPage::startRequested, window.startAction(), &QAction::trigger);
    QObject::connect(&runs, &RunsPage::resumeRequested, &window, &MainWindow::resumeRun);
    QObject::connect(&runs, &RunsPage::cloneRequested, &window,
        [&window, &document](const ExperimentConfig& config) {
            if (!window.mayDropChanges())
                return;
            document.adopt(config);
            window.showPage(QStringLiteral("Experiment"));
        });
}

ExperimentPage* addExperimentPage(
    MainWindow& window, ExperimentDocument& document, const std::filesystem::path& store)
{
    MachineAccess machine;
    machine.store = store;
    machine.worker = [&window] { return window.workerProgram(); };
    auto* page = new ExperimentPage(document, machine);
    QObject::connect(page, &ExperimentPage::openRequested, &window, &MainWindow::openWithDialog);
    QObject::connect(page, &ExperimentPage::saveRequested, &window, &MainWindow::saveWithDialog);
    window.addPage(page);
    return page;
}

HardwarePage* addHardwarePage(
    MainWindow& window, ExperimentDocument& document, const std::filesystem::path& store)
{
    auto* page =
        new HardwarePage(store, window.settings(), [&window] { return window.workerProgram(); });
    const auto follow = [page, &document] {
        const auto& draft = document.draft();
        page->setExperiment(draft ? QString::fromStdString(draft->name) : QString());
    };
    QObject::connect(&document, &ExperimentDocument::changed, page, follow);
    follow();
    window.addPage(page);
    return page;
}

/// Comparisons, checks, measurements and profiles would disturb one another: one at a time.
void keepApart(
    MainWindow& window, MachinePanel& machine, HardwarePage& hardware, RunProfiler& profiler)
{
    const auto block = [&window](const QObject* by) {
        return [&window, by](const QString& why) { window.setStartBlock(by, why); };
    };
    QObject::connect(&machine, &MachinePanel::busyChanged, &window, block(&machine));
    QObject::connect(&hardware, &HardwarePage::busyChanged, &window, block(&hardware));
    QObject::connect(&profiler, &RunProfiler::started, &window, [&window, &profiler] {
        window.setStartBlock(&profiler, MainWindow::tr("a run is being profiled"));
    });
    QObject::connect(&profiler, &RunProfiler::ended, &window,
        [&window, &profiler] { window.setStartBlock(&profiler, {}); });
    QObject::connect(&window, &MainWindow::startBlocksChanged, &machine,
        [&window, &machine] { machine.setOtherWork(window.otherWork(&machine)); });
    QObject::connect(&window, &MainWindow::startBlocksChanged, &hardware,
        [&window, &hardware] { hardware.setOtherWork(window.otherWork(&hardware)); });
    profiler.setStartProblem([&window, &profiler] { return window.busyWith(&profiler); });
}

} // namespace

void addProgramPages(
    MainWindow& window, ExperimentDocument& document, const std::filesystem::path& store)
{
    auto* profiler = new RunProfiler(profilingIn(store), &window);
    auto* experiment = addExperimentPage(window, document, store);
    auto* live = new LivePage(window.startAction(), document, window.settings(), store, *profiler);
    window.addPage(live);
    QObject::connect(live, &LivePage::variantRequested, &window, &MainWindow::startFromCheckpoint);
    auto* runs = new RunsPage(store, window.settings(), *profiler);
    window.addPage(runs);
    connectRuns(*runs, window, document);
    auto* hardware = addHardwarePage(window, document, store);
    keepApart(window, experiment->machine(), *hardware, *profiler);
    new HelpMenu(
        *window.helpMenu(), window, shippedFolder("docs"), [runs] { return runs->torchVersion(); });
}

} // namespace mantissa::ui
