// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/experiment/experiment_form.h"

#include "ui/experiment/field_text.h"
#include "ui/main_window/experiment_document.h"

#include <algorithm>

namespace mantissa::ui {

namespace {

/// "variant[1].train.lr" as 1 and "train.lr".
std::optional<std::pair<std::size_t, std::string>> variantKey(const std::string& key)
{
    const auto close = key.find("].");
    if (!key.starts_with("variant[") || close == std::string::npos)
        return std::nullopt;
    const auto digits = QString::fromStdString(key.substr(8, close - 8));
    bool isNumber = false;
    const auto index = digits.toUInt(&isNumber);
    if (!isNumber)
        return std::nullopt;
    return std::pair(std::size_t{index}, key.substr(close + 2));
}

bool isError(const ConfigProblem& problem)
{
    return problem.severity == Severity::Error;
}

} // namespace

ExperimentForm::ExperimentForm(ExperimentDocument& document, QObject* parent)
    : QObject(parent)
    , m_document(document)
{
    connect(&document, &ExperimentDocument::changed, this, [this] {
        if (!m_writing)
            load();
    });
    load();
}

void ExperimentForm::load()
{
    m_bad.clear();
    m_config = m_document.draft().value_or(ExperimentConfig());
    if (m_document.draft()) {
        takeBadTexts();
        takeBadOverrides();
    }
    m_editable = m_document.draft() && showsAllErrors();
    Q_EMIT variantsChanged();
    Q_EMIT changed();
}

void ExperimentForm::takeBadTexts()
{
    for (const auto& problem : m_document.problems()) {
        if (!isError(problem) || !findKey(problem.key))
            continue;
        Settings unchanged;
        if (!setSetting(unchanged, problem.key, problem.value))
            m_bad.emplace(problem.key, problem);
    }
}

/// A refused override is not in the draft: put it back, so that its field shows what is wrong.
void ExperimentForm::takeBadOverrides()
{
    for (const auto& problem : m_document.problems()) {
        const auto target = isError(problem) ? variantKey(problem.key) : std::nullopt;
        if (!target || target->first >= m_config.variants.size() || !findKey(target->second))
            continue;
        auto& overrides = m_config.variants[target->first].overrides;
        const bool isThere = std::ranges::any_of(
            overrides, [&](const auto& item) { return item.first == target->second; });
        if (!isThere)
            overrides.emplace_back(target->second, problem.value);
    }
}

bool ExperimentForm::showsAllErrors() const
{
    const auto again = checkExperiment(m_config);
    return std::ranges::all_of(m_document.problems(), [&](const ConfigProblem& problem) {
        const bool isShown = m_bad.count(problem.key) > 0
            || std::ranges::count(again.problems, problem.key, &ConfigProblem::key) > 0;
        return !isError(problem) || isShown;
    });
}

void ExperimentForm::write()
{
    std::vector<ConfigProblem> bad;
    for (const auto& [path, problem] : m_bad)
        bad.push_back(problem);
    m_writing = true;
    m_document.edit(m_config, bad);
    m_writing = false;
    Q_EMIT changed();
}

QString ExperimentForm::text(std::string_view path) const
{
    if (path == "name")
        return QString::fromStdString(m_config.name);
    if (path == "description")
        return QString::fromStdString(m_config.description);
    const auto* key = findKey(path);
    const auto bad = m_bad.find(path);
    if (bad != m_bad.end())
        return QString::fromStdString(bad->second.value);
    return key ? fieldText(*key, key->get(m_config.settings)) : QString();
}

void ExperimentForm::setText(std::string_view path, const QString& text)
{
    if (path == "name") {
        m_config.name = text.toStdString();
    } else if (path == "description") {
        m_config.description = text.toStdString();
    } else if (const auto* key = findKey(path)) {
        const std::string name(path);
        m_bad.erase(name);
        if (key->optional && text.trimmed().isEmpty())
            key->set(m_config.settings, Unset{});
        else if (auto set = setSetting(m_config.settings, name, fileText(*key, text)); !set) {
            set.error().file = m_document.file().string();
            set.error().value = text.toStdString();
            m_bad.emplace(name, std::move(set.error()));
        }
    }
    write();
}

QString ExperimentForm::whyUnused(const KeySpec& key) const
{
    auto config = m_config;
    // The variants' own settings are resolved only in a checked config.
    if (const auto& valid = m_document.experiment())
        config.variants = valid->variants;
    else
        for (auto& variant : config.variants)
            variant.settings = config.settings;
    return QString::fromStdString(mantissa::whyUnused(key, config));
}

std::optional<ConfigProblem> ExperimentForm::problem(std::string_view path) const
{
    std::optional<ConfigProblem> found;
    for (const auto& problem : m_document.problems()) {
        if (problem.key != path)
            continue;
        if (isError(problem))
            return problem;
        const bool isSaid = problem.message.find("has no effect") != std::string::npos;
        if (!found && !isSaid)
            found = problem;
    }
    return found;
}

void ExperimentForm::setVariantName(std::size_t index, const QString& name)
{
    m_config.variants[index].name = name.toStdString();
    write();
}

void ExperimentForm::setPrecision(std::size_t index, Precision precision)
{
    auto& variant = m_config.variants[index];
    // A name that only repeats the precision follows it.
    if (variant.name == toString(variant.precision)) {
        variant.name.clear();
        variant.name = freeName(std::string(toString(precision)));
    }
    variant.precision = precision;
    write();
    Q_EMIT variantsChanged();
}

std::string ExperimentForm::freeName(const std::string& wanted) const
{
    auto name = wanted;
    const auto isTaken = [&] {
        return std::ranges::count(m_config.variants, name, &Variant::name) > 0;
    };
    for (int i = 2; isTaken(); ++i)
        name = wanted + "-" + std::to_string(i);
    return name;
}

void ExperimentForm::addVariant()
{
    Variant variant;
    for (const auto precision : {Precision::Fp32, Precision::Bf16, Precision::Fp16}) {
        variant.precision = precision;
        if (std::ranges::count(m_config.variants, precision, &Variant::precision) == 0)
            break;
    }
    variant.name = freeName(std::string(toString(variant.precision)));
    variant.settings = m_config.settings;
    m_config.variants.push_back(std::move(variant));
    write();
    Q_EMIT variantsChanged();
}

void ExperimentForm::duplicateVariant(std::size_t index)
{
    auto copy = m_config.variants[index];
    copy.name = freeName(copy.name);
    const auto after = m_config.variants.begin() + static_cast<std::ptrdiff_t>(index) + 1;
    m_config.variants.insert(after, std::move(copy));
    write();
    Q_EMIT variantsChanged();
}

void ExperimentForm::removeVariant(std::size_t index)
{
    m_config.variants.erase(m_config.variants.begin() + static_cast<std::ptrdiff_t>(index));
    write();
    Q_EMIT variantsChanged();
}

void ExperimentForm::makeBaseline(std::size_t index)
{
    const auto first = m_config.variants.begin();
    std::rotate(first, first + static_cast<std::ptrdiff_t>(index),
        first + static_cast<std::ptrdiff_t>(index) + 1);
    write();
    Q_EMIT variantsChanged();
}

std::vector<const KeySpec*> ExperimentForm::freeKeys(std::size_t index) const
{
    const auto& overrides = m_config.variants[index].overrides;
    std::vector<const KeySpec*> keys;
    for (const auto& key : schemaKeys()) {
        const bool isThere = std::ranges::any_of(
            overrides, [&](const auto& item) { return item.first == key.path; });
        if (key.sharedBecause.empty() && !isThere)
            keys.push_back(&key);
    }
    return keys;
}

void ExperimentForm::addOverride(std::size_t index, const KeySpec& key)
{
    auto text = toTomlText(key.get(m_config.settings));
    if (text.empty()) // an unset floor or ceiling: begin where it changes nothing yet
        text = toTomlText(SettingValue(m_config.settings.scaler.initScale));
    m_config.variants[index].overrides.emplace_back(key.path, std::move(text));
    write();
    Q_EMIT variantsChanged();
}

void ExperimentForm::setOverride(std::size_t index, std::size_t position, const QString& text)
{
    auto& [path, value] = m_config.variants[index].overrides[position];
    const auto* key = findKey(path);
    value = key ? fileText(*key, text) : text.toStdString();
    const bool isWord = key && key->type == ValueType::Choice;
    // Words stand in quotes in a file; a truth value of scaler.enabled may do without.
    if (isWord && value != "true" && value != "false" && !value.starts_with('"'))
        value = quotedText(value);
    write();
}

void ExperimentForm::setOverride(std::size_t index, std::string_view path, const QString& text)
{
    const auto& overrides = m_config.variants[index].overrides;
    const auto found =
        std::ranges::find(overrides, path, &std::pair<std::string, std::string>::first);
    const auto position = static_cast<std::size_t>(found - overrides.begin());
    if (found == overrides.end()) {
        const auto* key = findKey(path);
        if (!key)
            return;
        addOverride(index, *key);
    }
    setOverride(index, position, text);
    Q_EMIT variantsChanged();
}

void ExperimentForm::removeOverride(std::size_t index, std::size_t position)
{
    auto& overrides = m_config.variants[index].overrides;
    overrides.erase(overrides.begin() + static_cast<std::ptrdiff_t>(position));
    write();
    Q_EMIT variantsChanged();
}

QString ExperimentForm::overrideText(std::size_t index, std::size_t position) const
{
    const auto& [path, value] = m_config.variants[index].overrides[position];
    Settings settings;
    const auto* key = findKey(path);
    if (key && setSetting(settings, path, value))
        return fieldText(*key, key->get(settings));
    return QString::fromStdString(value);
}

std::vector<ConfigOverride> ExperimentForm::badTexts() const
{
    std::vector<ConfigOverride> texts;
    for (const auto& [path, problem] : m_bad)
        texts.push_back({path, problem.value});
    return texts;
}

} // namespace mantissa::ui
