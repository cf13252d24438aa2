// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/command_line.h"

#include "core/config/schema.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa::ui {

namespace {

/// What follows `--set PATH=`: bare words for choices, TOML for the rest.
std::string setText(const KeySpec& key, const SettingValue& value)
{
    if (key.type == ValueType::Choice)
        return std::get<std::string>(value);
    return toTomlText(value);
}

bool addShared(
    std::vector<ConfigOverride>& sets, const ExperimentConfig& saved, const ExperimentConfig& now)
{
    if (now.name != saved.name)
        sets.push_back({"name", quotedText(now.name)});
    if (now.description != saved.description)
        sets.push_back({"description", quotedText(now.description)});
    for (const auto& key : schemaKeys()) {
        const auto value = key.get(now.settings);
        const bool isMoot = key.path == "train.steps" && now.settings.train.epochs > 0;
        if (isMoot || value == key.get(saved.settings))
            continue;
        if (std::holds_alternative<Unset>(value))
            return false; // --set cannot take a value away
        sets.push_back({std::string(key.path), setText(key, value)});
    }
    return true;
}

const std::string* overrideOf(const Variant& variant, const std::string& path)
{
    const auto found =
        std::ranges::find(variant.overrides, path, &std::pair<std::string, std::string>::first);
    return found == variant.overrides.end() ? nullptr : &found->second;
}

/// `saved` is null for a variant that is new.
bool addVariant(
    std::vector<ConfigOverride>& sets, std::size_t index, const Variant* saved, const Variant& now)
{
    const auto path = [index](std::string_view key) {
        return fmt::format("variant[{}].{}", index, key);
    };
    if (!saved || saved->name != now.name)
        sets.push_back({path("name"), quotedText(now.name)});
    if (!saved || saved->precision != now.precision)
        sets.push_back({path("precision"), std::string(toString(now.precision))});
    for (const auto& [key, text] : now.overrides) {
        const auto* before = saved ? overrideOf(*saved, key) : nullptr;
        if (!before || *before != text)
            sets.push_back({path(key), text});
    }
    const auto isGone = [&](const auto& item) { return !overrideOf(now, item.first); };
    return !saved || std::ranges::none_of(saved->overrides, isGone);
}

std::string onStandardInput(
    const ExperimentConfig& now, const std::vector<ConfigOverride>& badTexts)
{
    std::string text = "mantissa-cli run /dev/stdin";
    for (const auto& bad : badTexts)
        text += " \\\n  --set " + shellWord(bad.path + "=" + bad.value);
    return text + " <<'EOF'\n" + toToml(now) + "EOF\n";
}

} // namespace

std::string shellWord(const std::string& text)
{
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-+=./:,@%";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos)
        return text;
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::optional<std::vector<ConfigOverride>> differences(
    const ExperimentConfig& saved, const ExperimentConfig& now)
{
    std::vector<ConfigOverride> sets;
    if (now.variants.size() < saved.variants.size() || !addShared(sets, saved, now))
        return std::nullopt;
    for (std::size_t i = 0; i < now.variants.size(); ++i) {
        const auto* before = i < saved.variants.size() ? &saved.variants[i] : nullptr;
        if (!addVariant(sets, i, before, now.variants[i]))
            return std::nullopt;
    }
    return sets;
}

std::string commandLine(const std::filesystem::path& file,
    const std::optional<ExperimentConfig>& saved, const ExperimentConfig& now,
    const std::vector<ConfigOverride>& badTexts)
{
    const auto sets = file.empty() || !saved ? std::nullopt : differences(*saved, now);
    if (!sets)
        return onStandardInput(now, badTexts);
    auto text = "mantissa-cli run " + shellWord(file.string());
    for (const auto& list : {*sets, badTexts}) {
        for (const auto& set : list)
            text += " \\\n  --set " + shellWord(set.path + "=" + set.value);
    }
    return text;
}

} // namespace mantissa::ui
