// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_host.h"

#include "app/cli/event_printer.h"
#include "app/cli/progress.h"
#include "app/cli/run_table.h"
#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/report/export.h"
#include "core/run/control_server.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace mantissa::cli {

namespace {

/// Waits for the end; Ctrl-C once stops after the step, twice at once. True if interrupted.
bool watch(ExperimentController& controller, const GlobalOptions& global, const LiveBuffer& buffer,
    const InterruptCounter& interrupts)
{
    Progress progress(global, buffer);
    int handled = 0;
    while (!controller.waitUntilEnded(std::chrono::milliseconds(100))) {
        progress.update();
        for (; handled < interrupts.count(); ++handled) {
            printNote(global,
                handled == 0 ? "Stopping after this step; Ctrl-C again stops at once."
                             : "Stopping at once.");
            controller.stop("interrupted");
        }
    }
    progress.finish();
    return handled > 0;
}

/// Prints the result and gives the exit code of the runs' states.
int printResult(
    const GlobalOptions& global, const StoreWriter& writer, std::size_t count, bool interrupted)
{
    const auto store = RunStore::open(global.store, RunStore::Mode::ReadOnly);
    if (!store)
        return failWith(kStoreUnusable, store.error());
    const auto comparison = (*store)->comparison(writer.comparisonId());
    if (!comparison)
        return failWith(kStoreUnusable, comparison.error());
    std::vector<RunRecord> runs;
    for (std::size_t i = 0; i < count; ++i) {
        auto run = (*store)->run(writer.runId(static_cast<int>(i)));
        if (!run)
            return failWith(kStoreUnusable, run.error());
        runs.push_back(std::move(*run));
    }
    if (global.json) {
        nlohmann::json json{
            {"type", "result"}, {"comparison", comparison->id}, {"runs", nlohmann::json::array()}};
        for (const auto& run : runs)
            json["runs"].push_back(runToJson(run));
        printJson(json);
    } else {
        printOut(fmt::format(
            "{} (comparison {})\n{}", comparison->experiment, comparison->id, runTable(runs)));
    }
    if (interrupted)
        return kInterrupted;
    const bool allDone = std::all_of(runs.begin(), runs.end(), [](const RunRecord& run) {
        return run.state == RunState::Finished || run.state == RunState::Stopped;
    });
    return allDone ? kDone : kRunFailed;
}

void tellLostPoints(const StoreWriter& writer)
{
    if (writer.lostPoints() > 0)
        printError(fmt::format("{} points could not be stored: {}",
            groupedText(static_cast<std::int64_t>(writer.lostPoints())), writer.storeError()));
}

} // namespace

ControllerOptions controllerOptions(std::filesystem::path worker)
{
    ControllerOptions options;
    options.worker = std::move(worker);
    options.monitorInterval = kMonitorInterval;
    return options;
}

int host(const GlobalOptions& global, ExperimentController& controller, StoreWriter& writer,
    const InterruptCounter& interrupts)
{
    const auto count = controller.plan().size();
    LiveBuffer buffer(controller.plan());
    EventPrinter printer(writer, controller.plan());
    controller.addObserver(buffer);
    controller.addObserver(writer);
    if (global.json)
        controller.addObserver(printer);
    const auto control =
        ControlServer::listen(global.store, controller, [&](int run) { return writer.runId(run); });
    if (control)
        controller.addObserver(**control);
    else
        printNote(global, control.error().message);
    for (std::size_t i = 0; i < count; ++i) {
        const int run = static_cast<int>(i);
        controller.setCheckpointFolder(run, writer.checkpointFolder(run));
    }
    controller.start();
    const bool interrupted = watch(controller, global, buffer, interrupts);
    writer.flush();
    tellLostPoints(writer);
    return printResult(global, writer, count, interrupted);
}

} // namespace mantissa::cli
