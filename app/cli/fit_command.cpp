// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/experiment_args.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/base/paths.h"
#include "core/config/config_io.h"
#include "core/run/experiment_fit.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mantissa::cli {

namespace {

using Align = TextTable::Align;

void printTable(const std::vector<VariantFit>& all, double limit)
{
    TextTable table(
        {{"Variant"}, {"Precision"}, {"Largest batch", Align::Right}, {"Peak memory", Align::Right},
            {"Against fp32", Align::Right}, {"Trials", Align::Right}, {"Note"}});
    for (const auto& one : all) {
        const std::string precision(toString(one.precision));
        if (!one.fit) {
            table.addRow({one.variant, precision, "-", "-", "", "", noteText(one)});
            continue;
        }
        const bool fits = one.fit->batch > 0;
        table.addRow({one.variant, precision, fits ? groupedText(one.fit->batch) : "none",
            fits ? bytesText(one.fit->peakBytes) : "-", gainText(one),
            std::to_string(one.fit->trials.size()), noteText(one)});
    }
    printOut(fmt::format("Within {}\n{}", bytesText(limit), table.text()));
}

nlohmann::json toJson(const std::vector<VariantFit>& all, double limit)
{
    nlohmann::json json{
        {"type", "fit"}, {"memory_bytes", limit}, {"variants", nlohmann::json::array()}};
    for (const auto& one : all) {
        nlohmann::json entry{{"variant", one.variant}, {"precision", toString(one.precision)}};
        if (!one.fit) {
            entry["reason"] = one.fit.error().message;
            json["variants"].push_back(std::move(entry));
            continue;
        }
        entry.update({{"batch", one.fit->batch}, {"peak_memory_bytes", one.fit->peakBytes},
            {"limited_by_data", one.fit->limitedByData}, {"trials", nlohmann::json::array()}});
        if (one.gain)
            entry["batch_gain"] = *one.gain;
        for (const auto& trial : one.fit->trials)
            entry["trials"].push_back({{"batch", trial.batch},
                {"peak_memory_bytes",
                    trial.peakBytes ? nlohmann::json(*trial.peakBytes) : nlohmann::json()}});
        json["variants"].push_back(std::move(entry));
    }
    return json;
}

} // namespace

int fitBatchSizes(const GlobalOptions& global, const FitOptions& options)
{
    const auto limit = fitLimit(options.memory);
    if (!limit) {
        printError(fmt::format("--memory {}: {}", options.memory, limit.error().message));
        return kBadUsage;
    }
    auto loaded = loadExperiment(options.experiment);
    if (!global.quiet || !loaded.ok())
        printProblems(loaded.problems);
    if (!loaded.ok() || !selectVariants(*loaded.config, options.variants))
        return kBadUsage;
    auto worker = findWorker();
    if (!worker)
        return failWith(kRunFailed, worker.error());
    const StopOnInterrupt stop;
    const auto tried = [&](const Variant& variant, const FitTrial& trial) {
        noteTrial(global, variant.name, trial);
    };
    const auto all = fitVariants(
        {*worker, {}, torchFolder()}, loaded.config->variants, *limit, tried, stop.token());
    if (!all)
        return failWith(kInterrupted, all.error());
    if (global.json)
        printJson(toJson(*all, *limit));
    else
        printTable(*all, *limit);
    const bool allRan = std::all_of(
        all->begin(), all->end(), [](const VariantFit& one) { return one.fit.has_value(); });
    return allRan ? kDone : kRunFailed;
}

} // namespace mantissa::cli
