// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numerics/scaler_setting.h"

#include "core/base/number_text.h"
#include "core/config/config_io.h"
#include "core/config/schema.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mantissa {

namespace {

using nlohmann::json;

tl::unexpected<SettingRefusal> refuse(
    std::string_view key, const json& value, std::string_view allowed)
{
    return tl::unexpected(SettingRefusal{std::string(key),
        fmt::format("{} = {} is not allowed; allowed: {}", key, settingValueText(value), allowed)});
}

bool isNothing(const json& value)
{
    return value.is_null() || value == "NaN";
}

json toJson(const SettingValue& value)
{
    if (const auto* number = std::get_if<double>(&value))
        return numberToJson(*number);
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return *whole;
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    return nullptr;
}

/// `value` as what `spec` holds, or nothing if it does not fit.
std::optional<SettingValue> fitting(const KeySpec& spec, const json& value)
{
    if (isNothing(value))
        return spec.optional ? std::optional<SettingValue>(Unset{}) : std::nullopt;
    if (spec.type == ValueType::Choice) {
        const auto known =
            value.is_string() && std::ranges::count(spec.choices, value.get<std::string>()) > 0;
        return known ? std::optional<SettingValue>(value.get<std::string>()) : std::nullopt;
    }
    const auto number = value.is_number() ? numberFromJson(value) : std::nullopt;
    if (!number || !spec.range.contains(*number))
        return std::nullopt;
    if (spec.type == ValueType::Number)
        return *number;
    if (*number != std::floor(*number))
        return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

using Change = tl::expected<AppliedSetting, SettingRefusal>;

Change changeScale(float& scale, const SettingChange& change)
{
    const auto number = change.value.is_number() ? numberFromJson(change.value) : std::nullopt;
    const auto wanted = static_cast<float>(number.value_or(0));
    if (!(wanted > 0) || !std::isfinite(wanted))
        return refuse("scale", change.value, "above 0 and finite as fp32");
    const double old = std::exchange(scale, wanted);
    return AppliedSetting{"scale", numberToJson(old), numberToJson(double{wanted})};
}

Change changeOne(ScalerConfig& config, float& scale, const SettingChange& change)
{
    const auto& keys = liveScalerKeys();
    if (std::ranges::find(keys, change.key) == keys.end())
        return tl::unexpected(SettingRefusal{change.key,
            fmt::format("{} is no setting that can change while a run is on; allowed: {}",
                change.key, fmt::join(keys, ", "))});
    if (change.key == "scale")
        return changeScale(scale, change);
    const auto& spec = *findKey("scaler." + change.key);
    const auto value = fitting(spec, change.value);
    if (!value)
        return refuse(change.key, change.value,
            spec.allowed()
                + (spec.optional                          ? ", or none to remove the bound"
                        : spec.type == ValueType::Integer ? ", a whole number"
                                                          : ""));
    Settings settings;
    settings.scaler = config;
    const auto old = toJson(spec.get(settings));
    spec.set(settings, *value);
    config = settings.scaler;
    return AppliedSetting{change.key, old, toJson(*value)};
}

const SettingChange* findChange(std::span<const SettingChange> changes, std::string_view key)
{
    const auto found = std::ranges::find(changes, key, &SettingChange::key);
    return found == changes.end() ? nullptr : &*found;
}

/// What does not fit the bounds: the bounds themselves, or a scale that was asked for.
std::optional<SettingRefusal> misfit(
    const ScalerConfig& config, float scale, std::span<const SettingChange> changes)
{
    const auto floor = config.floor();
    if (floor && config.maxScale && *floor > *config.maxScale) {
        const auto culprit = std::ranges::find_if(changes, [](const SettingChange& change) {
            return change.key == "min_scale" || change.key == "max_scale" || change.key == "policy";
        });
        if (culprit == changes.end())
            return std::nullopt; // it was so before
        return refuse(culprit->key, culprit->value,
            fmt::format("a floor (min_scale, here {}) at most max_scale, here {}", toText(*floor),
                toText(*config.maxScale)))
            .value();
    }
    const auto* asked = findChange(changes, "scale");
    if (asked && floor && scale < static_cast<float>(*floor))
        return refuse("scale", asked->value, fmt::format("at least min_scale {}", toText(*floor)))
            .value();
    if (asked && config.maxScale && scale > static_cast<float>(*config.maxScale))
        return refuse(
            "scale", asked->value, fmt::format("at most max_scale {}", toText(*config.maxScale)))
            .value();
    return std::nullopt;
}

} // namespace

const std::vector<std::string_view>& liveScalerKeys()
{
    static const std::vector<std::string_view> keys{"policy", "growth_factor", "backoff_factor",
        "growth_interval", "min_scale", "max_scale", "hysteresis", "hysteresis_refill", "tolerance",
        "scale"};
    return keys;
}

tl::expected<std::vector<AppliedSetting>, SettingRefusal> changeScalerSettings(
    ScalerConfig& config, float& scale, std::span<const SettingChange> changes)
{
    auto newConfig = config;
    auto newScale = scale;
    std::vector<AppliedSetting> applied;
    for (const auto& change : changes) {
        auto one = changeOne(newConfig, newScale, change);
        if (!one)
            return tl::unexpected(std::move(one.error()));
        applied.push_back(std::move(*one));
    }
    if (auto refusal = misfit(newConfig, newScale, changes))
        return tl::unexpected(std::move(*refusal));
    config = newConfig;
    scale = newScale;
    return applied;
}

void adoptSetting(ScalerConfig& config, std::string_view key, const json& value)
{
    const KeySpec* spec = findKey("scaler." + std::string(key));
    if (!spec)
        return;
    Settings settings;
    settings.scaler = config;
    if (isNothing(value) && spec->optional)
        spec->set(settings, Unset{});
    else if (!setSetting(settings, std::string(spec->path), settingValueText(value)))
        return;
    config = settings.scaler;
}

json settingValueFromText(std::string_view text)
{
    if (text == "none")
        return nullptr;
    if (const auto whole = parseInt(text))
        return *whole;
    if (const auto number = parseDouble(text))
        return numberToJson(*number);
    return std::string(text);
}

std::string settingValueText(const json& value)
{
    if (isNothing(value))
        return "none";
    if (value.is_number())
        return toText(value.get<double>());
    return value.is_string() ? value.get<std::string>() : value.dump();
}

} // namespace mantissa
