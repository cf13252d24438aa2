// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_details.h"

#include "core/base/human_text.h"
#include "core/base/number_text.h"
#include "ui/runs/run_columns.h"

#include <QDateTime>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

namespace mantissa::ui {

namespace {

using Describe = std::function<QString(const RunRecord&)>;

const QString kNothing = QStringLiteral("none");

QString textOrNone(const std::string& value)
{
    return value.empty() ? kNothing : toQString(value);
}

QString timeText(std::int64_t unixMs)
{
    if (unixMs <= 0)
        return kNothing;
    return QDateTime::fromMSecsSinceEpoch(unixMs).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString count(std::int64_t value)
{
    return toQString(groupedText(value));
}

DetailRow row(const QString& key, QStringList values)
{
    const bool differs =
        std::any_of(values.begin(), values.end(), [&](const QString& v) { return v != values[0]; });
    return {key, std::move(values), differs};
}

DetailRow row(const QString& key, const std::vector<RunRecord>& runs, const Describe& describe)
{
    QStringList values;
    for (const RunRecord& run : runs)
        values.append(describe(run));
    return row(key, std::move(values));
}

DetailSection runSection(const std::vector<RunRecord>& runs)
{
    DetailSection section{QStringLiteral("Run"), {}};
    const auto add = [&](const char* key, const Describe& describe) {
        section.rows.push_back(row(QString::fromUtf8(key), runs, describe));
    };
    add("state", [](const RunRecord& run) { return toQString(toString(run.state)); });
    add("reason", [](const RunRecord& run) { return textOrNone(run.reason); });
    add("experiment", [](const RunRecord& run) { return textOrNone(run.experiment); });
    add("comparison", [](const RunRecord& run) { return QString::number(run.comparisonId); });
    add("variant", [](const RunRecord& run) { return textOrNone(run.variant); });
    add("precision", [](const RunRecord& run) { return textOrNone(run.precision); });
    add("repetition", [](const RunRecord& run) { return QString::number(run.repetition + 1); });
    add("seed", [](const RunRecord& run) { return QString::number(run.seed); });
    add("started", [](const RunRecord& run) { return timeText(run.startedMs); });
    add("ended", [](const RunRecord& run) { return timeText(run.endedMs); });
    add("duration", [](const RunRecord& run) { return cellText(run, RunColumn::Duration); });
    return section;
}

QString quartileText(const RunSummary& summary)
{
    if (!summary.stepMs)
        return kNothing;
    return toQString(
        durationText(summary.stepMs->lower) + " to " + durationText(summary.stepMs->upper));
}

QString ifMeasured(const std::optional<double>& value, std::string (*describe)(double))
{
    return value ? toQString(describe(*value)) : kNothing;
}

DetailSection resultSection(const std::vector<RunRecord>& runs)
{
    DetailSection section{QStringLiteral("Result"), {}};
    const auto add = [&](const char* key, const Describe& describe) {
        section.rows.push_back(row(QString::fromUtf8(key), runs, describe));
    };
    add("steps attempted", [](const RunRecord& run) { return count(run.stepsAttempted); });
    add("steps applied", [](const RunRecord& run) { return count(run.stepsApplied); });
    add("steps skipped", [](const RunRecord& run) { return count(run.stepsSkipped); });
    add("final loss",
        [](const RunRecord& run) { return ifMeasured(run.summary.finalLoss, lossText); });
    add("non-finite losses",
        [](const RunRecord& run) { return count(run.summary.nonFiniteLosses); });
    add("validation",
        [](const RunRecord& run) { return ifMeasured(run.summary.finalMetric, percentText); });
    add("step time", [](const RunRecord& run) {
        return run.summary.stepMs ? toQString(durationText(run.summary.stepMs->median)) : kNothing;
    });
    add("step time, quartiles", [](const RunRecord& run) { return quartileText(run.summary); });
    add("samples/s", [](const RunRecord& run) {
        return run.summary.samplesPerSecond
            ? toQString(significantText(*run.summary.samplesPerSecond, 3))
            : kNothing;
    });
    add("steps measured", [](const RunRecord& run) { return count(run.summary.stepsMeasured); });
    add("peak memory",
        [](const RunRecord& run) { return ifMeasured(run.summary.peakMemoryBytes, bytesText); });
    add("final scale",
        [](const RunRecord& run) { return ifMeasured(run.summary.finalScale, scaleText); });
    add("points not stored", [](const RunRecord& run) { return count(run.samplesLost); });
    return section;
}

QString leafText(const nlohmann::json& value)
{
    if (value.is_string())
        return textOrNone(value.get<std::string>());
    if (value.is_null())
        return kNothing;
    if (value.is_boolean())
        return value.get<bool>() ? QStringLiteral("true") : QStringLiteral("false");
    if (value.is_number_integer())
        return toQString(value.dump());
    if (value.is_number())
        return toQString(toText(value.get<double>()));
    // Ill-formed UTF-8 of a foreign worker must not throw here.
    return toQString(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void flatten(const nlohmann::json& json, const QString& path,
    std::vector<std::pair<QString, QString>>& leaves)
{
    if (!json.is_object() || json.empty()) {
        if (!path.isEmpty())
            leaves.emplace_back(path, json.is_object() ? kNothing : leafText(json));
        return;
    }
    for (const auto& [key, value] : json.items())
        flatten(value, path.isEmpty() ? toQString(key) : path + QLatin1Char('.') + toQString(key),
            leaves);
}

/// The keys of all runs, in the order in which they are first met.
DetailSection jsonSection(const QString& title, const std::vector<RunRecord>& runs,
    const nlohmann::json& (*of)(const RunRecord&))
{
    std::vector<QString> keys;
    std::vector<std::map<QString, QString>> maps;
    for (const RunRecord& run : runs) {
        auto& map = maps.emplace_back();
        for (auto& [key, value] : flattened(of(run))) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                keys.push_back(key);
            map[key] = value;
        }
    }
    DetailSection section{title, {}};
    for (const QString& key : keys) {
        QStringList values;
        for (const auto& map : maps) {
            const auto found = map.find(key);
            values.append(found == map.end() ? kNothing : found->second);
        }
        section.rows.push_back(row(key, std::move(values)));
    }
    return section;
}

} // namespace

std::vector<std::pair<QString, QString>> flattened(const nlohmann::json& json)
{
    std::vector<std::pair<QString, QString>> leaves;
    flatten(json, {}, leaves);
    return leaves;
}

std::vector<DetailSection> runDetails(const std::vector<RunRecord>& runs)
{
    if (runs.empty())
        return {};
    std::vector<DetailSection> sections{runSection(runs), resultSection(runs),
        jsonSection(QStringLiteral("Settings"), runs,
            [](const RunRecord& run) -> const nlohmann::json& { return run.config; }),
        jsonSection(QStringLiteral("Environment"), runs,
            [](const RunRecord& run) -> const nlohmann::json& { return run.environment; })};
    std::erase_if(sections, [](const DetailSection& section) { return section.rows.empty(); });
    return sections;
}

std::pair<int, int> differenceCounts(const std::vector<DetailSection>& sections)
{
    int differing = 0;
    int equal = 0;
    for (const auto& section : sections) {
        for (const auto& detail : section.rows)
            ++(detail.differs ? differing : equal);
    }
    return {differing, equal};
}

} // namespace mantissa::ui
