// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "core/config/draft.h"

#include <algorithm>
#include <fmt/format.h>

namespace mantissa {

namespace {

/// "variant[1].train.lr" or "variant.fp16.train.lr" cut into the variant's index and the rest.
struct VariantTarget {
    std::optional<std::size_t> index;
    std::string path;
};

std::optional<std::size_t> variantNamed(const Draft& draft, std::string_view name)
{
    for (std::size_t i = 0; i < draft.variants.size(); ++i) {
        const auto* given = draft.variants[i].layer.find("name");
        if (given && std::get<std::string>(given->value) == name)
            return i;
    }
    return std::nullopt;
}

/// The index after the last variant appends one.
std::optional<std::size_t> variantAt(const Draft& draft, std::string_view digits)
{
    const auto index = parseInt(digits);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) > draft.variants.size())
        return std::nullopt;
    return static_cast<std::size_t>(*index);
}

VariantTarget targetOf(const Draft& draft, std::string_view path)
{
    if (const auto close = path.find("]."); path.starts_with("variant[") && close != path.npos)
        return {variantAt(draft, path.substr(8, close - 8)), std::string(path.substr(close + 2))};
    const auto rest = path.substr(std::min<std::size_t>(path.size(), 8));
    // A name may contain points itself: take the longest that a variant has.
    for (auto dot = rest.rfind('.'); dot != rest.npos && dot > 0; dot = rest.rfind('.', dot - 1)) {
        if (const auto index = variantNamed(draft, rest.substr(0, dot)))
            return {index, std::string(rest.substr(dot + 1))};
    }
    return {};
}

std::string variantNames(const Draft& draft)
{
    std::string names;
    for (std::size_t i = 0; i < draft.variants.size(); ++i)
        names += fmt::format("{}variant[{}]", i > 0 ? ", " : "", i);
    return fmt::format(
        "{}{}variant[{}] to add one", names, names.empty() ? "" : ", ", draft.variants.size());
}

/// `--set` decides between steps and epochs: the last one given counts.
void dropOtherLength(Layer& layer, const Given& place)
{
    if (place.spec->path == "train.epochs" && std::get<std::int64_t>(place.value) > 0)
        layer.remove("train.steps");
    if (place.spec->path == "train.steps")
        layer.remove("train.epochs");
}

void overrideKey(Draft& draft, Layer& layer, Given place, std::string_view path, bool inVariant)
{
    const auto& outer = inVariant ? variantKeys() : experimentKeys();
    const auto found = std::ranges::find(outer, path, &KeySpec::path);
    place.spec = found != outer.end() ? &*found : findKey(path);
    if (!place.spec) {
        draft.problems.push_back(unknownKey(place, path, inVariant));
        return;
    }
    if (auto problem = inVariant ? sharedKeyProblem(place) : std::nullopt) {
        draft.problems.push_back(std::move(*problem));
        return;
    }
    const auto raw = rawFromText(*place.spec, place.text);
    if (checkValue(*place.spec, raw)) {
        // What the file says there does not count any more, right or wrong.
        std::erase_if(
            draft.problems, [&](const ConfigProblem& problem) { return problem.key == place.key; });
    }
    addGiven(layer, draft.problems, place, raw);
    const auto* now = layer.find(path);
    if (now && now->file == place.file)
        dropOtherLength(layer, *now);
}

} // namespace

void applyOverride(Draft& draft, const ConfigOverride& override)
{
    Given place;
    place.file = "--set";
    place.key = override.path;
    place.text = override.value;
    const std::string_view path = override.path;
    if (!path.starts_with("variant[") && !path.starts_with("variant.")) {
        overrideKey(draft, draft.shared, std::move(place), path, false);
        return;
    }
    const auto target = targetOf(draft, path);
    if (!target.index) {
        draft.problems.push_back({Severity::Error, place.file, 0, place.key, place.text,
            "names no variant", variantNames(draft) + ", or variant.NAME", {}});
        return;
    }
    if (*target.index == draft.variants.size())
        draft.variants.emplace_back();
    auto& layer = draft.variants[*target.index].layer;
    overrideKey(draft, layer, std::move(place), target.path, true);
}

tl::expected<void, ConfigProblem> setSetting(
    Settings& settings, const std::string& path, const std::string& text)
{
    Draft draft;
    Given place;
    place.key = path;
    place.text = text;
    overrideKey(draft, draft.shared, std::move(place), path, false);
    if (!draft.problems.empty())
        return tl::unexpected(draft.problems.front());
    for (const auto& given : draft.shared.given) {
        if (given.spec->set)
            given.spec->set(settings, given.value);
    }
    return {};
}

std::optional<ConfigProblem> overrideProblem(const std::string& path, const std::string& text)
{
    Draft draft;
    Layer layer;
    Given place;
    place.key = path;
    place.text = text;
    overrideKey(draft, layer, std::move(place), path, true);
    if (draft.problems.empty())
        return std::nullopt;
    return draft.problems.front();
}

std::optional<ConfigOverride> parseOverride(std::string_view text)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return std::nullopt;
    const auto trim = [](std::string_view part) {
        const auto first = part.find_first_not_of(" \t");
        return first == part.npos
            ? std::string()
            : std::string(part.substr(first, part.find_last_not_of(" \t") - first + 1));
    };
    ConfigOverride override{trim(text.substr(0, equals)), trim(text.substr(equals + 1))};
    if (override.path.empty())
        return std::nullopt;
    return override;
}

} // namespace mantissa
