// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/draft.h"
#include "core/config/words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mantissa {

namespace {

using nlohmann::json;
using Problems = std::vector<ConfigProblem>;

json jsonOf(const SettingValue& value)
{
    struct Writer {
        json operator()(Unset) const { return nullptr; }
        json operator()(bool v) const { return v; }
        json operator()(std::int64_t v) const { return v; }
        json operator()(double v) const { return v; }
        json operator()(const std::string& v) const { return v; }
        json operator()(const std::vector<std::int64_t>& v) const { return v; }
        json operator()(const std::vector<std::string>& v) const { return v; }
    };
    return std::visit(Writer{}, value);
}

RawValue rawFromTexts(const json& array)
{
    std::vector<std::string> list;
    for (const auto& item : array) {
        if (!item.is_string())
            return {std::nullopt, "a list of texts and other things"};
        list.push_back(item.get<std::string>());
    }
    return {SettingValue(std::move(list)), "a list of texts"};
}

RawValue rawFromArray(const json& array)
{
    if (!array.empty() && array.front().is_string())
        return rawFromTexts(array);
    std::vector<std::int64_t> list;
    for (const auto& item : array) {
        if (!item.is_number_integer())
            return {std::nullopt, "a list with other things than whole numbers"};
        list.push_back(item.get<std::int64_t>());
    }
    return {SettingValue(std::move(list)), "a list"};
}

RawValue rawFromJson(const json& value)
{
    if (value.is_null())
        return {SettingValue(Unset{}), "null"};
    if (value.is_boolean())
        return {SettingValue(value.get<bool>()), "true or false"};
    if (value.is_number_integer())
        return {SettingValue(value.get<std::int64_t>()), "a whole number"};
    if (value.is_number_float())
        return {SettingValue(value.get<double>()), "a number with a fraction"};
    if (value.is_string())
        return {SettingValue(value.get<std::string>()), "text"};
    if (value.is_array())
        return rawFromArray(value);
    return {std::nullopt, "an object"};
}

ConfigProblem problemAt(const std::string& key, std::string message, std::string allowed)
{
    ConfigProblem problem;
    problem.key = key;
    problem.message = std::move(message);
    problem.allowed = std::move(allowed);
    return problem;
}

/// The text at `key`, or a problem.
std::string readText(
    const json& object, const char* key, const std::string& path, Problems& problems)
{
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) {
        problems.push_back(problemAt(path, "must be text", "text"));
        return {};
    }
    return found->get<std::string>();
}

/// Keys that are absent keep their defaults; keys that are not known are ignored (a later
/// version may have written them).
Settings readSettings(const json& object, const std::string& prefix, Problems& problems)
{
    Settings settings;
    for (const auto& spec : schemaKeys()) {
        const auto group = object.find(spec.group());
        if (group == object.end() || !group->is_object())
            continue;
        const auto value = group->find(spec.key());
        if (value == group->end() || (value->is_null() && spec.optional))
            continue;
        const auto checked = checkValue(spec, rawFromJson(*value));
        if (checked) {
            spec.set(settings, *checked);
            continue;
        }
        auto problem = problemAt(
            prefix + std::string(spec.path), checked.error().message, checked.error().allowed);
        problem.value = value->dump();
        problem.suggestion = checked.error().suggestion;
        problems.push_back(std::move(problem));
    }
    return settings;
}

Precision readPrecision(const json& object, const std::string& prefix, Problems& problems)
{
    const auto text = readText(object, "precision", prefix + "precision", problems);
    if (const auto known = fromWord<Precision>(text))
        return *known;
    auto problem = problemAt(prefix + "precision", "is not known", variantKeys()[1].allowed());
    problem.value = quotedText(text);
    problems.push_back(std::move(problem));
    return Precision::Fp32;
}

