// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "core/base/paths.h"
#include "core/base/version.h"
#include "core/config/schema.h"
#include "core/numerics/scaler_setting.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

using namespace mantissa;
using namespace mantissa::cli;

namespace {

/// Commands of the contract that later versions bring: refused by name instead of as unknown words.
constexpr std::array kNotBuilt{"compare", "tune", "plot", "import"};

/// What the command line asked for: filled by the parser, run after it.
struct Request {
    GlobalOptions global;
    RunOptions run;
    ListOptions list;
    std::int64_t shownRun = 0;
    std::int64_t resumedRun = 0;
    OutputOptions output;
    std::vector<std::filesystem::path> files;
    HousekeepingOptions housekeeping;
    DeviceOptions device;
    CheckOptions check;
    FitOptions fit;
    ReplayOptions replay;
    SetOptions set;
    ProfileOptions profile;
    ChecklistOptions checklist;
    std::function<int()> action;
};

void addGlobalOptions(CLI::App& app, Request& request)
{
    auto& global = request.global;
    global.store = defaultStorePath();
    app.add_option("--store", global.store, "File that holds the runs")->type_name("FILE");
    app.add_flag("--json", global.json, "Machine output on stdout, nothing else there");
    app.add_flag("-q,--quiet", global.quiet, "No progress and no notes");
    app.add_flag("-v,--verbose", global.verbose, "More about what happens");
    app.add_flag("--no-color", global.noColor, "No colours (also: NO_COLOR in the environment)");
    app.set_version_flag("--version", std::string("mantissa-cli ") + kVersion);
}

void addRunCommand(CLI::App& app, Request& request)
{
    auto& options = request.run;
    auto* command = app.add_subcommand("run", "Train every variant of an experiment file");
    command->add_option("experiment", options.experiment, "Experiment file")
        ->type_name("EXP.toml")
        ->required();
    command->add_option("--set", options.sets, "Override a key, e.g. train.lr=3e-4 (repeatable)")
        ->type_name("PATH=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("--variant", options.variants, "Only this variant (repeatable)")
        ->type_name("NAME")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("--repeat", options.repeat, "Repetitions, with seeds seed, seed + 1, ...")
        ->type_name("N");
    command->add_option("--max-steps", options.maxSteps, "Stop each variant after N steps")
        ->type_name("N");
    command
        ->add_option(
            "--max-seconds", options.maxSeconds, "Stop each variant after S seconds of training")
        ->type_name("S");
    command->add_option("--schedule", options.schedule, "sequential or interleaved");
    command->add_flag("--match-memory", options.matchMemory,
        "Give each variant the largest batch that takes no more memory than the baseline's");
    command->add_option("--report", options.report, "Write a report when all is done (.html)")
        ->type_name("FILE");
    command->add_flag("--dry-run", options.dryRun, "Check and show the plan; train nothing");
    command->callback(
        [&] { request.action = [&] { return runExperiment(request.global, options); }; });
}

void addResumeCommand(CLI::App& app, Request& request)
{
    auto* command = app.add_subcommand("resume", "Go on with a run from its newest checkpoint");
    command->add_option("run", request.resumedRun, "Run id")->type_name("RUN")->required();
    command->callback(
        [&] { request.action = [&] { return resumeRun(request.global, request.resumedRun); }; });
}

void addReadingCommands(CLI::App& app, Request& request)
{
    auto* list = app.add_subcommand("list", "Stored runs, newest first");
    list->add_option("--experiment", request.list.experiment, "Only runs of this experiment");
    list->add_option("--status", request.list.status, "Only runs in this state");
    list->add_option("--limit", request.list.limit, "At most N runs")->type_name("N");
    list->add_flag("--archived", request.list.archived, "Archived runs too");
    list->callback(
        [&] { request.action = [&] { return listRuns(request.global, request.list); }; });

    auto* show = app.add_subcommand("show", "Everything about a run");
    show->add_option("run", request.shownRun, "Run id")->type_name("RUN")->required();
    show->callback(
        [&] { request.action = [&] { return showRun(request.global, request.shownRun); }; });

    auto* check =
        app.add_subcommand("checklist", "What a run's NaN or missing speed-up may come from");
    check->add_option("run", request.checklist.run, "Run id")->type_name("RUN")->required();
    check->add_flag("--profile", request.checklist.profile,
        "Profile the run's settings and fp32 first, some 10 s, and keep that with the run");
    check->callback(
        [&] { request.action = [&] { return checkRun(request.global, request.checklist); }; });

    auto* report = app.add_subcommand("report", "Write a comparison report (.html)");
    report->add_option("subject", request.output.subjects, "Run ids, or comparison:ID")
        ->type_name("COMPARISON|RUN")
        ->required();
    report->add_option("-o,--output", request.output.output, "File to write")
        ->type_name("FILE")
        ->required();
    report->callback(
        [&] { request.action = [&] { return writeReport(request.global, request.output); }; });

    auto* exporter = app.add_subcommand("export", "Write all series and events of runs");
    exporter->add_option("runs", request.output.subjects, "Run ids, or comparison:ID")
        ->type_name("RUN")
        ->required();
    exporter->add_option("-o,--output", request.output.output, "File (json) or folder (csv)")
        ->type_name("PATH")
        ->required();
    exporter->add_option("--format", request.output.format, "csv or json")
        ->required()
        ->check(CLI::IsMember({"csv", "json"}));
    exporter->callback(
        [&] { request.action = [&] { return exportRuns(request.global, request.output); }; });

    auto* validate = app.add_subcommand("validate", "Check experiment files; show all errors");
    validate->add_option("files", request.files, "Experiment files")
        ->type_name("EXP.toml")
        ->required();
    validate->callback(
        [&] { request.action = [&] { return validateFiles(request.global, request.files); }; });

    auto* doctorCommand =
        app.add_subcommand("doctor", "Versions, devices, store and data sets of this machine");
    doctorCommand->callback([&] { request.action = [&] { return doctor(request.global); }; });
}

void addHousekeepingCommands(CLI::App& app, Request& request)
{
    auto& options = request.housekeeping;
    const auto add = [&](const char* name, const char* text, auto function) {
        auto* command = app.add_subcommand(name, text);
        command->add_option("runs", options.runs, "Run ids")->type_name("RUN")->required();
        command->callback([&request, &options, function] {
            request.action = [&request, &options, function] {
                return function(request.global, options);
            };
        });
        return command;
    };
    auto* archive = add("archive", "Hide runs from lists without deleting them", archiveRuns);
    archive->add_flag("--undo", options.remove, "Show them again");
    auto* remove = add("delete", "Delete runs for good; asks first", deleteRuns);
    remove->add_flag("--yes", options.yes, "Do not ask");
    auto* note = add("note", "Set the note of runs", noteRuns);
    note->add_option("-m,--message", options.text, "The note; empty removes it")
        ->type_name("TEXT")
        ->required();
    auto* tag = add("tag", "Add a tag to runs", tagRuns);
    tag->add_option("-t,--tag", options.text, "The tag")->type_name("TAG")->required();
    tag->add_flag("--remove", options.remove, "Remove the tag instead");
}

void addDeviceCommands(CLI::App& app, Request& request)
{
    const auto add = [&](const char* name, const char* text, auto function) {
        auto* command = app.add_subcommand(name, text);
        command->add_option("--device", request.device.device, "auto, cpu or cuda:N")
            ->type_name("KIND");
        command->callback([&request, function] {
            request.action = [&request, function] {
                return function(request.global, request.device);
            };
        });
    };
    add("ops", "What autocast does with each operator, and how that is known", operators);
    add("smoke", "One mixed-precision step of a tiny network, as key=value lines", smoke);
}

void addCheckCommand(CLI::App& app, Request& request)
{
    auto& options = request.check;
    auto* command = app.add_subcommand(
        "check", "Measure what this machine, or a model on it, does in each format");
    command
        ->add_option("experiment", options.experiment, "A model to measure; without: the machine")
        ->type_name("EXP.toml");
    command->add_option("--device", options.device, "auto (all), cpu or cuda:N")->type_name("KIND");
    command->add_flag("--quick", options.quick, "About 3 s a device instead of 15");
    command
        ->add_option("-o,--output", options.output,
            "Write the result too (.json; of the machine also .html or .md)")
        ->type_name("FILE");
    command->callback([&] {
        request.action = [&] {
            return options.experiment.empty() ? checkHardware(request.global, options)
                                              : checkModel(request.global, options);
        };
    });
}

void addFitCommand(CLI::App& app, Request& request)
{
    auto& options = request.fit;
    auto* command = app.add_subcommand("fit", "Largest batch of each variant within the memory");
    command->add_option("experiment", options.experiment, "Experiment file")
        ->type_name("EXP.toml")
        ->required();
    command->add_option("--memory", options.memory, "Limit, e.g. 2GiB; without: what is available")
        ->type_name("BYTES");
    command->add_option("--variant", options.variants, "Only this variant (repeatable)")
        ->type_name("NAME")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->callback(
        [&] { request.action = [&] { return fitBatchSizes(request.global, options); }; });
}

void addReplayCommand(CLI::App& app, Request& request)
{
    auto& options = request.replay;
    auto* command = app.add_subcommand(
        "replay", "What the loss scale would have been under other scaler settings");
    command->add_option("run", options.run, "Run whose overflows are taken")->type_name("RUN");
    command->add_option("--trace", options.trace, "File with one 0 or 1 (inf or NaN found) a line")
        ->type_name("FILE");
    // The options are scaler's keys; their values are checked as in an experiment file.
    constexpr std::array kKeys{"policy", "init_scale", "growth_factor", "backoff_factor",
        "growth_interval", "min_scale", "max_scale", "hysteresis", "hysteresis_refill",
        "tolerance"};
    options.settings.reserve(kKeys.size()); // the parser keeps references to the values
    for (const auto* key : kKeys) {
        auto& setting = options.settings.emplace_back(key, "");
        const auto* spec = findKey(std::string("scaler.") + key);
        command->add_option(optionOf(key), setting.second, std::string(spec->help))
            ->type_name(spec->type == ValueType::Choice ? "WORD" : "VALUE");
    }
    command->callback(
        [&] { request.action = [&] { return replayScale(request.global, options); }; });
}

void addSetCommand(CLI::App& app, Request& request)
{
    auto& options = request.set;
    auto* command =
        app.add_subcommand("set", "Change scaler settings of a running run, at its next update");
    command->add_option("run", options.run, "Run id")->type_name("RUN")->required();
    command
        ->add_option("settings", options.settings,
            fmt::format("Settings, together or not at all; keys: {}. 'none' removes a bound",
                fmt::join(liveScalerKeys(), ", ")))
        ->type_name("KEY=VALUE")
        ->required();
    command->callback([&] { request.action = [&] { return setLive(request.global, options); }; });
}

void addProfileCommand(CLI::App& app, Request& request)
{
    auto& options = request.profile;
    auto* command =
        app.add_subcommand("profile", "Where the time of a variant's steps goes, by operator");
    command->add_option("experiment", options.experiment, "Experiment file")
        ->type_name("EXP.toml")
        ->required();
    command->add_option("--variant", options.variant, "The variant to look at")->type_name("NAME");
    command->add_option("--set", options.sets, "Override a key, e.g. train.lr=3e-4 (repeatable)")
        ->type_name("PATH=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_option("--steps", options.steps, "Steps to profile, 1 to 20")->type_name("N");
    command->add_option("--trace", options.trace, "Write a Chrome trace, for Perfetto")
        ->type_name("FILE");
    command->add_option("-o,--output", options.output, "All operators as .csv or .json")
        ->type_name("FILE");
    command->callback(
        [&] { request.action = [&] { return profileSteps(request.global, options); }; });
}

std::string builtCommands(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands({}))
        names.push_back(command->get_name());
    return fmt::format("{}", fmt::join(names, ", "));
}

/// The first word that is neither an option nor the value of --store, the one global option that
/// takes a value; argv + argc if there is none.
char** commandWord(int argc, char** argv)
{
    char** word = argv + 1;
    for (; word < argv + argc && **word == '-'; ++word) {
        if (std::string_view(*word) == "--store")
            ++word;
    }
    return std::min(word, argv + argc);
}

/// Help and version give 0; everything else the parser refuses is bad usage.
int parserExit(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv)
{
    if (error.get_exit_code() == 0)
        return app.exit(error);
    const auto isNotBuilt = [](const char* word) {
        return std::find_if(kNotBuilt.begin(), kNotBuilt.end(), [&](const char* name) {
            return std::string_view(name) == word;
        }) != kNotBuilt.end();
    };
    const bool hasCommand = !app.get_subcommands().empty();
    char** word = commandWord(argc, argv);
    if (hasCommand)
        printError(fmt::format("{}\nRun 'mantissa-cli {} --help' for what is allowed.",
            error.what(), app.get_subcommands().front()->get_name()));
    else if (word == argv + argc)
        printError(fmt::format("a command is missing; commands: {}", builtCommands(app)));
    else
        printError(fmt::format("'{}' {}; built: {}", *word,
            isNotBuilt(*word) ? std::string("is not built in version ") + kVersion
                              : "is no command",
            builtCommands(app)));
    return kBadUsage;
}

} // namespace

int main(int argc, char** argv)
{
    // A reader that goes away (`| head`) is an error code on write, not a silent death in mid-run.
    std::signal(SIGPIPE, SIG_IGN);

    Request request;
    CLI::App app{"Mantissa: the oscilloscope for mixed-precision training", "mantissa-cli"};
    app.require_subcommand(1);
    app.fallthrough();
    addGlobalOptions(app, request);
    addRunCommand(app, request);
    addResumeCommand(app, request);
    addReadingCommands(app, request);
    addHousekeepingCommands(app, request);
    addDeviceCommands(app, request);
    addCheckCommand(app, request);
    addFitCommand(app, request);
    addReplayCommand(app, request);
    addSetCommand(app, request);
    addProfileCommand(app, request);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return parserExit(app, error, argc, argv);
    }
    return request.action();
}
