// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "core/report/export.h"
#include "core/report/text_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace mantissa {

namespace {

/// RFC 4180: quoted where it must be.
std::string quoted(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"')
            result += '"';
        result += c;
    }
    return result + '"';
}

void addLine(std::string& csv, const std::vector<std::string>& fields)
{
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0)
            csv += ',';
        csv += quoted(fields[i]);
    }
    csv += '\n';
}

std::string field(const nlohmann::json& value)
{
    if (value.is_null())
        return {};
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_number_float())
        return toText(value.get<double>());
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The columns of runs.csv, in this order; more follow in runToJson()'s.
constexpr const char* kFirstColumns[] = {"id", "comparison", "experiment", "variant", "precision",
    "repetition", "seed", "status", "reason", "steps_attempted", "steps_applied", "steps_skipped"};

std::vector<std::string> runColumns(const nlohmann::json& run)
{
    std::vector<std::string> columns(std::begin(kFirstColumns), std::end(kFirstColumns));
    for (const auto& [key, value] : run.items()) {
        if (std::find(columns.begin(), columns.end(), key) == columns.end())
            columns.push_back(key);
    }
    return columns;
}

void addRun(std::string& csv, const nlohmann::json& run)
{
    const auto columns = runColumns(run);
    if (csv.empty())
        addLine(csv, columns);
    std::vector<std::string> fields;
    for (const auto& column : columns)
        fields.push_back(field(run.value(column, nlohmann::json())));
    addLine(csv, fields);
}

void addEvents(std::string& csv, std::int64_t run, const std::vector<LifecycleEvent>& events)
{
    if (csv.empty())
        addLine(csv, {"run", "time_s", "step", "kind", "message", "data"});
    for (const auto& event : events) {
        addLine(csv,
            {std::to_string(run), toText(event.timeS),
                event.step ? std::to_string(*event.step) : "", event.kind, event.message,
                field(event.data)});
    }
}

struct NamedSlice {
    SeriesRecord record;
    SeriesSlice slice;
};

/// Measured at every step: such series share a table.
bool isDense(const NamedSlice& series)
{
    const auto& x = series.slice.x;
    return series.record.axis == Axis::Step && x.size() > 1
        && x.back() - x.front() == static_cast<double>(x.size() - 1);
}

std::string stepsCsv(const std::vector<NamedSlice>& all)
{
    std::map<std::int64_t, std::vector<std::string>> rows;
    std::vector<std::string> heads{"step"};
    for (const auto& [record, slice] : all)
        heads.push_back(record.name);
    for (std::size_t column = 0; column < all.size(); ++column) {
        const auto& slice = all[column].slice;
        for (std::size_t i = 0; i < slice.x.size(); ++i) {
            auto& row = rows[static_cast<std::int64_t>(slice.x[i])];
            row.resize(heads.size());
            row[column + 1] = toText(slice.y[i]);
        }
    }
    std::string csv;
    addLine(csv, heads);
    for (auto& [step, row] : rows) {
        row[0] = std::to_string(step);
        addLine(csv, row);
    }
    return csv;
}

std::string pointsCsv(const NamedSlice& series)
{
    std::string csv;
    addLine(csv, {series.record.axis == Axis::Step ? "step" : "time_s", series.record.name});
    for (std::size_t i = 0; i < series.slice.x.size(); ++i)
        addLine(csv, {toText(series.slice.x[i]), toText(series.slice.y[i])});
    return csv;
}

/// A series' name as part of a file's name: a foreign worker may send anything.
std::string fileName(const std::string& series)
{
    std::string name;
    for (const char c : series) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
            || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '@';
        name += plain ? c : '_';
    }
    return name.substr(0, 100);
}

Result<std::vector<NamedSlice>> readAll(const RunStore& store, std::int64_t run)
{
    auto records = store.series(run);
    if (!records)
        return tl::unexpected(records.error());
    std::vector<NamedSlice> all;
    for (auto& record : *records) {
        auto slice = store.readSeries(run, record.name);
        if (!slice)
            return tl::unexpected(slice.error());
        all.push_back({std::move(record), std::move(*slice)});
    }
    return all;
}

Result<void> exportSeries(
    const RunStore& store, std::int64_t run, const std::filesystem::path& folder)
{
    auto all = readAll(store, run);
    if (!all)
        return tl::unexpected(all.error());
    const auto sparse = std::stable_partition(all->begin(), all->end(), isDense);
    for (auto series = sparse; series != all->end(); ++series) {
        const auto file =
            folder / fmt::format("run-{}-points-{}.csv", run, fileName(series->record.name));
        if (auto written = writeTextFile(file, pointsCsv(*series)); !written)
            return written;
    }
    all->erase(sparse, all->end());
    if (all->empty())
        return {};
    return writeTextFile(folder / fmt::format("run-{}-steps.csv", run), stepsCsv(*all));
}

} // namespace

Result<void> exportCsv(const RunStore& store, const std::vector<std::int64_t>& runs,
    const std::filesystem::path& folder)
{
    std::string runsCsv;
    std::string eventsCsv;
    for (const auto id : runs) {
        const auto run = store.run(id);
        if (!run)
            return tl::unexpected(run.error());
        const auto events = store.events(id);
        if (!events)
            return tl::unexpected(events.error());
        addRun(runsCsv, runToJson(*run));
        addEvents(eventsCsv, id, *events);
        if (auto written = exportSeries(store, id, folder); !written)
            return written;
    }
    if (auto written = writeTextFile(folder / "events.csv", eventsCsv); !written)
        return written;
    return writeTextFile(folder / "runs.csv", runsCsv);
}

} // namespace mantissa
