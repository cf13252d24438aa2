// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/draft.h"
#include "core/config/words.h"

namespace mantissa {

namespace {

void addValue(Draft& draft, Layer& layer, const KeySpec& spec, std::string key, SettingValue value)
{
    Given place;
    place.spec = &spec;
    place.key = std::move(key);
    place.text = toTomlText(value);
    place.file = draft.file;
    addGiven(layer, draft.problems, std::move(place), {std::move(value), "a value"});
}

void addSettings(Draft& draft, const Settings& settings)
{
    const Settings defaults;
    for (const auto& spec : schemaKeys()) {
        const bool isMoot = spec.path == "train.steps" && settings.train.epochs > 0;
        auto value = spec.get(settings);
        if (!isMoot && value != spec.get(defaults))
            addValue(draft, draft.shared, spec, std::string(spec.path), std::move(value));
    }
}

void addOverride(Draft& draft, VariantDraft& variant, std::size_t index, const std::string& path,
    const std::string& text)
{
    Given place;
    place.key = variantPath(index, path);
    place.text = text;
    place.file = draft.file;
    place.spec = findKey(path);
    if (!place.spec) {
        draft.problems.push_back(unknownKey(place, path, true));
        return;
    }
    if (auto problem = sharedKeyProblem(place)) {
        draft.problems.push_back(std::move(*problem));
        return;
    }
    const auto raw = rawFromText(*place.spec, text);
    addGiven(variant.layer, draft.problems, std::move(place), raw);
}

} // namespace

Draft draftOf(const ExperimentConfig& config, const std::string& fileName)
{
    Draft draft;
    draft.file = fileName;
    addValue(draft, draft.shared, experimentKeys()[0], "name", config.name);
    addValue(draft, draft.shared, experimentKeys()[1], "description", config.description);
    addSettings(draft, config.settings);
    for (std::size_t i = 0; i < config.variants.size(); ++i) {
        const auto& from = config.variants[i];
        VariantDraft variant;
        addValue(draft, variant.layer, variantKeys()[0], variantPath(i, "name"), from.name);
        addValue(draft, variant.layer, variantKeys()[1], variantPath(i, "precision"),
            std::string(word(from.precision)));
        for (const auto& [path, text] : from.overrides)
            addOverride(draft, variant, i, path, text);
        draft.variants.push_back(std::move(variant));
    }
    return draft;
}

} // namespace mantissa
