// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/draft.h"

#include "core/base/number_text.h"
#include "core/config/nearest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

constexpr std::size_t kMaxListLength = 64;

std::vector<std::string_view> truthWords()
{
    std::vector<std::string_view> words;
    words.emplace_back("true");
    words.emplace_back("false");
    return words;
}

Complaint wrongType(const KeySpec& spec, const RawValue& raw)
{
    Complaint complaint{
        fmt::format("must be {}, not {}", typeName(spec.type), raw.kind), spec.allowed(), {}};
    if (!raw.value)
        return complaint;
    const auto* number = std::get_if<double>(&*raw.value);
    if (spec.type == ValueType::Integer && number && std::abs(*number) < 9e15
        && std::nearbyint(*number) == *number)
        complaint.suggestion = fmt::format("{:.0f}", *number);
    const auto* text = std::get_if<std::string>(&*raw.value);
    const bool wantsNumber = spec.type == ValueType::Integer || spec.type == ValueType::Number;
    if (text && wantsNumber && parseDouble(*text))
        complaint.suggestion = *text;
    if (text && spec.type == ValueType::Bool)
        complaint.suggestion = nearest(*text, truthWords());
    return complaint;
}

tl::expected<SettingValue, Complaint> checkNumber(const KeySpec& spec, double number)
{
    if (!std::isfinite(number))
        return tl::unexpected(Complaint{
            fmt::format("must be a finite number, not {}", toText(number)), spec.allowed(), {}});
    if (!spec.range.contains(number))
        return tl::unexpected(Complaint{"is out of range", spec.allowed(), {}});
    return SettingValue(number);
}

tl::expected<SettingValue, Complaint> checkInteger(const KeySpec& spec, std::int64_t number)
{
    if (!spec.range.contains(static_cast<double>(number)))
        return tl::unexpected(Complaint{"is out of range", spec.allowed(), {}});
    return SettingValue(number);
}

tl::expected<SettingValue, Complaint> checkList(
    const KeySpec& spec, const std::vector<std::int64_t>& list)
{
    if (list.size() > kMaxListLength)
        return tl::unexpected(
            Complaint{fmt::format("has {} numbers", list.size()), spec.allowed(), {}});
    for (const auto item : list) {
        if (!spec.range.contains(static_cast<double>(item)))
            return tl::unexpected(
                Complaint{fmt::format("{} is out of range", item), spec.allowed(), {}});
    }
    return SettingValue(list);
}

tl::expected<SettingValue, Complaint> checkTexts(
    const KeySpec& spec, const std::vector<std::string>& list)
{
    if (list.size() > kMaxListLength)
        return tl::unexpected(
            Complaint{fmt::format("has {} texts", list.size()), spec.allowed(), {}});
    for (const auto& item : list) {
        if (item.empty() || firstInvalidUtf8(item) || item.find('\0') != std::string::npos)
            return tl::unexpected(
                Complaint{"has an empty text, or one that is not valid UTF-8", spec.allowed(), {}});
    }
    return SettingValue(list);
}

/// Words that other programs use for a choice of ours.
std::string suggestChoice(const KeySpec& spec, const std::string& word)
{
    constexpr std::pair<std::string_view, std::string_view> kAliases[]{{"float32", "fp32"},
        {"float16", "fp16"}, {"half", "fp16"}, {"bfloat16", "bf16"}, {"amp", "fp16"},
        {"fashion_mnist", "fashion-mnist"}, {"gpu", "cuda:0"}, {"on", "true"}, {"off", "false"}};
    for (const auto& [other, ours] : kAliases) {
        if (word == other && std::ranges::count(spec.choices, ours) > 0)
            return std::string(ours);
    }
    return nearest(word, spec.choices);
}

tl::expected<SettingValue, Complaint> checkChoice(const KeySpec& spec, const std::string& word)
{
    if (std::ranges::find(spec.choices, word) != spec.choices.end())
        return SettingValue(word);
    if (std::ranges::find(spec.notBuilt, word) != spec.notBuilt.end())
        return tl::unexpected(
            Complaint{"is known but not built in this version", spec.allowed(), {}});
    return tl::unexpected(Complaint{"is not known", spec.allowed(), suggestChoice(spec, word)});
}

tl::expected<SettingValue, Complaint> checkText(const KeySpec& spec, const std::string& text)
{
    if (firstInvalidUtf8(text))
        return tl::unexpected(Complaint{"is not valid UTF-8", "UTF-8 text", {}});
    if (text.find('\0') != std::string::npos)
        return tl::unexpected(Complaint{"contains a NUL byte", "text without it", {}});
    if (spec.fits && !spec.fits(text))
        return tl::unexpected(Complaint{"is not known", spec.allowed(), suggestChoice(spec, text)});
    return SettingValue(text);
}

ConfigProblem problemAt(const Given& place, const Complaint& complaint)
{
    return {Severity::Error, place.file, place.line, place.key, place.text, complaint.message,
        complaint.allowed, complaint.suggestion};
}

std::vector<std::string_view> keysOfGroup(std::string_view group)
{
    std::vector<std::string_view> names;
    for (const auto& spec : schemaKeys()) {
        if (spec.group() == group)
            names.push_back(spec.key());
    }
    return names;
}

