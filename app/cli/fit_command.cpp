// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/experiment_args.h"
#include "app/cli/interrupt.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "core/base/byte_text.h"
#include "core/base/human_text.h"
#include "core/base/paths.h"
#include "core/config/config_io.h"
#include "core/hardware/machine.h"
#include "core/run/model_probe_host.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa::cli {

namespace {

using Align = TextTable::Align;

struct Fitted {
    const Variant* variant = nullptr;
    Result<BatchFit> fit = fail("not tried");
};

std::optional<std::int64_t> fp32Batch(const std::vector<Fitted>& all)
{
    for (const auto& one : all) {
        if (one.variant->precision == Precision::Fp32 && one.fit && one.fit->batch > 0)
            return one.fit->batch;
    }
    return std::nullopt;
}

std::string gainText(const Fitted& one, std::optional<std::int64_t> baseline)
{
    if (!baseline || one.fit->batch == 0 || one.variant->precision == Precision::Fp32)
        return "";
    return ratioText(static_cast<double>(one.fit->batch) / static_cast<double>(*baseline));
}

void printTable(const std::vector<Fitted>& all, double limit)
{
    const auto baseline = fp32Batch(all);
    TextTable table(
        {{"Variant"}, {"Precision"}, {"Largest batch", Align::Right}, {"Peak memory", Align::Right},
            {"Against fp32", Align::Right}, {"Trials", Align::Right}, {"Note"}});
    for (const auto& one : all) {
        const std::string precision(toString(one.variant->precision));
        if (!one.fit) {
            table.addRow({one.variant->name, precision, "-", "-", "", "", one.fit.error().message});
            continue;
        }
        const bool fits = one.fit->batch > 0;
        table.addRow({one.variant->name, precision, fits ? groupedText(one.fit->batch) : "none",
            fits ? bytesText(one.fit->peakBytes) : "-", gainText(one, baseline),
            std::to_string(one.fit->trials.size()),
            one.fit->limitedByData ? "all samples of the data in one batch"
                : fits             ? ""
                                   : "not even one sample fits"});
    }
    printOut(fmt::format("Within {}\n{}", bytesText(limit), table.text()));
}

nlohmann::json toJson(const std::vector<Fitted>& all, double limit)
{
    const auto baseline = fp32Batch(all);
    nlohmann::json json{
        {"type", "fit"}, {"memory_bytes", limit}, {"variants", nlohmann::json::array()}};
    for (const auto& one : all) {
        nlohmann::json entry{
            {"variant", one.variant->name}, {"precision", toString(one.variant->precision)}};
        if (!one.fit) {
            entry["reason"] = one.fit.error().message;
            json["variants"].push_back(std::move(entry));
            continue;
        }
        entry.update({{"batch", one.fit->batch}, {"peak_memory_bytes", one.fit->peakBytes},
            {"limited_by_data", one.fit->limitedByData}, {"trials", nlohmann::json::array()}});
        if (baseline && one.fit->batch > 0)
            entry["batch_gain"] =
                static_cast<double>(one.fit->batch) / static_cast<double>(*baseline);
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
    const auto limit = options.memory.empty()
        ? std::optional(static_cast<double>(availableMemory()))
        : parseBytes(options.memory);
    if (!limit || !(*limit >= 1 << 20)) {
        printError(fmt::format("--memory {}: allowed are bytes from 1MiB on, e.g. 2GiB, 512MiB or "
                               "1073741824",
            options.memory));
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
    std::vector<Fitted> all;
    for (const auto& variant : loaded.config->variants) {
        const auto tried = [&](const FitTrial& trial) {
            printNote(global,
                fmt::format("{}, batch {}: {}", variant.name, groupedText(trial.batch),
                    trial.peakBytes ? bytesText(*trial.peakBytes) : "out of memory"));
        };
        all.push_back({&variant,
            fitVariant({*worker, {}, torchFolder()}, variant, *limit, tried, stop.token())});
        if (stop.stopped())
            return failWith(kInterrupted, {"cancelled"});
    }
    if (global.json)
        printJson(toJson(all, *limit));
    else
        printTable(all, *limit);
    const bool allRan =
        std::all_of(all.begin(), all.end(), [](const Fitted& one) { return one.fit.has_value(); });
    return allRan ? kDone : kRunFailed;
}

} // namespace mantissa::cli
