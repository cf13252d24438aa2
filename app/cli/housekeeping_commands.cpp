// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/store_access.h"
#include "app/cli/terminal.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iostream>
#include <unistd.h>

namespace mantissa::cli {

namespace {

/// Does `change` to every run; goes on after a failure and reports each.
int changeRuns(const GlobalOptions& global, const std::vector<std::int64_t>& runs,
    const std::string& done, const std::function<Result<void>(RunStore&, const RunRecord&)>& change)
{
    const auto store = openToChange(global);
    if (!store)
        return kStoreUnusable;
    int code = kDone;
    for (const auto id : runs) {
        const auto run = store->run(id);
        const auto result = run ? change(*store, *run) : Result<void>(tl::unexpected(run.error()));
        if (!result)
            code = failWith(kBadUsage, result.error());
        else if (global.json)
            printJson({{"run", id}, {"done", done}});
        else
            printNote(global, fmt::format("Run {}: {}", id, done));
    }
    return code;
}

bool confirmed(const std::string& question)
{
    if (!isTerminal(STDIN_FILENO)) {
        printError(question + " Not asked, since standard input is no terminal: give --yes.");
        return false;
    }
    fmt::print(stderr, "{} [y/N] ", question);
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

} // namespace

int archiveRuns(const GlobalOptions& global, const HousekeepingOptions& options)
{
    const bool archived = !options.remove;
    return changeRuns(global, options.runs, archived ? "archived" : "no longer archived",
        [=](RunStore& store, const RunRecord& run) { return store.setArchived(run.id, archived); });
}

int deleteRuns(const GlobalOptions& global, const HousekeepingOptions& options)
{
    const std::string what = options.runs.size() == 1 ? fmt::format("run {}", options.runs.front())
                                                      : fmt::format("{} runs", options.runs.size());
    if (!options.yes
        && !confirmed(fmt::format("Delete {} with all series and events for good?", what)))
        return kBadUsage;
    return changeRuns(global, options.runs, "deleted",
        [](RunStore& store, const RunRecord& run) { return store.removeRun(run.id); });
}

int noteRuns(const GlobalOptions& global, const HousekeepingOptions& options)
{
    return changeRuns(global, options.runs, options.text.empty() ? "note removed" : "note set",
        [&](RunStore& store, const RunRecord& run) { return store.setNote(run.id, options.text); });
}

int tagRuns(const GlobalOptions& global, const HousekeepingOptions& options)
{
    if (options.text.empty() || options.text.find_first_of(" \t\n,") != std::string::npos) {
        printError(fmt::format("--tag '{}': a tag is one word without commas", options.text));
        return kBadUsage;
    }
    return changeRuns(global, options.runs, options.remove ? "tag removed" : "tagged",
        [&](RunStore& store, const RunRecord& run) {
            auto tags = run.tags;
            std::erase(tags, options.text);
            if (!options.remove)
                tags.push_back(options.text);
            return store.setTags(run.id, tags);
        });
}

} // namespace mantissa::cli