/// Names that other programs use for a key of ours.
std::string alias(std::string_view key)
{
    constexpr std::pair<std::string_view, std::string_view> kAliases[]{
        {"learning_rate", "train.lr"}, {"wd", "train.weight_decay"},
        {"max_grad_norm", "train.clip_norm"}, {"grad_clip", "train.clip_norm"},
        {"gradient_accumulation_steps", "train.accumulate"}, {"max_steps", "train.steps"},
        {"num_epochs", "train.epochs"}, {"loss_scale", "scaler.init_scale"}, {"dtype", "precision"},
        {"device", "device.kind"}};
    for (const auto& [other, ours] : kAliases) {
        if (other == key)
            return std::string(ours);
    }
    return {};
}

/// The full path of a key that is called `name` in some group.
std::string sameNameElsewhere(std::string_view name)
{
    for (const auto& spec : schemaKeys()) {
        if (spec.key() == name)
            return std::string(spec.path);
    }
    return alias(name);
}

std::string suggestKey(std::string_view path, bool inVariant)
{
    const auto dot = path.find('.');
    if (dot == std::string_view::npos) {
        std::vector<std::string_view> names;
        for (const auto& spec : inVariant ? variantKeys() : experimentKeys())
            names.push_back(spec.path);
        if (auto elsewhere = sameNameElsewhere(path); !elsewhere.empty())
            return elsewhere;
        for (const auto& group : schemaGroups())
            names.push_back(group.name);
        names.push_back("variant");
        return nearest(path, names);
    }
    const auto key = path.substr(dot + 1);
    if (auto near = nearest(key, keysOfGroup(path.substr(0, dot))); !near.empty())
        return fmt::format("{}.{}", path.substr(0, dot), near);
    return sameNameElsewhere(key);
}

std::string allowedKeys(std::string_view path, bool inVariant)
{
    const auto dot = path.find('.');
    const auto group = path.substr(0, dot == std::string_view::npos ? 0 : dot);
    std::string text;
    for (const auto key : keysOfGroup(group))
        text += fmt::format("{}{}", text.empty() ? "" : ", ", key);
    if (!text.empty())
        return text;
    return inVariant ? "name, precision and dotted keys as train.lr"
                     : "name, description, the tables model, data, train, eval, device, autocast, "
                       "run, scaler, watch, debug and [[variant]]";
}

} // namespace

const Given* Layer::find(std::string_view path) const
{
    for (const auto& item : given) {
        if (item.spec->path == path)
            return &item;
    }
    return nullptr;
}

void Layer::put(Given value)
{
    remove(value.spec->path);
    given.push_back(std::move(value));
}

void Layer::remove(std::string_view path)
{
    std::erase_if(given, [path](const Given& item) { return item.spec->path == path; });
}

tl::expected<SettingValue, Complaint> checkValue(const KeySpec& spec, const RawValue& raw)
{
    if (!raw.value)
        return tl::unexpected(wrongType(spec, raw));
    const auto& value = *raw.value;
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (spec.type == ValueType::Number && integer)
        return checkNumber(spec, static_cast<double>(*integer));
    if (const auto* number = std::get_if<double>(&value); number && spec.type == ValueType::Number)
        return checkNumber(spec, *number);
    if (integer && spec.type == ValueType::Integer)
        return checkInteger(spec, *integer);
    if (const auto* flag = std::get_if<bool>(&value)) {
        // scaler.enabled is "auto" or a truth value.
        if (spec.type == ValueType::Choice && std::ranges::count(spec.choices, "true") > 0)
            return checkChoice(spec, *flag ? "true" : "false");
        if (spec.type == ValueType::Bool)
            return value;
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        if (spec.type == ValueType::Choice)
            return checkChoice(spec, *text);
        if (spec.type == ValueType::Text)
            return checkText(spec, *text);
    }
    const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
    if (list && spec.type == ValueType::IntegerList)
        return checkList(spec, *list);
    if (list && list->empty() && spec.type == ValueType::TextList)
        return SettingValue(std::vector<std::string>());
    const auto* texts = std::get_if<std::vector<std::string>>(&value);
    if (texts && spec.type == ValueType::TextList)
        return checkTexts(spec, *texts);
    return tl::unexpected(wrongType(spec, raw));
}

void addGiven(Layer& layer, std::vector<ConfigProblem>& problems, Given place, const RawValue& raw)
{
    auto checked = checkValue(*place.spec, raw);
    if (checked) {
        place.value = std::move(*checked);
        layer.put(std::move(place));
    } else {
        problems.push_back(problemAt(place, checked.error()));
    }
}

std::string variantPath(std::size_t index, std::string_view path)
{
    return fmt::format("variant[{}].{}", index, path);
}

ConfigProblem unknownKey(const Given& place, std::string_view path, bool inVariant)
{
    return problemAt(
        place, {"is not a known key", allowedKeys(path, inVariant), suggestKey(path, inVariant)});
}

std::optional<ConfigProblem> sharedKeyProblem(const Given& place)
{
    if (place.spec->sharedBecause.empty())
        return std::nullopt;
    return problemAt(place,
        {fmt::format("cannot differ between variants: {}", place.spec->sharedBecause),
            fmt::format("{} for the whole experiment", place.spec->path),
            std::string(place.spec->path)});
}

} // namespace mantissa
