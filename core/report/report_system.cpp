// SPDX-License-Identifier: GPL-3.0-or-later
// What the machine did while each run trained.
#include "core/base/human_text.h"
#include "core/hardware/system_monitor.h"
#include "core/report/report_model.h"
#include "core/run/series_info.h"
#include "core/stats/energy_use.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mantissa {

namespace {

enum class Statistic { Median, Lowest, Highest };

/// A row that a series makes.
struct SystemRow {
    std::string_view series;
    const char* label;
    Statistic statistic;
    std::string (*text)(double value);
};

std::string wholePercent(double percent)
{
    return fixedText(percent, 0) + " %";
}

std::string megahertz(double value)
{
    return groupedText(std::llround(value)) + " MHz";
}

std::string degrees(double value)
{
    return fixedText(value, 0) + " °C";
}

std::string watts(double value)
{
    return significantText(value, 3) + " W";
}

constexpr SystemRow kRows[] = {
    {series::kProcessCpuPercent, "Worker's CPU, median", Statistic::Median, wholePercent},
    {series::kForeignCpuPercent, "Other programs' CPU, median", Statistic::Median, wholePercent},
    {series::kForeignCpuPercent, "Other programs' CPU, highest", Statistic::Highest, wholePercent},
    {series::kCpuMhz, "CPU frequency, median", Statistic::Median, megahertz},
    {series::kCpuTemperatureC, "CPU temperature, highest", Statistic::Highest, degrees},
    {series::kRssBytes, "Resident memory, highest", Statistic::Highest, bytesText},
    {series::kAvailableMemoryBytes, "Available memory, lowest", Statistic::Lowest, bytesText},
    {series::kGpuUtilisationPercent, "GPU utilisation, median", Statistic::Median, wholePercent},
    {series::kGpuMemoryBytes, "GPU memory in use, highest", Statistic::Highest, bytesText},
    {series::kGpuPowerW, "GPU power, median", Statistic::Median, watts},
    {series::kGpuTemperatureC, "GPU temperature, highest", Statistic::Highest, degrees},
    {series::kGpuSmMhz, "GPU clock, median", Statistic::Median, megahertz},
    {series::kGpuMemoryMhz, "GPU memory clock, median", Statistic::Median, megahertz},
};

std::optional<double> valueOf(std::vector<double> values, Statistic statistic)
{
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty())
        return std::nullopt;
    if (statistic == Statistic::Lowest)
        return std::ranges::min(values);
    return statistic == Statistic::Highest ? std::ranges::max(values) : quartiles(values)->median;
}

Result<std::vector<double>> values(const RunStore& store, std::int64_t run, std::string_view name)
{
    auto slice = store.readSeries(run, std::string(name));
    if (!slice)
        return tl::unexpected(slice.error());
    return std::move(slice->y);
}

Result<ReportCell> systemCell(const RunStore& store, std::int64_t run, const SystemRow& row)
{
    auto read = values(store, run, row.series);
    if (!read)
        return tl::unexpected(read.error());
    const auto value = valueOf(std::move(*read), row.statistic);
    return value ? ReportCell{row.text(*value), "", false} : ReportCell{"not measured", "", true};
}

Result<std::optional<EnergyUse>> readEnergyUse(
    const RunStore& store, std::int64_t run, std::string_view counter)
{
    const auto joules = store.readSeries(run, std::string(counter));
    if (!joules)
        return tl::unexpected(joules.error());
    if (joules->y.empty()) // most machines tell no energy: nothing else is read for it
        return std::optional<EnergyUse>();
    const auto events = store.events(run);
    if (!events)
        return tl::unexpected(events.error());
    const auto ends = values(store, run, series::kTimeS);
    const auto rates = values(store, run, series::kSamplesPerSecond);
    const auto stepMs = values(store, run, series::kStepMs);
    for (const auto* read : {&ends, &rates, &stepMs}) {
        if (!*read)
            return tl::unexpected(read->error());
    }
    std::vector<double> starts;
    for (const auto& event : *events) {
        if (event.kind == event_kind::kBlockStarted)
            starts.push_back(event.timeS);
    }
    return energyUse({joules->x, joules->y, starts, *ends, *rates, *stepMs});
}

Result<ReportRow> energyRow(const RunStore& store, const std::vector<ReportColumn>& columns,
    std::string_view counter, const char* label)
{
    ReportRow row{label, {}};
    std::optional<double> baseline;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto use = readEnergyUse(store, columns[i].run.id, counter);
        if (!use)
            return tl::unexpected(use.error());
        if (!*use) {
            row.cells.push_back({"not measured", "", true});
            continue;
        }
        const double perSample = (*use)->joulesPerSample();
        row.cells.push_back({fmt::format("{} mJ at {}", significantText(perSample * 1000, 3),
                                 watts((*use)->watts())),
            baseline ? ratioText(perSample / *baseline) : "", false});
        if (i == 0)
            baseline = perSample;
    }
    return row;
}

} // namespace

Result<std::vector<std::string>> loadWarnings(
    const RunStore& store, const std::vector<ReportColumn>& columns)
{
    std::vector<std::string> warnings;
    for (const auto& column : columns) {
        auto foreign = values(store, column.run.id, series::kForeignCpuPercent);
        if (!foreign)
            return tl::unexpected(foreign.error());
        const auto percent = valueOf(std::move(*foreign), Statistic::Median);
        if (percent && *percent > kForeignLoadLimit * 100)
            warnings.push_back(fmt::format(
                "{}: other programs had {} of the usable cores while it trained (median). Its "
                "times are longer than the machine alone would need.",
                column.name, wholePercent(*percent)));
    }
    return warnings;
}

Result<std::vector<ReportRow>> systemRows(
    const RunStore& store, const std::vector<ReportColumn>& columns)
{
    std::vector<ReportRow> rows;
    for (const auto& wanted : kRows) {
        ReportRow row{wanted.label, {}};
        for (const auto& column : columns) {
            auto cell = systemCell(store, column.run.id, wanted);
            if (!cell)
                return tl::unexpected(cell.error());
            row.cells.push_back(std::move(*cell));
        }
        rows.push_back(std::move(row));
    }
    for (const auto& [counter, label] : {std::pair(series::kPackageEnergyJ, "Energy a sample, CPU"),
             std::pair(series::kGpuEnergyJ, "Energy a sample, GPU")}) {
        auto row = energyRow(store, columns, counter, label);
        if (!row)
            return tl::unexpected(row.error());
        rows.push_back(std::move(*row));
    }
    std::erase_if(rows,
        [](const ReportRow& row) { return std::ranges::all_of(row.cells, &ReportCell::missing); });
    return rows;
}

} // namespace mantissa
