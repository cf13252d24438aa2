// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/base/paths.h"
#include "core/config/config_io.h"
#include "core/hardware/capability.h"
#include "core/report/text_file.h"
#include "core/run/model_probe_host.h"
#include "core/storage/capability_store.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mantissa::cli {

namespace {

using Align = TextTable::Align;

/// What a later run may take, one line a variant.
std::string speedTable(const ModelCheck& check)
{
    TextTable table({{"Variant"}, {"Precision"}, {"Step", Align::Right},
        {"Samples/s", Align::Right}, {"Against fp32"}, {"Whole run", Align::Right},
        {"Peak memory", Align::Right}, {"Steps measured", Align::Right}});
    for (const auto& probe : check.probes) {
        if (!probe.reason.empty())
            continue;
        table.addRow({probe.variant, std::string(toString(probe.precision)),
            durationText(probe.stepMs.median),
            groupedText(static_cast<std::int64_t>(probe.samplesPerSecond)),
            probe.factor ? speedText(*probe.factor) : "", durationText(probe.runSeconds * 1000),
            bytesText(probe.peakMemoryBytes), std::to_string(probe.steps)});
    }
    return table.text();
}

std::string memoryTable(const ModelCheck& check)
{
    TextTable table({{"Memory"}, {""}, {"Weights", Align::Right}, {"Gradients", Align::Right},
        {"Optimizer", Align::Right}, {"Cast cache", Align::Right}, {"Activations", Align::Right},
        {"Workspace", Align::Right}, {"Sum", Align::Right}, {"To the peak", Align::Right}});
    for (const auto& probe : check.probes) {
        if (!probe.reason.empty())
            continue;
        const auto add = [&](const std::string& name, const char* kind, const MemoryRoles& roles) {
            const double rest = probe.peakMemoryBytes - roles.sum();
            table.addRow({name, kind, bytesText(roles.weights), bytesText(roles.gradients),
                bytesText(roles.optimizer), bytesText(roles.castCache),
                bytesText(roles.activations), bytesText(roles.workspace), bytesText(roles.sum()),
                fmt::format("{}{}", rest < 0 ? "\u2212" : "+", bytesText(std::abs(rest)))});
        };
        add(probe.variant, "measured", probe.measured);
        add("", "predicted", probe.predicted);
    }
    return table.text();
}

std::string refusals(const ModelCheck& check)
{
    std::string text;
    for (const auto& probe : check.probes) {
        if (!probe.reason.empty())
            text += fmt::format("{}: {}\n", probe.variant, probe.reason);
    }
    return text;
}

std::string textOf(const ModelCheck& check)
{
    return fmt::format("{} on {}\n{}\n\n{}\n{}", check.experiment, check.device, speedTable(check),
        memoryTable(check), refusals(check));
}

int keep(const GlobalOptions& global, const ModelCheck& check)
{
    auto store = CapabilityStore::open(global.store);
    if (!store)
        return failWith(kStoreUnusable, store.error());
    if (const auto added = (*store)->addModelCheck(check); !added)
        return failWith(kStoreUnusable, added.error());
    return kDone;
}

int write(const CheckOptions& options, const ModelCheck& check)
{
    if (options.output.empty())
        return kDone;
    const auto written = writeTextFile(options.output, toJson(check).dump(2) + "\n");
    return written ? int(kDone) : failWith(kRunFailed, written.error());
}

} // namespace

int checkModel(const GlobalOptions& global, const CheckOptions& options)
{
    if (!options.output.empty() && options.output.extension() != ".json") {
        printError(
            fmt::format("{}: the check of a model is written as .json", options.output.string()));
        return kBadUsage;
    }
    std::vector<ConfigOverride> overrides;
    if (options.device != "auto")
        overrides.push_back({"device.kind", options.device});
    const auto loaded = loadExperiment(options.experiment, overrides);
    if (!global.quiet || !loaded.ok())
        printProblems(loaded.problems);
    if (!loaded.ok())
        return kBadUsage;
    auto worker = findWorker();
    if (!worker)
        return failWith(kRunFailed, worker.error());
    const StopOnInterrupt stop;
    const auto told = [&global](const ModelProbe& probe, int done, int total) {
        printNote(global, fmt::format("{} of {}: {}", done, total, probe.variant));
    };
    const auto check =
        runModelCheck({*worker, {}, torchFolder()}, *loaded.config, told, stop.token());
    if (!check)
        return failWith(stop.stopped() ? kInterrupted : kRunFailed, check.error());
    if (global.json)
        printJson({{"type", "model_check"}, {"check", toJson(*check)}});
    else
        printOut(textOf(*check));
    return std::max(keep(global, *check), write(options, *check));
}

} // namespace mantissa::cli
