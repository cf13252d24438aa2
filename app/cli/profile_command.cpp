// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/experiment_args.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "core/base/paths.h"
#include "core/config/config_io.h"
#include "core/report/text_file.h"
#include "core/run/profile_query.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace mantissa::cli {

namespace {

constexpr std::size_t kRowsShown = 25;
using Align = TextTable::Align;

/// The request that the options make; nothing, with every problem told, if they are wrong.
std::optional<ProfileRequest> requestOf(const GlobalOptions& global, const ProfileOptions& options)
{
    ProfileRequest request;
    const auto steps = parseInt(options.steps);
    if (!steps || *steps < 1 || *steps > kMostProfiledSteps) {
        printError(fmt::format(
            "--steps {}: allowed: whole numbers from 1 to {}", options.steps, kMostProfiledSteps));
        return std::nullopt;
    }
    request.steps = static_cast<int>(*steps);
    if (!options.trace.empty())
        request.trace = std::filesystem::absolute(options.trace);
    const auto suffix = options.output.extension();
    if (!options.output.empty() && suffix != ".csv" && suffix != ".json") {
        printError(fmt::format("-o {}: allowed: .csv, .json", options.output.string()));
        return std::nullopt;
    }
    const auto overrides = overridesOf(options.sets);
    if (!overrides)
        return std::nullopt;
    const auto loaded = loadExperiment(options.experiment, *overrides);
    if (!global.quiet || !loaded.ok())
        printProblems(loaded.problems);
    if (!loaded.ok())
        return std::nullopt;
    const auto& variants = loaded.config->variants;
    const auto found = std::ranges::find(variants, options.variant, &Variant::name);
    const bool onlyOne = options.variant.empty() && variants.size() == 1;
    if (found == variants.end() && !onlyOne) {
        std::vector<std::string> known;
        for (const auto& variant : variants)
            known.push_back(variant.name);
        printError(fmt::format("--variant {}; allowed: {}",
            options.variant.empty() ? "is missing" : options.variant + ": no such variant",
            fmt::join(known, ", ")));
        return std::nullopt;
    }
    request.variant = onlyOne ? variants.front() : *found;
    return request;
}

std::string kindsText(const StepProfile& profile)
{
    std::string text;
    for (const auto kind : {OperatorKind::Matrix, OperatorKind::Cast, OperatorKind::Elementwise,
             OperatorKind::Reduction, OperatorKind::Optimizer, OperatorKind::Movement,
             OperatorKind::View, OperatorKind::Other}) {
        if (profile.calls(kind) > 0)
            text += fmt::format("  {:<12} {:>8}  {} calls a step, {}\n", toString(kind),
                percentText(profile.share(kind)), fixedText(profile.calls(kind), 0),
                bytesText(profile.bytes(kind)));
    }
    const double outside = std::max(0.0, 1 - profile.share(profile.operatorMs()));
    text += fmt::format("  {:<12} {:>8}  {}\n", profile.onGpu() ? "idle" : "between",
        percentText(outside),
        profile.onGpu() ? "the device ran no kernel" : "autograd and the trainer itself");
    return text;
}

void printProfile(const StepProfile& profile)
{
    printOut(fmt::format("{} ({}) on {}: median step {} of {} without the profiler; {} steps with "
                         "it\n{} matrix FLOPs a step ({} GFLOP/s while they ran), {} touched\n"
                         "starting an operator takes {} us here: {} of a step\n\n"
                         "Share of the profiled steps by kind\n{}",
        profile.variant, profile.precision, profile.device, durationText(profile.stepMs),
        profile.timedSteps, profile.steps, significantText(profile.flops(), 4),
        significantText(
            profile.flops() / std::max(1e-9, profile.operatorMs(OperatorKind::Matrix)) / 1e6, 3),
        bytesText(profile.bytes()), significantText(profile.launchUs, 2),
        percentText(profile.launchShare()), kindsText(profile)));
    TextTable table({{"operator"}, {"dtype"}, {"kind"}, {"calls a step", Align::Right},
        {"us a step", Align::Right}, {"share", Align::Right}, {"FLOPs", Align::Right}});
    const double steps = static_cast<double>(std::max<std::int64_t>(1, profile.steps));
    for (const auto& row : profile.rows) {
        if (&row - profile.rows.data() >= static_cast<std::ptrdiff_t>(kRowsShown))
            break;
        table.addRow({row.name, row.dtype, std::string(toString(row.kind)),
            significantText(static_cast<double>(row.calls) / steps, 3),
            significantText(row.ms / steps * 1000, 3), percentText(profile.share(row.ms / steps)),
            row.flops > 0 ? significantText(row.flops / steps, 3) : std::string()});
    }
    printOut(table.text());
    if (profile.rows.size() > kRowsShown)
        printOut(fmt::format(
            "and {} more: -o FILE.csv or --json gives all", profile.rows.size() - kRowsShown));
}

Result<void> write(const StepProfile& profile, const std::filesystem::path& file)
{
    if (file.empty())
        return {};
    return writeTextFile(
        file, file.extension() == ".csv" ? toCsv(profile) : toJson(profile).dump(2) + "\n");
}

} // namespace

int profileSteps(const GlobalOptions& global, const ProfileOptions& options)
{
    const auto request = requestOf(global, options);
    if (!request)
        return kBadUsage;
    const auto worker = findWorker();
    if (!worker)
        return failWith(kRunFailed, worker.error());
    const auto profile = profileVariant({*worker, {}, torchFolder()}, *request);
    if (!profile)
        return failWith(kRunFailed, profile.error());
    if (global.json)
        printJson(toJson(*profile));
    else
        printProfile(*profile);
    if (auto written = write(*profile, options.output); !written)
        return failWith(kRunFailed, written.error());
    if (profile->isDisturbed())
        printNote(global,
            fmt::format("The profiled steps took {} each, the others {}: another program had the "
                        "processor. Run it again when the machine is quiet.",
                durationText(profile->windowMs / static_cast<double>(profile->steps)),
                durationText(profile->stepMs)));
    if (!options.trace.empty())
        printNote(global,
            fmt::format("{}: open it in Perfetto or chrome://tracing", options.trace.string()));
    return kDone;
}

} // namespace mantissa::cli
