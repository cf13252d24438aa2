// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "core/report/report_model.h"

#include <algorithm>
#include <map>
#include <vector>

namespace mantissa {

namespace {

using Facts = std::vector<ReportFact>;

std::string valueText(const nlohmann::json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_boolean())
        return value.get<bool>() ? "yes" : "no";
    if (value.is_number_float())
        return toText(value.get<double>());
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool saysNothing(const nlohmann::json& value)
{
    return value.empty() || (value.is_string() && value.get_ref<const std::string&>().empty());
}

/// Nested objects as dotted keys, in the order of the JSON.
void flatten(const nlohmann::json& json, const std::string& prefix, Facts& facts)
{
    for (const auto& [key, value] : json.items()) {
        const auto path = prefix.empty() ? key : prefix + "." + key;
        if (value.is_object())
            flatten(value, path, facts);
        else if (!saysNothing(value))
            facts.push_back({path, valueText(value)});
    }
}

const std::string* find(const Facts& facts, const std::string& key)
{
    const auto at = std::find_if(
        facts.begin(), facts.end(), [&](const ReportFact& fact) { return fact.key == key; });
    return at == facts.end() ? nullptr : &at->value;
}

/// Every key of any column, in the order in which they appear.
std::vector<std::string> allKeys(const std::vector<Facts>& columns)
{
    std::vector<std::string> keys;
    std::map<std::string, bool> seen;
    for (const auto& facts : columns) {
        for (const auto& fact : facts) {
            if (seen.emplace(fact.key, true).second)
                keys.push_back(fact.key);
        }
    }
    return keys;
}

ReportFacts compare(const std::vector<Facts>& columns)
{
    ReportFacts result;
    for (const auto& key : allKeys(columns)) {
        ReportRow row{key, {}};
        bool same = true;
        const auto* first = find(columns.front(), key);
        for (const auto& facts : columns) {
            const auto* value = find(facts, key);
            same = same && value && first && *value == *first;
            row.cells.push_back(
                value ? ReportCell{*value, "", false} : ReportCell{"none", "", true});
        }
        if (same)
            result.shared.push_back({key, *first});
        else
            result.different.push_back(std::move(row));
    }
    return result;
}

} // namespace

ReportFacts settingFacts(const std::vector<ReportColumn>& columns)
{
    std::vector<Facts> all;
    for (const auto& column : columns) {
        Facts facts{{"precision", column.run.precision}};
        if (column.run.config.is_object() && column.run.config.contains("settings"))
            flatten(column.run.config["settings"], "", facts);
        all.push_back(std::move(facts));
    }
    return compare(all);
}

/// The probe's times differ from run to run; their classes say what matters.
bool isTiming(const ReportFact& fact)
{
    return fact.key.starts_with("formats.")
        && (fact.key.ends_with(".ms") || fact.key.ends_with(".factor"));
}

ReportFacts environmentFacts(const std::vector<ReportColumn>& columns)
{
    std::vector<Facts> all;
    for (const auto& column : columns) {
        Facts facts;
        if (column.run.environment.is_object())
            flatten(column.run.environment, "", facts);
        std::erase_if(facts, isTiming);
        all.push_back(std::move(facts));
    }
    return compare(all);
}

} // namespace mantissa