void readOverrides(
    const json& object, Variant& variant, const std::string& prefix, Problems& problems)
{
    const auto found = object.find("overrides");
    if (found == object.end())
        return;
    const auto isPair = [](const json& item) {
        return item.is_array() && item.size() == 2 && item[0].is_string() && item[1].is_string();
    };
    if (!found->is_array() || !std::all_of(found->begin(), found->end(), isPair)) {
        problems.push_back(problemAt(
            prefix + "overrides", "must be a list of pairs", "[[\"train.lr\", \"3e-4\"], ...]"));
        return;
    }
    for (const auto& item : *found)
        variant.overrides.emplace_back(item[0].get<std::string>(), item[1].get<std::string>());
}

void readVariants(const json& object, ExperimentConfig& config, Problems& problems)
{
    const auto list = object.find("variant");
    if (list == object.end() || !list->is_array()) {
        problems.push_back(problemAt("variant", "must be a list", "a list of variants"));
        return;
    }
    for (const auto& item : *list) {
        const auto prefix = variantPath(config.variants.size(), "");
        if (!item.is_object()) {
            problems.push_back(problemAt(prefix, "must be an object", "an object"));
            continue;
        }
        Variant variant;
        variant.name = readText(item, "name", prefix + "name", problems);
        variant.precision = readPrecision(item, prefix, problems);
        readOverrides(item, variant, prefix, problems);
        config.variants.push_back(std::move(variant));
    }
}

tl::expected<ExperimentConfig, Problems> checked(ExperimentConfig config, Problems problems)
{
    if (!problems.empty())
        return tl::unexpected(std::move(problems));
    auto loaded = checkExperiment(std::move(config));
    if (!loaded.config)
        return tl::unexpected(std::move(loaded.problems));
    return std::move(*loaded.config);
}

} // namespace

nlohmann::json toJson(const Settings& settings)
{
    json out = json::object();
    for (const auto& spec : schemaKeys()) {
        auto value = jsonOf(spec.get(settings));
        out[std::string(spec.group())][std::string(spec.key())] = std::move(value);
    }
    return out;
}

nlohmann::json variantToJson(const Variant& variant)
{
    json out{{"name", variant.name}, {"precision", word(variant.precision)},
        {"settings", toJson(variant.settings)}};
    if (!variant.overrides.empty())
        out["overrides"] = variant.overrides;
    return out;
}

nlohmann::json toJson(const ExperimentConfig& config)
{
    json out = toJson(config.settings);
    out["name"] = config.name;
    out["description"] = config.description;
    out["variant"] = json::array();
    for (const auto& variant : config.variants)
        out["variant"].push_back(variantToJson(variant));
    return out;
}

tl::expected<ExperimentConfig, Problems> experimentFromJson(const nlohmann::json& object)
{
    if (!object.is_object())
        return tl::unexpected(Problems{problemAt("", "is not an experiment", "a JSON object")});
    Problems problems;
    ExperimentConfig config;
    config.name = readText(object, "name", "name", problems);
    if (const auto text = object.find("description"); text != object.end() && text->is_string())
        config.description = text->get<std::string>();
    config.settings = readSettings(object, "", problems);
    readVariants(object, config, problems);
    return checked(std::move(config), std::move(problems));
}

tl::expected<Variant, Problems> variantFromJson(const nlohmann::json& object)
{
    if (!object.is_object())
        return tl::unexpected(Problems{problemAt("", "is not a variant", "a JSON object")});
    Problems problems;
    ExperimentConfig config;
    config.variants.resize(1);
    auto& variant = config.variants.front();
    variant.name = readText(object, "name", "name", problems);
    variant.precision = readPrecision(object, "", problems);
    const auto settings = object.find("settings");
    if (settings == object.end() || !settings->is_object())
        problems.push_back(problemAt("settings", "must be an object", "the settings by group"));
    else
        config.settings = readSettings(*settings, "settings.", problems);
    Variant withOverrides;
    readOverrides(object, withOverrides, "", problems);
    config.name = variant.name;
    // The settings are resolved already: they are checked as the shared ones of one variant.
    auto result = checked(std::move(config), std::move(problems));
    if (!result)
        return tl::unexpected(std::move(result.error()));
    auto resolved = std::move(result->variants.front());
    resolved.overrides = std::move(withOverrides.overrides);
    return resolved;
}

} // namespace mantissa
