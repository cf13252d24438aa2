// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/run_table.h"
#include "app/cli/store_access.h"
#include "app/cli/terminal.h"
#include "core/base/human_text.h"
#include "core/base/paths.h"
#include "core/report/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa::cli {

namespace {

std::string stateNames()
{
    std::vector<std::string_view> names;
    for (int state = 0; state <= static_cast<int>(RunState::Interrupted); ++state)
        names.push_back(toString(static_cast<RunState>(state)));
    return fmt::format("{}", fmt::join(names, ", "));
}

/// "data.batch_size = 64" for every leaf of `json`, one a line.
void addLeaves(std::string& text, const std::string& path, const nlohmann::json& json)
{
    if (json.is_object() && !json.empty()) {
        for (const auto& [key, value] : json.items())
            addLeaves(text, path.empty() ? key : path + "." + key, value);
        return;
    }
    text +=
        fmt::format("  {} = {}\n", path, json.is_string() ? json.get<std::string>() : json.dump());
}

std::string eventsText(const std::vector<LifecycleEvent>& events)
{
    std::string text;
    for (const auto& event : events) {
        if (event.kind == event_kind::kBlockStarted)
            continue; // bookkeeping of the interleaving; --json has them
        const std::string place =
            event.step ? fmt::format("step {}", groupedText(*event.step)) : "";
        text += fmt::format("  {:>9}  {:<12}  {}{}\n", durationText(event.timeS * 1000), place,
            event.kind, event.message.empty() ? "" : ": " + event.message);
    }
    return text;
}

std::string runText(const RunRecord& run, const std::vector<SeriesRecord>& series,
    const std::vector<LifecycleEvent>& events)
{
    std::string text = fmt::format("Run {} of comparison {}: {}, variant {} ({}), seed {}\n",
        run.id, run.comparisonId, run.experiment, run.variant, run.precision, run.seed);
    text += fmt::format(
        "State: {}{}\n", toString(run.state), run.reason.empty() ? "" : ": " + run.reason);
    text += fmt::format("Started: {}; ended: {}\n", dateText(run.startedMs), dateText(run.endedMs));
    text += fmt::format("Steps: {}\n", stepsText(run.stepsApplied, run.stepsSkipped));
    if (!run.note.empty())
        text += fmt::format("Note: {}\n", run.note);
    if (!run.tags.empty())
        text += fmt::format("Tags: {}\n", fmt::join(run.tags, ", "));
    if (run.samplesLost > 0)
        text += fmt::format("Points that could not be stored: {}\n", groupedText(run.samplesLost));
    text += "\nSummary\n" + runTable({run}) + "\n\nSettings\n";
    addLeaves(text, "", run.config);
    text += "\nEnvironment\n";
    addLeaves(text, "", run.environment);
    text += "\nSeries\n";
    for (const auto& entry : series)
        text += fmt::format("  {} [{}]: {} points, {} non-finite\n", entry.name,
            entry.unit.empty() ? "1" : entry.unit,
            groupedText(static_cast<std::int64_t>(entry.count)),
            groupedText(static_cast<std::int64_t>(entry.nonFinite)));
    text += "\nEvents\n" + eventsText(events);
    text.pop_back();
    return text;
}

int printRuns(const GlobalOptions& global, const std::vector<RunRecord>& runs)
{
    if (global.json) {
        nlohmann::json json{{"runs", nlohmann::json::array()}};
        for (const auto& run : runs)
            json["runs"].push_back(runToJson(run));
        printJson(json);
    } else if (runs.empty()) {
        printNote(global, "No runs match.");
    } else {
        printOut(listTable(runs));
    }
    return kDone;
}

} // namespace

int listRuns(const GlobalOptions& global, const ListOptions& options)
{
    RunFilter filter{options.experiment, std::nullopt, options.archived, options.limit};
    if (!options.status.empty()) {
        filter.state = runStateFromString(options.status);
        if (!filter.state) {
            printError(fmt::format(
                "--status {}: no such state; allowed: {}", options.status, stateNames()));
            return kBadUsage;
        }
    }
    if (!std::filesystem::exists(global.store) && global.store == defaultStorePath())
        return printRuns(global, {}); // nothing was ever run: no error
    const auto store = openToRead(global);
    if (!store)
        return kStoreUnusable;
    const auto runs = store->runs(filter);
    if (!runs)
        return failWith(kStoreUnusable, runs.error());
    return printRuns(global, *runs);
}

int showRun(const GlobalOptions& global, std::int64_t id)
{
    const auto store = openToRead(global);
    if (!store)
        return kStoreUnusable;
    const auto run = store->run(id);
    if (!run)
        return failWith(kBadUsage, run.error());
    if (global.json) {
        const auto json = runExportJson(*store, id);
        if (!json)
            return failWith(kStoreUnusable, json.error());
        printJson(*json);
        return kDone;
    }
    const auto series = store->series(id);
    const auto events = store->events(id);
    if (!series || !events)
        return failWith(kStoreUnusable, series ? events.error() : series.error());
    printOut(runText(*run, *series, *events));
    return kDone;
}

} // namespace mantissa::cli
