// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/store_access.h"
#include "app/cli/terminal.h"
#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/numerics/scaler_trace.h"
#include "core/run/series_info.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace mantissa::cli {

namespace {

/// Which steps there were, and whether each overflowed.
struct Recorded {
    std::vector<std::int64_t> steps;
    OverflowTrace foundInf;
    ScalerConfig config; ///< that it began with
    bool changedLive = false;
};

bool readTrace(const ReplayOptions& options, Recorded& recorded)
{
    auto trace = readOverflowTrace(options.trace);
    if (!trace) {
        printError(trace.error().message);
        return false;
    }
    recorded.foundInf = std::move(*trace);
    for (std::size_t i = 0; i < recorded.foundInf.size(); ++i)
        recorded.steps.push_back(static_cast<std::int64_t>(i) + 1);
    return true;
}

int readRun(const RunStore& store, std::int64_t id, Recorded& recorded)
{
    const auto run = store.run(id);
    if (!run)
        return failWith(kBadUsage, run.error());
    const auto slice = store.readSeries(id, std::string(series::kFoundInf));
    const auto events = store.events(id);
    if (!slice || !events)
        return failWith(kStoreUnusable, slice ? events.error() : slice.error());
    if (slice->x.empty()) {
        printError(
            fmt::format("run {} has no series found_inf: it trained without a GradScaler, or "
                        "not a single step",
                id));
        return kBadUsage;
    }
    for (std::size_t i = 0; i < slice->x.size(); ++i) {
        recorded.steps.push_back(static_cast<std::int64_t>(slice->x[i]));
        recorded.foundInf.push_back(slice->y[i] != 0);
    }
    if (const auto variant = variantFromJson(run->config))
        recorded.config = variant->settings.scaler;
    for (const auto& event : *events)
        recorded.changedLive |= event.kind == event_kind::kSettingChanged;
    return kDone;
}

/// The options put over `config`; false, with every problem told, if they are not allowed.
bool applyOptions(const ReplayOptions& options, ScalerConfig& config)
{
    Settings settings;
    settings.scaler = config;
    bool good = true;
    for (const auto& [key, value] : options.settings) {
        if (value.empty())
            continue;
        const auto set = setSetting(settings, "scaler." + key, value);
        if (set)
            continue;
        printError(fmt::format("{} {}: {}; allowed: {}", optionOf(key), value, set.error().message,
            set.error().allowed));
        good = false;
    }
    if (!good)
        return false;
    ExperimentConfig whole{"replay", {}, settings, {{"fp16", Precision::Fp16, {}, settings}}};
    const auto checked = checkExperiment(std::move(whole));
    if (!checked.ok())
        printProblems(checked.problems);
    config = settings.scaler;
    return checked.ok();
}

void printCsv(const Recorded& recorded, const ScalerReplay& replay)
{
    std::string text = "step,found_inf,scale,growth_tracker\n";
    for (std::size_t i = 0; i < replay.states.size(); ++i) {
        const auto& state = replay.states[i];
        text += fmt::format("{},{},{},{}\n", recorded.steps[i], recorded.foundInf[i] ? 1 : 0,
            toText(double{state.scale}), state.growthTracker);
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void printReplayJson(
    const Recorded& recorded, const ScalerConfig& config, const ScalerReplay& replay)
{
    Settings settings;
    settings.scaler = config;
    nlohmann::json json{{"settings", toJson(settings).at("scaler")}, {"skipped", replay.skipped},
        {"final_scale", numberToJson(double{replay.states.back().scale})},
        {"stopped",
            replay.exhaustion.empty() ? nlohmann::json() : nlohmann::json(replay.exhaustion)}};
    for (std::size_t i = 0; i < replay.states.size(); ++i) {
        json["step"].push_back(recorded.steps[i]);
        json["found_inf"].push_back(recorded.foundInf[i] ? 1 : 0);
        json["scale"].push_back(numberToJson(double{replay.states[i].scale}));
        json["growth_tracker"].push_back(replay.states[i].growthTracker);
    }
    printJson(json);
}

} // namespace

std::string optionOf(std::string_view key)
{
    std::string option = fmt::format("--{}", key);
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
}

int replayScale(const GlobalOptions& global, const ReplayOptions& options)
{
    if (options.trace.empty() == !options.run) {
        printError("replay: give either a run, or --trace FILE with one 0 or 1 a line");
        return kBadUsage;
    }
    Recorded recorded;
    if (options.run) {
        const auto store = openToRead(global);
        if (!store)
            return kStoreUnusable;
        if (const int code = readRun(*store, *options.run, recorded); code != kDone)
            return code;
    } else if (!readTrace(options, recorded)) {
        return kBadUsage;
    }
    auto config = recorded.config;
    if (!applyOptions(options, config))
        return kBadUsage;
    const auto replay = replayScaler(config, recorded.foundInf);
    if (recorded.changedLive)
        printNote(global,
            "Settings were changed while this run was on; the replay keeps to those it began "
            "with.");
    if (!replay.exhaustion.empty())
        printNote(global,
            fmt::format("The policy ends the run at step {}: {}.",
                recorded.steps[replay.states.size() - 1], replay.exhaustion));
    if (global.json)
        printReplayJson(recorded, config, replay);
    else
        printCsv(recorded, replay);
    return kDone;
}

} // namespace mantissa::cli
