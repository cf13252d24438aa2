// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "core/report/export.h"
#include "core/report/text_file.h"

namespace mantissa {

namespace {

std::string dumped(const nlohmann::json& json, int indent)
{
    return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json eventToJson(const LifecycleEvent& event)
{
    nlohmann::json json{{"kind", event.kind}, {"time_s", numberToJson(event.timeS)},
        {"message", event.message}, {"data", event.data}};
    json["step"] = event.step ? nlohmann::json(*event.step) : nlohmann::json();
    return json;
}

nlohmann::json seriesToJson(const SeriesRecord& record, const SeriesSlice& slice)
{
    auto values = nlohmann::json::array();
    for (const double value : slice.y)
        values.push_back(numberToJson(value));
    auto at = nlohmann::json::array();
    for (const double x : slice.x) {
        if (record.axis == Axis::Step)
            at.push_back(static_cast<std::int64_t>(x));
        else
            at.push_back(numberToJson(x));
    }
    const bool isStep = record.axis == Axis::Step;
    return {{"unit", record.unit}, {"axis", isStep ? "step" : "time"},
        {isStep ? "step" : "time", std::move(at)}, {"value", std::move(values)}};
}

} // namespace

Result<nlohmann::json> runExportJson(const RunStore& store, std::int64_t run)
{
    const auto record = store.run(run);
    if (!record)
        return tl::unexpected(record.error());
    const auto events = store.events(run);
    if (!events)
        return tl::unexpected(events.error());
    const auto all = store.series(run);
    if (!all)
        return tl::unexpected(all.error());

    auto json = runToJson(*record);
    json["config"] = record->config;
    json["environment"] = record->environment;
    json["events"] = nlohmann::json::array();
    for (const auto& event : *events)
        json["events"].push_back(eventToJson(event));
    json["series"] = nlohmann::json::object();
    for (const auto& series : *all) {
        const auto slice = store.readSeries(run, series.name);
        if (!slice)
            return tl::unexpected(slice.error());
        json["series"][series.name] = seriesToJson(series, *slice);
    }
    return json;
}

Result<void> exportJson(
    const RunStore& store, const std::vector<std::int64_t>& runs, const std::filesystem::path& file)
{
    nlohmann::json json{{"runs", nlohmann::json::array()}};
    for (const auto id : runs) {
        auto run = runExportJson(store, id);
        if (!run)
            return tl::unexpected(run.error());
        json["runs"].push_back(std::move(*run));
    }
    return writeTextFile(file, dumped(json, -1) + "\n");
}

} // namespace mantissa
