// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "core/config/config_io.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mantissa::cli {

namespace {

nlohmann::json problemToJson(const ConfigProblem& problem)
{
    return {{"severity", problem.severity == Severity::Error ? "error" : "warning"},
        {"file", problem.file}, {"line", problem.line}, {"key", problem.key},
        {"value", problem.value}, {"message", problem.message}, {"allowed", problem.allowed},
        {"suggestion", problem.suggestion}};
}

} // namespace

int validateFiles(const GlobalOptions& global, const std::vector<std::filesystem::path>& files)
{
    bool allValid = true;
    nlohmann::json json{{"files", nlohmann::json::array()}};
    for (const auto& file : files) {
        const auto loaded = loadExperiment(file);
        allValid = allValid && loaded.ok();
        if (global.json) {
            nlohmann::json problems = nlohmann::json::array();
            for (const auto& problem : loaded.problems)
                problems.push_back(problemToJson(problem));
            json["files"].push_back(
                {{"file", file.string()}, {"valid", loaded.ok()}, {"problems", problems}});
            if (loaded.ok())
                json["files"].back()["preflight"] = findingsToJson(*loaded.config);
        } else {
            printProblems(loaded.problems);
            if (loaded.ok())
                printFindings(*loaded.config);
            if (loaded.ok() && !global.quiet)
                printOut(fmt::format(
                    "{}: valid, {} variants", file.string(), loaded.config->variants.size()));
        }
    }
    if (global.json)
        printJson(json);
    return allValid ? kDone : kBadUsage;
}

} // namespace mantissa::cli
