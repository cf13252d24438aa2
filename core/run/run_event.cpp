// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_event.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mantissa {

namespace {

constexpr std::array<std::pair<RunState, std::string_view>, 9> kStateNames{{
    {RunState::Queued, "queued"},
    {RunState::Running, "running"},
    {RunState::Paused, "paused"},
    {RunState::Finished, "finished"},
    {RunState::Stopped, "stopped"},
    {RunState::Failed, "failed"},
    {RunState::Killed, "killed"},
    {RunState::Refused, "refused"},
    {RunState::Interrupted, "interrupted"},
}};

} // namespace

nlohmann::json LifecycleEvent::value(std::string_view key) const
{
    if (!data.is_object())
        return nullptr;
    const auto found = data.find(key);
    return found == data.end() ? nlohmann::json() : *found;
}

std::string LifecycleEvent::text(std::string_view key, const std::string& otherwise) const
{
    const auto found = value(key);
    return found.is_string() ? found.get<std::string>() : otherwise;
}

std::optional<double> LifecycleEvent::number(std::string_view key) const
{
    return numberFromJson(value(key));
}

std::string_view toString(RunState state)
{
    const auto* found = std::find_if(kStateNames.begin(), kStateNames.end(),
        [state](const auto& entry) { return entry.first == state; });
    return found == kStateNames.end() ? std::string_view() : found->second;
}

std::optional<RunState> runStateFromString(std::string_view text)
{
    const auto* found = std::find_if(kStateNames.begin(), kStateNames.end(),
        [text](const auto& entry) { return entry.second == text; });
    if (found == kStateNames.end())
        return std::nullopt;
    return found->first;
}

bool isEnd(RunState state)
{
    return state != RunState::Queued && state != RunState::Running && state != RunState::Paused;
}

} // namespace mantissa
