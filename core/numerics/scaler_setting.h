// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/experiment_config.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// A wish to change one setting of a GradScaler while it is in use.
struct SettingChange {
    std::string key; ///< one of liveScalerKeys()
    /// A number; for policy and hysteresis_refill their word. null (or "NaN") removes min_scale
    /// and max_scale.
    nlohmann::json value;

    bool operator==(const SettingChange&) const = default;
};

/// A change that was made. Undo = a change back to `oldValue`.
struct AppliedSetting {
    std::string key;
    nlohmann::json oldValue; ///< null = there was no bound
    nlohmann::json newValue;
};

/// Why nothing was changed.
struct SettingRefusal {
    std::string key; ///< the first that is not allowed
    std::string reason; ///< names key, value and what is allowed
};

/// The keys that may change while a run is on: those of [scaler] but enabled, init_scale and
/// recheck, and "scale", the scale itself.
const std::vector<std::string_view>& liveScalerKeys();

/// Makes all of `changes` in `config` and `scale`, or none. Ranges are those of the experiment
/// file. The bounds must fit each other afterwards, and a scale that is given must lie within
/// them; one that is not given is moved there at the next update. Pure, any thread.
[[nodiscard]] tl::expected<std::vector<AppliedSetting>, SettingRefusal> changeScalerSettings(
    ScalerConfig& config, float& scale, std::span<const SettingChange> changes);

/// Takes over a change of `config` that was made and checked elsewhere, as an event tells it. Of
/// another key, or a value that cannot be: nothing.
void adoptSetting(ScalerConfig& config, std::string_view key, const nlohmann::json& value);

/// A value as on a command line: a number, or a word; "none" is null.
nlohmann::json settingValueFromText(std::string_view text);
/// The same for people: "65536", "hysteresis", "none".
std::string settingValueText(const nlohmann::json& value);

} // namespace mantissa
