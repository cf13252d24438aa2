// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/store_access.h"

#include "app/cli/terminal.h"
#include "core/base/number_text.h"

#include <fmt/format.h>

namespace mantissa::cli {

namespace {

std::unique_ptr<RunStore> openStore(const GlobalOptions& global, RunStore::Mode mode)
{
    std::error_code error;
    if (!std::filesystem::exists(global.store, error)) {
        printError(
            fmt::format("{}: no such store; 'mantissa-cli run' makes one", global.store.string()));
        return nullptr;
    }
    auto store = RunStore::open(global.store, mode);
    if (!store) {
        printError(store.error().message);
        return nullptr;
    }
    return std::move(*store);
}

constexpr std::string_view kComparisonPrefix = "comparison:";

} // namespace

std::unique_ptr<RunStore> openToRead(const GlobalOptions& global)
{
    // Not ReadOnly: an old file is migrated and a dead program's runs become interrupted. Where the
    // file may not be written it is opened for reading all the same.
    return openStore(global, RunStore::Mode::ReadWrite);
}

std::unique_ptr<RunStore> openToChange(const GlobalOptions& global)
{
    auto store = openStore(global, RunStore::Mode::ReadWrite);
    if (store && !store->writable()) {
        printError(fmt::format("{}: can be read, not changed ({})", global.store.string(),
            store->opening() == StoreOpening::NewerReadOnly ? "written by a later version"
                                                            : "no permission to write"));
        return nullptr;
    }
    return store;
}

std::optional<std::vector<std::int64_t>> resolveRuns(
    const RunStore& store, const std::vector<std::string>& subjects)
{
    std::vector<std::int64_t> runs;
    for (std::string_view subject : subjects) {
        const bool isComparison = subject.starts_with(kComparisonPrefix);
        const auto id = parseInt(isComparison ? subject.substr(kComparisonPrefix.size()) : subject);
        if (!id) {
            printError(fmt::format("'{}' is no run: give a run id, or comparison:ID", subject));
            return std::nullopt;
        }
        if (isComparison) {
            const auto comparison = store.comparison(*id);
            if (!comparison) {
                printError(comparison.error().message);
                return std::nullopt;
            }
            runs.insert(runs.end(), comparison->runs.begin(), comparison->runs.end());
        } else if (const auto run = store.run(*id); run) {
            runs.push_back(*id);
        } else {
            printError(run.error().message);
            return std::nullopt;
        }
    }
    return runs;
}

} // namespace mantissa::cli
