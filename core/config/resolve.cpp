// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/draft.h"
#include "core/config/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace mantissa {

namespace {

constexpr std::size_t kMostVariants = 16;
constexpr std::size_t kLongestName = 64;

void applyLayer(Settings& settings, const Layer& layer)
{
    for (const auto& given : layer.given) {
        if (given.spec->set)
            given.spec->set(settings, given.value);
    }
    if (layer.find("train.steps") && !layer.find("train.epochs"))
        settings.train.epochs = 0;
    // With epochs the steps follow from the data; one value keeps equal configs equal.
    if (settings.train.epochs > 0)
        settings.train.steps = TrainConfig{}.steps;
}

std::string textAt(const Layer& layer, std::string_view path)
{
    const auto* given = layer.find(path);
    return given ? std::get<std::string>(given->value) : std::string();
}

Variant resolveVariant(const Settings& shared, const Layer& layer)
{
    Variant variant;
    variant.name = textAt(layer, "name");
    variant.precision = fromWord<Precision>(textAt(layer, "precision")).value_or(Precision::Fp32);
    variant.settings = shared;
    applyLayer(variant.settings, layer);
    for (const auto& given : layer.given) {
        if (given.spec->set)
            variant.overrides.emplace_back(given.spec->path, given.text);
    }
    return variant;
}

bool hasProblemAt(const Draft& draft, std::string_view key)
{
    return std::ranges::count(draft.problems, key, &ConfigProblem::key) > 0;
}

void addProblem(
    Draft& draft, int line, std::string key, Complaint complaint, std::string value = {})
{
    draft.problems.push_back({Severity::Error, draft.file, line, std::move(key), std::move(value),
        std::move(complaint.message), std::move(complaint.allowed),
        std::move(complaint.suggestion)});
}

bool isControl(char c)
{
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

/// `name` without what a name may not have.
std::string cleaned(std::string_view name)
{
    std::string out;
    for (const char c : name.substr(0, kLongestName)) {
        const bool odd = isControl(c) || c == '/' || c == '\\' || c == '"' || c == '\'';
        if (!odd || c == '/')
            out += odd ? '-' : c;
    }
    const auto first = out.find_first_not_of(" -.");
    if (first == std::string::npos || firstInvalidUtf8(out))
        return {};
    return out.substr(first, out.find_last_not_of(' ') - first + 1);
}

void checkName(Draft& draft, const Layer& layer, int line, const std::string& key,
    const std::string& ifMissing)
{
    constexpr std::string_view kAllowed =
        "1 to 64 bytes of text that begins with a letter or digit; "
        "no quotes, slashes or control characters";
    const auto* given = layer.find("name");
    if (!given) {
        if (!hasProblemAt(draft, key))
            addProblem(draft, line, key, {"is missing", std::string(kAllowed), ifMissing});
        return;
    }
    const auto& name = std::get<std::string>(given->value);
    const auto good = cleaned(name);
    if (good == name && !name.empty())
        return;
    const std::string_view what = name.empty() ? "is empty"
        : name.size() > kLongestName           ? "is too long"
                                               : "has characters that a name may not have";
    draft.problems.push_back({Severity::Error, given->file, given->line, key, given->text,
        std::string(what), std::string(kAllowed), name.empty() ? ifMissing : good});
}

void checkPrecisionGiven(Draft& draft, std::size_t index)
{
    const auto& variant = draft.variants[index];
    const auto key = variantPath(index, "precision");
    if (!variant.layer.find("precision") && !hasProblemAt(draft, key))
        addProblem(draft, variant.line, key, {"is missing", variantKeys()[1].allowed(), {}});
}

void checkUniqueNames(Draft& draft)
{
    for (std::size_t i = 0; i < draft.variants.size(); ++i) {
        const auto* given = draft.variants[i].layer.find("name");
        for (std::size_t j = 0; given && j < i; ++j) {
            const auto* other = draft.variants[j].layer.find("name");
            if (!other || other->value != given->value)
                continue;
            draft.problems.push_back(
                {Severity::Error, given->file, given->line, variantPath(i, "name"), given->text,
                    fmt::format("is also the name of variant[{}]", j), "a name of its own", {}});
            break;
        }
    }
}

void checkVariants(Draft& draft)
{
    const auto count = draft.variants.size();
    if (count == 0 && !draft.variantsUnreadable)
        addProblem(draft, 0, "variant",
            {"is missing: nothing to train", "at least one [[variant]] with name and precision",
                "[[variant]]"});
    if (count > kMostVariants)
        addProblem(draft, draft.variants[kMostVariants].line, "variant",
            {fmt::format("there are {} variants", count), fmt::format("1 to {}", kMostVariants),
                {}});
    for (std::size_t i = 0; i < count; ++i) {
        const auto& variant = draft.variants[i];
        checkName(draft, variant.layer, variant.line, variantPath(i, "name"),
            textAt(variant.layer, "precision"));
        checkPrecisionGiven(draft, i);
    }
    checkUniqueNames(draft);
}

void checkDescription(Draft& draft)
{
    constexpr std::size_t kLongestDescription = 10'000;
    const auto* given = draft.shared.find("description");
    if (!given || std::get<std::string>(given->value).size() <= kLongestDescription)
        return;
    draft.problems.push_back({Severity::Error, given->file, given->line, "description",
        given->text.substr(0, 40) + "...", "is too long", "at most 10,000 bytes", {}});
}

/// Lines first, then what has no line, then the command line; equal places as they were found.
void sortProblems(std::vector<ConfigProblem>& problems)
{
    const auto rank = [](const ConfigProblem& problem) {
        const bool isOverride = problem.file == "--set";
        const int line = problem.line > 0 ? problem.line : std::numeric_limits<int>::max();
        return std::pair(isOverride, line);
    };
    std::ranges::stable_sort(problems, {}, rank);
}

std::string fileStem(const std::string& file)
{
    return cleaned(std::filesystem::path(file).stem().string());
}

} // namespace

LoadedConfig resolveDraft(Draft draft)
{
    const auto isError = [](const ConfigProblem& p) { return p.severity == Severity::Error; };
    const bool unreadable = std::ranges::any_of(
        draft.problems, [](const ConfigProblem& p) { return p.allowed == "TOML 1.0"; });
    ExperimentConfig config;
    if (!unreadable) {
        checkName(draft, draft.shared, 1, "name", fileStem(draft.file));
        checkDescription(draft);
        checkVariants(draft);
        config.name = textAt(draft.shared, "name");
        config.description = textAt(draft.shared, "description");
        applyLayer(config.settings, draft.shared);
        for (const auto& variant : draft.variants)
            config.variants.push_back(resolveVariant(config.settings, variant.layer));
        checkRules(draft, config);
    }
    sortProblems(draft.problems);
    LoadedConfig loaded;
    if (!unreadable)
        loaded.draft = config;
    if (std::ranges::none_of(draft.problems, isError))
        loaded.config = std::move(config);
    loaded.problems = std::move(draft.problems);
    return loaded;
}

} // namespace mantissa
