// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/resume_check.h"

#include "core/config/config_io.h"
#include "core/config/schema.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mantissa {

namespace {

constexpr std::array<std::string_view, 9> kMayDiffer{"data.prefetch", "run.max_steps",
    "run.max_seconds", "run.checkpoint_every", "run.save_weights", "run.repeat", "run.schedule",
    "run.block", "eval.every"};

} // namespace

std::optional<std::string> resumeRefusal(const Variant& saved, const Variant& wanted)
{
    if (saved.precision != wanted.precision)
        return fmt::format("the checkpoint is of a run in {}, not in {}", toString(saved.precision),
            toString(wanted.precision));
    const auto before = toJson(saved.settings);
    const auto now = toJson(wanted.settings);
    for (const auto& spec : schemaKeys()) {
        const std::string group(spec.group());
        const std::string key(spec.key());
        if (group == "scaler" || group == "watch" || group == "debug"
            || std::ranges::find(kMayDiffer, spec.path) != kMayDiffer.end())
            continue;
        if (before[group][key] != now[group][key])
            return fmt::format("{} was {} when the checkpoint was written and is {} now", spec.path,
                before[group][key].dump(), now[group][key].dump());
    }
    if (saved.usesScaler() != wanted.usesScaler())
        return "scaler.enabled may not change: a scale that begins anew would change the run "
               "silently";
    return std::nullopt;
}

} // namespace mantissa
