// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/experiment_args.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/run_host.h"
#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/base/paths.h"
#include "core/config/config_io.h"
#include "core/run/controller.h"
#include "core/run/memory_match.h"
#include "core/storage/run_store.h"
#include "core/storage/slow_formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace mantissa::cli {

namespace {

std::optional<std::vector<ConfigOverride>> collectOverrides(const RunOptions& options)
{
    auto overrides = overridesOf(options.sets);
    if (!overrides)
        return std::nullopt;
    const auto add = [&](const char* path, const std::string& value) {
        if (!value.empty())
            overrides->push_back({path, value});
    };
    add("run.repeat", options.repeat);
    add("run.max_steps", options.maxSteps);
    add("run.max_seconds", options.maxSeconds);
    add("run.schedule", options.schedule);
    return overrides;
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
        json["preflight"] = findingsToJson(config);
        printJson(json);
        return kDone;
    }
    printFindings(config);
    TextTable table({{"Run", TextTable::Align::Right}, {"Variant"}, {"Precision"},
        {"Seed", TextTable::Align::Right}, {"Batch", TextTable::Align::Right}, {"Trains"}});
    for (const auto& run : plan)
        table.addRow({std::to_string(run.index + 1), run.variant.name,
            std::string(toString(run.variant.precision)),
            std::to_string(run.variant.settings.run.seed),
            groupedText(run.variant.settings.data.batchSize), stepsAsked(run.variant.settings)});
    printOut(fmt::format("{}: {} runs, {}\n{}", config.name, plan.size(),
        toString(config.settings.run.schedule), table.text()));
    return kDone;
}

int writeReportOf(
    const GlobalOptions& global, const StoreWriter& writer, const std::filesystem::path& file)
{
    OutputOptions output;
    output.subjects = {fmt::format("comparison:{}", writer.comparisonId())};
    output.output = file;
    return writeReport(global, output);
}

nlohmann::json toJson(const MemoryMatch& match)
{
    nlohmann::json json{{"type", "memory_match"}, {"variants", nlohmann::json::array()}};
    for (const auto& one : match.variants)
        json["variants"].push_back(
            {{"variant", one.variant}, {"precision", toString(one.precision)}, {"batch", one.batch},
                {"peak_memory_bytes", one.peakBytes}, {"batch_gain", one.batchGain},
                {"limited_by_data", one.limitedByData}});
    return json;
}

/// Puts the batches of equal memory into `config`; else the exit code.
std::optional<int> matchBatches(const GlobalOptions& global, ExperimentConfig& config)
{
    const auto worker = findWorker();
    if (!worker)
        return failWith(kRunFailed, worker.error());
    const StopOnInterrupt stop;
    const auto tried = [&](const std::string& variant, const FitTrial& trial) {
        noteTrial(global, variant, trial);
    };
    auto match = matchMemory({*worker, {}, torchFolder()}, config, tried, stop.token());
    if (stop.stopped())
        return failWith(kInterrupted, {"cancelled"});
    if (!match)
        return failWith(kRunFailed, {"--match-memory: " + match.error().message});
    for (const auto& one : match->variants)
        printNote(global,
            fmt::format("{} trains with batch {} ({}, {} of memory){}", one.variant,
                groupedText(one.batch), ratioText(one.batchGain), bytesText(one.peakBytes),
                one.limitedByData ? ", all samples of the data" : ""));
    if (global.json)
        printJson(toJson(*match));
    config = std::move(match->config);
    return std::nullopt;
}

int train(const GlobalOptions& global, const RunOptions& options, const ExperimentConfig& config)
{
    auto worker = findWorker();
    if (!worker)
        return failWith(kRunFailed, worker.error());
    for (const auto& warning : slowFormatWarnings(config, global.store))
        printNote(global, warning);
    // From before the store knows the runs until their end is stored: a Ctrl-C in between must not
    // leave them unfinished there.
    const InterruptCounter interrupts;
    ExperimentController controller(config, controllerOptions(*worker));
    auto writer = StoreWriter::create(global.store, config, controller.plan());
    if (!writer)
        return failWith(kStoreUnusable, writer.error());
    printNote(global,
        fmt::format("{}: {} runs, {}, stored in {}", config.name, controller.plan().size(),
            toString(config.settings.run.schedule), global.store.string()));
    const int code = host(global, controller, **writer, interrupts);
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
    if (options.matchMemory) {
        if (const auto code = matchBatches(global, *loaded.config))
            return *code;
    }
    if (options.dryRun)
        return printPlan(global, *loaded.config, loaded.problems);
    return train(global, options, *loaded.config);
}

} // namespace mantissa::cli
