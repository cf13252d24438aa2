// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/config_io.h"
#include "core/config/schema.h"
#include "core/config/words.h"

#include <fmt/format.h>

namespace mantissa {

namespace {

std::string textOf(const KeySpec& spec, const SettingValue& value)
{
    const auto* choice = std::get_if<std::string>(&value);
    const bool isTruth =
        spec.type == ValueType::Choice && choice && (*choice == "true" || *choice == "false");
    return isTruth ? *choice : toTomlText(value);
}

bool isWritten(const KeySpec& spec, const Settings& settings)
{
    if (spec.path == "train.steps")
        return settings.train.epochs == 0;
    if (spec.path == "model.kind" || spec.path == "data.source")
        return true;
    return spec.get(settings) != spec.get(Settings{});
}

std::string groupText(const GroupSpec& group, const Settings& settings)
{
    std::string lines;
    for (const auto& spec : schemaKeys()) {
        if (spec.group() == group.name && isWritten(spec, settings))
            lines += fmt::format("{} = {}\n", spec.key(), textOf(spec, spec.get(settings)));
    }
    return lines.empty() ? lines : fmt::format("\n[{}]\n{}", group.name, lines);
}

std::string variantText(const Variant& variant)
{
    auto text = fmt::format("\n[[variant]]\nname = {}\nprecision = {}\n", quotedText(variant.name),
        quotedText(word(variant.precision)));
    for (const auto& [path, value] : variant.overrides)
        text += fmt::format("{} = {}\n", path, value);
    return text;
}

} // namespace

std::string toToml(const ExperimentConfig& config)
{
    auto text = fmt::format("name = {}\n", quotedText(config.name));
    if (!config.description.empty())
        text += fmt::format("description = {}\n", quotedText(config.description));
    for (const auto& group : schemaGroups())
        text += groupText(group, config.settings);
    for (const auto& variant : config.variants)
        text += variantText(variant);
    return text;
}

} // namespace mantissa
