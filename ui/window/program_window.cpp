// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/program_window.h"

#include "core/base/paths.h"
#include "ui/experiment/experiment_page.h"
#include "ui/hardware/hardware_page.h"
#include "ui/help/help_menu.h"
#include "ui/live/live_page.h"
#include "ui/main_window/experiment_document.h"
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
    QObject::connect(
        &page->machine(), &MachinePanel::busyChanged, &window, &MainWindow::setStartBlock);
    window.addPage(page);
    return page;
}

HardwarePage* addHardwarePage(
    MainWindow& window, ExperimentDocument& document, const std::filesystem::path& store)
{
    auto* page =
        new HardwarePage(store, window.settings(), [&window] { return window.workerProgram(); });
    QObject::connect(page, &HardwarePage::busyChanged, &window, &MainWindow::setStartBlock);
    const auto follow = [page, &document] {
        const auto& draft = document.draft();
        page->setExperiment(draft ? QString::fromStdString(draft->name) : QString());
    };
    QObject::connect(&document, &ExperimentDocument::changed, page, follow);
    follow();
    window.addPage(page);
    return page;
}

/// Two measurements at a time would disturb each other.
void keepApart(MachinePanel& machine, HardwarePage& hardware)
{
    QObject::connect(&machine, &MachinePanel::busyChanged, &hardware, &HardwarePage::setOtherWork);
    QObject::connect(&hardware, &HardwarePage::busyChanged, &machine, &MachinePanel::setOtherWork);
}

} // namespace

void addProgramPages(
    MainWindow& window, ExperimentDocument& document, const std::filesystem::path& store)
{
    auto* experiment = addExperimentPage(window, document, store);
    auto* live = new LivePage(window.startAction(), document, window.settings(), store);
    window.addPage(live);
    QObject::connect(live, &LivePage::variantRequested, &window, &MainWindow::startFromCheckpoint);
    auto* runs = new RunsPage(store, window.settings());
    window.addPage(runs);
    connectRuns(*runs, window, document);
    keepApart(experiment->machine(), *addHardwarePage(window, document, store));
    new HelpMenu(
        *window.helpMenu(), window, shippedFolder("docs"), [runs] { return runs->torchVersion(); });
}

} // namespace mantissa::ui
