// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/event_printer.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/progress.h"
#include "app/cli/run_table.h"
#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/base/paths.h"
#include "core/config/config_io.h"
#include "core/report/export.h"
#include "core/run/controller.h"
#include "core/storage/run_store.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace mantissa::cli {

namespace {

std::optional<std::vector<ConfigOverride>> collectOverrides(const RunOptions& options)
{
    std::vector<ConfigOverride> overrides;
    for (const auto& text : options.sets) {
        auto override = parseOverride(text);
        if (!override) {
            printError(
                fmt::format("--set {}: not of the form PATH=VALUE, e.g. train.lr=3e-4", text));
            return std::nullopt;
        }
        overrides.push_back(*override);
    }
    const auto add = [&](const char* path, const std::string& value) {
        if (!value.empty())
            overrides.push_back({path, value});
    };
    add("run.repeat", options.repeat);
    add("run.max_steps", options.maxSteps);
    add("run.max_seconds", options.maxSeconds);
    add("run.schedule", options.schedule);
    return overrides;
}

/// Leaves only the variants asked for; false (and a message) if one is unknown.
bool selectVariants(ExperimentConfig& config, const std::vector<std::string>& names)
{
    if (names.empty())
        return true;
    std::vector<std::string> known;
    for (const auto& variant : config.variants)
        known.push_back(variant.name);
    for (const auto& name : names) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            printError(fmt::format(
                "--variant {}: no such variant; allowed: {}", name, fmt::join(known, ", ")));
            return false;
        }
    }
    std::erase_if(config.variants, [&](const Variant& variant) {
        return std::find(names.begin(), names.end(), variant.name) == names.end();
    });
    return true;
}

std::string stepsAsked(const Settings& settings)
{
    std::string text = settings.train.epochs > 0 ? groupedText(settings.train.epochs) + " epochs"
                                                 : groupedText(settings.train.steps) + " steps";
    if (settings.run.maxSteps > 0)
        text += fmt::format(", at most {} steps", groupedText(settings.run.maxSteps));
    if (settings.run.maxSeconds > 0)
        text += fmt::format(", at most {}", durationText(settings.run.maxSeconds * 1000));
    return text;
}

int printPlan(const GlobalOptions& global, const ExperimentConfig& config,
    const std::vector<ConfigProblem>& problems)
{
    const auto plan = planRuns(config);
    if (global.json) {
        nlohmann::json json{
            {"type", "plan"}, {"experiment", toJson(config)}, {"runs", nlohmann::json::array()}};
        for (const auto& run : plan)
            json["runs"].push_back({{"variant", run.variant.name}, {"repetition", run.repetition},
                {"seed", run.variant.settings.run.seed}});
        for (const auto& problem : problems)
            json["warnings"].push_back(problem.text());
        printJson(json);
        return kDone;
    }
    TextTable table({{"Run", TextTable::Align::Right}, {"Variant"}, {"Precision"},
        {"Seed", TextTable::Align::Right}, {"Trains"}});
    for (const auto& run : plan)
        table.addRow({std::to_string(run.index + 1), run.variant.name,
            std::string(toString(run.variant.precision)),
            std::to_string(run.variant.settings.run.seed), stepsAsked(run.variant.settings)});
    printOut(fmt::format("{}: {} runs, {}\n{}", config.name, plan.size(),
        toString(config.settings.run.schedule), table.text()));
    return kDone;
}

ControllerOptions controllerOptions(std::filesystem::path worker)
{
    ControllerOptions options;
    options.worker = std::move(worker);
    return options;
}

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
int printResult(const GlobalOptions& global, const StoreWriter& writer, bool interrupted)
{
    const auto store = RunStore::open(global.store, RunStore::Mode::ReadOnly);
    if (!store)
        return failWith(kStoreUnusable, store.error());
    const auto comparison = (*store)->comparison(writer.comparisonId());
    if (!comparison)
        return failWith(kStoreUnusable, comparison.error());
    std::vector<RunRecord> runs;
    for (const auto id : comparison->runs) {
        auto run = (*store)->run(id);
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

int writeReportOf(
    const GlobalOptions& global, const StoreWriter& writer, const std::filesystem::path& file)
{
    OutputOptions output;
    output.subjects = {fmt::format("comparison:{}", writer.comparisonId())};
    output.output = file;
    return writeReport(global, output);
}

void tellLostPoints(const StoreWriter& writer)
{
    if (writer.lostPoints() > 0)
        printError(fmt::format("{} points could not be stored: {}",
            groupedText(static_cast<std::int64_t>(writer.lostPoints())), writer.storeError()));
}

int train(const GlobalOptions& global, const RunOptions& options, const ExperimentConfig& config)
{
    auto worker = findWorker();
    if (!worker)
        return failWith(kRunFailed, worker.error());
    // From before the store knows the runs until their end is stored: a Ctrl-C in between must not
    // leave them unfinished there.
    const InterruptCounter interrupts;
    ExperimentController controller(config, controllerOptions(*worker));
    auto writer = StoreWriter::create(global.store, config, controller.plan());
    if (!writer)
        return failWith(kStoreUnusable, writer.error());

    LiveBuffer buffer(controller.plan());
    EventPrinter printer(**writer, controller.plan());
    controller.addObserver(buffer);
    controller.addObserver(**writer);
    if (global.json)
        controller.addObserver(printer);
    printNote(global,
        fmt::format("{}: {} runs, {}, stored in {}", config.name, controller.plan().size(),
            toString(config.settings.run.schedule), global.store.string()));
    controller.start();
    const bool interrupted = watch(controller, global, buffer, interrupts);
    (*writer)->flush();
    tellLostPoints(**writer);

    const int code = printResult(global, **writer, interrupted);
    if (options.report.empty())
        return code;
    const int reportCode = writeReportOf(global, **writer, options.report);
    return code == kDone ? reportCode : code;
}

} // namespace

int runExperiment(const GlobalOptions& global, const RunOptions& options)
{
    if (!options.report.empty() && options.report.extension() != ".html") {
        printError(fmt::format("--report {}: this version writes .html", options.report.string()));
        return kBadUsage;
    }
    const auto overrides = collectOverrides(options);
    if (!overrides)
        return kBadUsage;
    auto loaded = loadExperiment(options.experiment, *overrides);
    if (!global.quiet || !loaded.ok())
        printProblems(loaded.problems);
    if (!loaded.ok() || !selectVariants(*loaded.config, options.variants))
        return kBadUsage;
    if (options.dryRun)
        return printPlan(global, *loaded.config, loaded.problems);
    return train(global, options, *loaded.config);
}

} // namespace mantissa::cli
