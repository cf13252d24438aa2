// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/experiment_args.h"

#include "app/cli/terminal.h"
#include "core/base/human_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa::cli {

std::optional<std::vector<ConfigOverride>> overridesOf(const std::vector<std::string>& sets)
{
    std::vector<ConfigOverride> overrides;
    for (const auto& text : sets) {
        auto override = parseOverride(text);
        if (!override) {
            printError(
                fmt::format("--set {}: not of the form PATH=VALUE, e.g. train.lr=3e-4", text));
            return std::nullopt;
        }
        overrides.push_back(std::move(*override));
    }
    return overrides;
}

bool selectVariants(ExperimentConfig& config, const std::vector<std::string>& names)
{
    if (names.empty())
        return true;
    std::vector<std::string> known;
    for (const auto& variant : config.variants)
        known.push_back(variant.name);
    for (const auto& name : names) {
        if (std::ranges::find(known, name) == known.end()) {
            printError(fmt::format(
                "--variant {}: no such variant; allowed: {}", name, fmt::join(known, ", ")));
            return false;
        }
    }
    std::erase_if(config.variants, [&](const Variant& variant) {
        return std::ranges::find(names, variant.name) == names.end();
    });
    return true;
}

void noteTrial(const GlobalOptions& global, const std::string& variant, const FitTrial& trial)
{
    printNote(global,
        fmt::format("{}, batch {}: {}", variant, groupedText(trial.batch),
            trial.peakBytes ? bytesText(*trial.peakBytes) : "out of memory"));
}

} // namespace mantissa::cli
